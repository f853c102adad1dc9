/**
 * Every way an operation can fail, named once. The faces map a code to an exit code or an error object; nothing else
 * distinguishes failures.
 */
export const FAILURE_CODES = [
  'invalid_input',
  'not_found',
  'unreadable_input',
  'partial_input',
  'not_a_repository',
  'drift',
  'rate_limited',
  'github_unavailable',
  'interrupted',
  'database_unavailable',
  'database_busy',
  'database_full',
  'schema_outdated',
  'schema_newer',
  'principal_required',
  'credential_required',
  'endpoint_unavailable',
  'endpoint_unusable',
  'unknown_trace',
  'unknown_source',
  'unknown_confirmation',
  'stage_order',
  'not_used',
  'idempotency_conflict',
  'invalid_cursor',
  'internal',
] as const;

export type FailureCode = (typeof FAILURE_CODES)[number];

export interface FailureDetails {
  /** What to do next, one line, imperative. */
  hint?: string;
  cause?: unknown;
}

/** A failure with a reason someone can act on. `message` is one line and never holds a query, a handle or a token. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly hint: string | undefined;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.hint = details.hint;
  }
}

/** Turns anything thrown into a Failure; what is not one already becomes `internal` and keeps its cause. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure('internal', `unexpected error: ${message}`, { cause: error });
}
