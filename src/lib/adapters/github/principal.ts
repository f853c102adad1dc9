import { Failure } from '../../core/failure.ts';
import type { VerifiedUser } from '../../engine/identity.ts';
import type { Principal } from '../../engine/principal.ts';
import { apiFrom } from './api.ts';
import { type Credential, findCredential } from './credential.ts';
import { PrincipalFile } from './principal-file.ts';
import { askUser } from './user.ts';

/** Who a caller is; or why that is not known, in words that follow "needs a verified GitHub user". */
export type Verification =
  | { readonly principal: Principal }
  | {
      readonly principal: null;
      readonly principalProblem: string;
      /** False where there was nothing to verify. */
      readonly hasToken: boolean;
    };

export interface VerificationOptions {
  /** Where it is kept who a token's user is. */
  readonly configDir: string;
  /** The time now, as it is written down. */
  readonly now: () => string;
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** How long GitHub has to answer, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 8000;

/**
 * The GitHub user whom the caller's token belongs to. GitHub is asked once for each token; who is known already is known
 * without any request.
 */
export async function verifiedPrincipal(options: VerificationOptions): Promise<Verification> {
  const { configDir, variables = process.env } = options;
  const credential = await findCredential(variables);
  if (credential === undefined) return { principal: null, principalProblem: 'there is no token', hasToken: false };
  const userId = await new PrincipalFile(configDir).userOf(credential);
  if (userId !== undefined) return { principal: principalOf(userId, credential) };
  try {
    return { principal: (await ask(credential, options)).principal };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { principal: null, principalProblem: error.message, hasToken: true };
  }
}

/** As `Identity.verify`: GitHub is asked whatever is known. */
export async function verifyNow(options: VerificationOptions, signal: AbortSignal): Promise<VerifiedUser> {
  const { configDir, variables = process.env } = options;
  const credential = await findCredential(variables);
  if (credential === undefined) {
    throw new Failure('credential_required', 'there is no GitHub token, so nobody to log in as', {
      hint: 'Run gh auth login, or set GH_TOKEN (of an enterprise host: GH_HOST and GH_ENTERPRISE_TOKEN).',
    });
  }
  try {
    return await ask(credential, options, signal);
  } catch (error) {
    if (error instanceof Failure && error.code === 'credential_required') {
      await new PrincipalFile(configDir).forget(credential);
    }
    throw error;
  }
}

async function ask(credential: Credential, options: VerificationOptions, signal?: AbortSignal): Promise<VerifiedUser> {
  const { configDir, now, variables = process.env, timeoutMs = TIMEOUT_MS } = options;
  const api = apiFrom(variables);
  const { id, login } = await askUser(credential, { timeoutMs, signal, api });
  await new PrincipalFile(configDir).remember(credential, id, now());
  return { principal: principalOf(id, credential), login, host: api.host };
}

const GITHUB_API = 'api.github.com';

/** Another API, whatever named it, has users of its own: nobody becomes one of github.com by its answer. */
function principalOf(userId: number, { apiUrl }: Credential): VerifiedUser['principal'] {
  const { host } = new URL(apiUrl);
  return { kind: 'github', userId, ...(host !== GITHUB_API && { host }) };
}
