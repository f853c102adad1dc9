import { Failure } from '../../core/failure.ts';
import { codeOf } from './remote-attempts.ts';
import { RequestError } from './remote-request.ts';

/** What a person can do about an error of a database server; errors that are no such pass through. */
export function remoteFailure(error: unknown, host: string): unknown {
  if (error instanceof RequestError) return requestFailure(error, host);
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (/FULL|QUOTA/.test(code) || (code === 'BLOCKED' && /upgrade|quota|plan|limit/i.test(message))) {
    return new Failure('database_unavailable', `the database server ${host} refuses: its quota is used up`, {
      hint: 'Nothing was changed by this. Free some room or raise the limit of its plan, then run the same command again.',
      cause: error,
    });
  }
  if (
    code === 'BLOCKED' ||
    /^(SQLITE_READONLY|SQLITE_AUTH|AUTH)/.test(code) ||
    /read-?only|not authori[sz]ed/i.test(message)
  ) {
    return new Failure('credential_required', `the token for ${host} may not do this: it is read-only`, {
      hint: 'Put a token with write access into GH_RAG_DB_TOKEN.',
      cause: error,
    });
  }
  return error;
}

/** A write whose fate is not known when its time is over. */
export function unknownOutcome(host: string, cause: unknown): Failure {
  return new Failure(
    'database_unavailable',
    `the database server ${host} stopped answering: it is not known whether the last write was applied`,
    { hint: 'Run the same command again when it answers: what was applied is not applied twice.', cause },
  );
}

function requestFailure(error: RequestError, host: string): Failure {
  const unavailable = (message: string, hint: string): Failure =>
    new Failure('database_unavailable', message, { hint, cause: error });
  switch (error.problem) {
    case 'refused':
      return unavailable(
        `nothing answers at the database server ${host}: connection refused`,
        'Check host and port of the database URL, and that the server runs.',
      );
    case 'unknown_host':
      return unavailable(
        `there is no database server ${host}: unknown host`,
        'Check the host of the database URL, and the network.',
      );
    case 'tls':
      return unavailable(
        `no secure connection to the database server ${host}: TLS failed (${tlsReason(error)})`,
        'Check the host; for a certificate of your own authority set NODE_EXTRA_CA_CERTS.',
      );
    case 'timeout':
      return unavailable(
        `the database server ${host} does not answer in time`,
        'Nothing is known to be changed. Check the network and run the same command again.',
      );
    case 'network':
      return unavailable(
        `the connection to the database server ${host} broke off`,
        'Check the network and run the same command again.',
      );
    case 'server_error':
      return unavailable(
        `the database server ${host} has a problem: HTTP status ${String(error.status ?? 500)}`,
        'Run the same command again in a while.',
      );
    case 'too_many_requests':
      return unavailable(
        `the database server ${host} has too many requests: HTTP status 429`,
        'Run the same command again in a while.',
      );
    case 'credential':
      return new Failure(
        'credential_required',
        `the database server ${host} refuses the token: HTTP status ${String(error.status ?? 401)}`,
        { hint: 'Put a valid token for this database into GH_RAG_DB_TOKEN.', cause: error },
      );
    case 'not_found':
      return unavailable(
        `there is no libSQL database at ${host}: HTTP status 404`,
        'Check the database URL, its path included.',
      );
    case 'not_libsql':
      return unavailable(
        `what answers at ${host} is no libSQL server`,
        'Check the database URL: Turso and sqld give one that begins with libsql://.',
      );
    case 'refusal':
      return unavailable(
        `the database server ${host} refuses the request: HTTP status ${String(error.status ?? 400)}`,
        'Check the database URL, and what the provider says of your account.',
      );
    case 'locked':
      return new Failure('database_busy', `others are writing to the database at ${host}; it stayed locked`, {
        hint: 'Nothing was changed by this command. Run it again when they are done.',
        cause: error,
      });
  }
}

function tlsReason(error: RequestError): string {
  for (let at: unknown = error.cause; at instanceof Error; at = at.cause) {
    const code = codeOf(at);
    if (code !== '') return code;
  }
  return 'handshake';
}
