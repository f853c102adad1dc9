import { EndpointError, type EndpointProblem, unusable } from './endpoint-error.ts';
import { networkProblem } from './network-problem.ts';
import { retryAfterMs } from './retry-after.ts';

/** Where a request goes. */
export interface Target {
  readonly url: string;
  /** Sent as a bearer token, to this URL only. */
  readonly key: string | undefined;
}

/** A batch of vectors is a few MB; what goes on and on is no answer. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Posts JSON and parses the JSON that comes back, within `timeoutMs`, body included. A redirect is not followed: key and
 * texts are for the server that was named. Throws an {@link EndpointError}, or the reason of `signal` when it is aborted.
 */
export async function postJson(
  { url, key }: Target,
  body: unknown,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'gh-rag',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  let text: string;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)))]),
    });
    const problem = problemOfStatus(response.status);
    if (problem !== undefined) {
      await response.body?.cancel();
      throw new EndpointError(problem, { status: response.status, retryAfterMs: retryAfterMs(response.headers) });
    }
    text = await textOf(response);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EndpointError) throw error;
    throw new EndpointError(networkProblem(error), { detail: namesOf(error) });
  }
  return parse(text);
}

function problemOfStatus(status: number): EndpointProblem | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 401 || status === 403) return 'credential';
  if (status === 404 || status === 405) return 'not_found';
  if (status === 429) return 'busy';
  if (status === 408 || status >= 500) return 'server_error';
  return status >= 300 && status < 400 ? 'redirect' : 'refusal';
}

async function textOf(response: Response): Promise<string> {
  const body: AsyncIterable<Uint8Array> | null = response.body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw unusable(`it is longer than ${String(MAX_ANSWER_BYTES / 1024 / 1024)} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the text.
    if (/[[,:]\s*-?(?:NaN|Infinity)\b/.test(text)) throw unusable('it holds a number that is not finite');
    throw /^\s*[[{]/.test(text) ? new EndpointError('cut') : unusable('it is not JSON');
  }
}

/** Names and codes of an error and its causes; their messages and other members may quote what was sent or received. */
function namesOf(error: unknown): string {
  const names: string[] = [];
  for (let at = error; at instanceof Error && names.length < 5; at = at.cause) {
    names.push('code' in at && typeof at.code === 'string' ? at.code : at.name);
  }
  return names.join(' < ');
}
