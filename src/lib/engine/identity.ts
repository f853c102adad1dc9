import type { Principal } from './principal.ts';

/** A GitHub user, as GitHub itself said. */
export interface VerifiedUser {
  readonly principal: Extract<Principal, { readonly kind: 'github' }>;
  /** The name that the user goes by now; it may change, and another may take it. */
  readonly login: string;
  /** Host of the API that said so. */
  readonly host: string;
}

/** Whose the caller's token is. */
export interface Identity {
  /**
   * Asks GitHub now, whatever is remembered, and remembers the answer. Fails with `credential_required` (no token, or one
   * that GitHub refuses or that is of no user), `rate_limited`, `github_unavailable` and `invalid_input`.
   */
  verify(signal: AbortSignal): Promise<VerifiedUser>;
}
