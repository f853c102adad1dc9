import { type NetworkProblem, networkProblem } from '../http/network-problem.ts';

/** Why a request brought no usable answer. */
export type RequestProblem =
  | NetworkProblem
  | 'server_error'
  | 'too_many_requests'
  | 'credential'
  | 'not_found'
  | 'not_libsql'
  | 'refusal'
  | 'locked';

/** A request without a usable answer. Its message never holds a URL or a header. */
export class RequestError extends Error {
  readonly problem: RequestProblem;
  /** Whether the server may have run it all the same. */
  readonly mayHaveRun: boolean;
  /** Whether the same request may have more luck in a moment. */
  readonly repeatable: boolean;
  /** HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(problem: RequestProblem, details: { status?: number; cause?: unknown } = {}) {
    super(problem, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'RequestError';
    this.problem = problem;
    this.status = details.status;
    this.mayHaveRun = MAY_HAVE_RUN.has(problem);
    this.repeatable = REPEATABLE.has(problem);
  }
}

const MAY_HAVE_RUN: ReadonlySet<RequestProblem> = new Set(['timeout', 'network', 'server_error']);

const REPEATABLE: ReadonlySet<RequestProblem> = new Set([
  'refused',
  'timeout',
  'network',
  'server_error',
  'too_many_requests',
  'locked',
]);

/**
 * A `fetch` that ends within `timeoutMs`, body included, and throws a {@link RequestError} for everything but an answer
 * of a libSQL server. A redirect is not followed: the token is for the server that was named.
 */
export function boundedFetch(
  timeoutMs: number,
  contentType = /^application\/json\b/i,
): (request: Request) => Promise<Response> {
  return async (request) => {
    let response: Response;
    let body: string;
    try {
      response = await fetch(request, {
        signal: AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs))),
        redirect: 'manual',
      });
      body = await response.text();
    } catch (error) {
      throw new RequestError(networkProblem(error), { cause: error });
    }
    const { status, headers } = response;
    const problem = problemOfStatus(status);
    if (problem !== undefined) throw new RequestError(problem, { status });
    if (!contentType.test(headers.get('content-type') ?? '')) throw new RequestError('not_libsql', { status });
    return new Response(body, { status, headers: { 'content-type': 'application/json' } });
  };
}

function problemOfStatus(status: number): RequestProblem | undefined {
  if (status === 401 || status === 403) return 'credential';
  if (status === 429) return 'too_many_requests';
  if (status === 404) return 'not_found';
  if (status >= 500) return 'server_error';
  if (status >= 300 && status < 400) return 'not_libsql';
  // 400 is how a server says what is wrong with a request; the client reads it.
  return status > 400 ? 'refusal' : undefined;
}
