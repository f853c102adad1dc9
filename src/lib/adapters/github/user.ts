import * as z from 'zod';
import { Failure } from '../../core/failure.ts';
import type { Api } from './api.ts';
import { type Credential, requireUsable } from './credential.ts';
import { failureOf, nonsense, requestFailure } from './failures.ts';

/** The user whom a token belongs to. */
export interface TokenUser {
  readonly id: number;
  readonly login: string;
}

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly api: Api;
}

const user = z.object({ id: z.int().positive(), login: z.string().default('') });

/** Asks GitHub whose a token is (`GET /user`). Nothing of the token is in a failure. */
export async function askUser(credential: Credential, { timeoutMs, signal, api }: AskOptions): Promise<TokenUser> {
  const { token, apiUrl } = credential;
  requireUsable(credential, api.setting);
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  // Loaded here: who is known already does not wait for it.
  const { Octokit } = await import('octokit');
  const octokit = new Octokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'gh-rag',
    log: quiet,
    retry: { enabled: false },
    throttle: { enabled: false },
  });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { data } = await octokit.request('GET /user', {
      request: { signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) },
    });
    const parsed = user.safeParse(data);
    if (!parsed.success) throw nonsense(api.host, 'user');
    return parsed.data;
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (signal?.reason instanceof Failure) throw signal.reason;
    throw refusal(error, timeout.aborted, api);
  }
}

function refusal(error: unknown, late: boolean, api: Api): unknown {
  const failure = late ? { status: undefined, message: '', headers: {} } : requestFailure(error);
  if (failure === undefined) return error;
  const known = failureOf(failure, { ...api, repo: 'the user' });
  if (failure.status === 403 && known.code !== 'rate_limited') {
    return new Failure('credential_required', 'the token is of no user, or may not say whose it is', {
      hint: 'Use a personal token, or run gh auth login; tokens of apps and of GitHub Actions have no user.',
    });
  }
  if (typeof failure.status !== 'number' || known.code === 'credential_required') return known;
  return new Failure(known.code, known.message, { hint: 'Run the same command again later.' });
}
