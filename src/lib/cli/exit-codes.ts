import type { FailureCode } from '../core/failure.ts';

export const EXIT_DONE = 0;
const EXIT_INTERRUPTED = 130;

/** The exit code of every failure. A new failure code does not compile until it has one. */
export const EXIT_CODES = {
  // 1: it failed.
  not_found: 1,
  unreadable_input: 1,
  partial_input: 1,
  not_a_repository: 1,
  drift: 1,
  rate_limited: 1,
  github_unavailable: 1,
  database_full: 1,
  endpoint_unavailable: 1,
  endpoint_unusable: 1,
  internal: 1,
  // 2: wrong usage.
  invalid_input: 2,
  // 3: refused by the contract.
  unknown_trace: 3,
  unknown_source: 3,
  unknown_confirmation: 3,
  stage_order: 3,
  not_used: 3,
  idempotency_conflict: 3,
  invalid_cursor: 3,
  // 4: a credential is needed.
  principal_required: 4,
  credential_required: 4,
  // 5: the database cannot be reached, or not by this version.
  database_unavailable: 5,
  database_busy: 5,
  schema_outdated: 5,
  schema_newer: 5,
  interrupted: EXIT_INTERRUPTED,
} as const satisfies Record<FailureCode, number>;
