import { Failure } from '../../core/failure.ts';
import type { RemoteServer } from './remote.ts';
import { remoteFailure } from './remote-failures.ts';
import { boundedFetch, RequestError } from './remote-request.ts';

/** How long the server may take to say that it is there. */
const PREFLIGHT_MS = 2500;

/** Why a server does not answer; undefined where it does. Fails where it answers and refuses. */
export async function absence(server: RemoteServer): Promise<RequestError | undefined> {
  const { url, host, token, timeoutMs } = server;
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const info = new URL('info', url.endsWith('/') ? url : `${url}/`);
  try {
    const response = await boundedFetch(Math.min(PREFLIGHT_MS, timeoutMs), /^/)(new Request(info, { headers }));
    await response.json();
    return undefined;
  } catch (error) {
    if (!(error instanceof RequestError)) return new RequestError('not_libsql', { cause: error });
    if (error.problem === 'credential') throw remoteFailure(error, host);
    if (error.problem === 'not_found') {
      throw new Failure('database_unavailable', `the database server ${host} gives out no copies`, {
        hint: 'Unset GH_RAG_SYNC_URL and put its URL into GH_RAG_DB.',
        cause: error,
      });
    }
    return error;
  }
}
