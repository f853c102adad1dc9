import type { NetworkProblem } from './network-problem.ts';

/**
 * Why a model's endpoint gave no usable answer. `cut`: the body ends early; `busy`: too many requests; `refusal`: it does
 * not want this request; `unusable`: an answer, and not what was asked for.
 */
export type EndpointProblem =
  | NetworkProblem
  | 'cut'
  | 'busy'
  | 'server_error'
  | 'credential'
  | 'redirect'
  | 'not_found'
  | 'refusal'
  | 'unusable';

interface EndpointErrorDetails {
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** What is wrong with the answer, in words that follow a colon. */
  readonly detail?: string;
}

/**
 * A request to a model's endpoint without a usable answer. Holds nothing of the request or of the answer's body, since
 * servers repeat keys and texts in what they complain about.
 */
export class EndpointError extends Error {
  readonly problem: EndpointProblem;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may have more luck in a moment. */
  readonly repeatable: boolean;

  constructor(problem: EndpointProblem, { status, retryAfterMs, detail }: EndpointErrorDetails = {}) {
    super(detail ?? problem);
    this.name = 'EndpointError';
    this.problem = problem;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.repeatable = REPEATABLE.has(problem);
  }
}

const REPEATABLE: ReadonlySet<EndpointProblem> = new Set([
  'refused',
  'timeout',
  'network',
  'cut',
  'busy',
  'server_error',
]);

/** An answer that is not what was asked for; `detail` follows a colon. */
export function unusable(detail: string): EndpointError {
  return new EndpointError('unusable', { detail });
}
