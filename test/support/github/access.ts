import type { IncomingHttpHeaders } from 'node:http';
import type { Repository } from './repository.ts';
import type { User } from './state.ts';

export interface Token {
  readonly value: string;
  readonly user: User;
  /** Null for a fine-grained token, which has no X-OAuth-Scopes. */
  readonly scopes: readonly string[] | null;
  /** Whether private repositories are visible; a classic token needs the scope `repo` too. */
  readonly private: boolean;
  /** Owners whose single sign-on this token was not authorised for. */
  readonly ssoMissing: readonly string[];
  /** In milliseconds; null for never. */
  readonly expiresAt: number | null;
}

/** Who asks. `refused`: with a credential that is not known, or not any more. */
export type Caller = Token | 'anonymous' | 'refused';

/** Finds the caller by `Authorization: Bearer T`, `token T`, or `Basic` with the token as the password. */
export function callerOf(headers: IncomingHttpHeaders, tokens: ReadonlyMap<string, Token>, now: number): Caller {
  const { authorization } = headers;
  if (authorization === undefined) return 'anonymous';
  const [scheme = '', credential = ''] = authorization.split(' ');
  const value =
    scheme.toLowerCase() === 'basic'
      ? Buffer.from(credential, 'base64')
          .toString()
          .replace(/^[^:]*:/, '')
      : credential;
  const token = tokens.get(value);
  if (token === undefined) return 'refused';
  return token.expiresAt !== null && token.expiresAt <= now ? 'refused' : token;
}

/** Whether GitHub admits that the repository exists. */
export function maySee(caller: Caller, repository: Repository): boolean {
  if (!repository.private) return true;
  if (typeof caller === 'string') return false;
  return caller.private && (caller.scopes === null || caller.scopes.includes('repo'));
}

/** Whether the owner's single sign-on keeps this token out. */
export function needsSso(caller: Caller, repository: Repository): boolean {
  return typeof caller !== 'string' && caller.ssoMissing.includes(repository.owner.login);
}
