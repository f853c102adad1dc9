import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { sha256Hex } from '../../core/hash.ts';
import type { Principal } from '../../engine/principal.ts';
import { type Credential, findCredential } from './credential.ts';

/** Who a caller is; or why that is not known, in words that follow "needs a verified GitHub user". */
export type Verification =
  | { readonly principal: Principal }
  | { readonly principal: null; readonly principalProblem: string };

const VERIFY_TIMEOUT_MS = 8000;

const remembered = z.record(z.string(), z.object({ user_id: z.int().positive(), verified_at: z.string() }));
const user = z.object({ id: z.int().positive() });

/**
 * The GitHub user whom the caller's token belongs to. GitHub is asked once for each token (`GET /user`); the answer is
 * kept in `principals.json` of the configuration directory, under the SHA-256 of token and API, for its owner alone.
 */
export async function verifiedPrincipal(
  configDir: string,
  now: () => string,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<Verification> {
  const credential = await findCredential(variables);
  if (credential === undefined) return { principal: null, principalProblem: 'there is no token' };
  const file = join(configDir, 'principals.json');
  const key = sha256Hex(`${credential.apiUrl}\n${credential.token}`);
  const known = await readRemembered(file);
  const userId = known[key]?.user_id;
  if (userId !== undefined) return { principal: principalOf(userId, credential) };
  const answer = await askGitHub(credential);
  if (typeof answer === 'string') return { principal: null, principalProblem: answer };
  await remember(configDir, file, { ...known, [key]: { user_id: answer, verified_at: now() } });
  return { principal: principalOf(answer, credential) };
}

const GITHUB_API = 'api.github.com';

/** Another API, whatever named it, has users of its own: nobody becomes one of github.com by its answer. */
function principalOf(userId: number, { apiUrl }: Credential): Principal {
  const { host } = new URL(apiUrl);
  return { kind: 'github', userId, ...(host !== GITHUB_API && { host }) };
}

/** The user's id, or what keeps it from being known. Nothing of the token is in it. */
async function askGitHub({ token, apiUrl }: Credential): Promise<number | string> {
  if (!URL.canParse(apiUrl)) return 'GITHUB_API_URL is no URL';
  const { host } = new URL(apiUrl);
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  // Loaded here: who is known already does not wait for it.
  const { Octokit } = await import('octokit');
  try {
    const octokit = new Octokit({
      auth: token,
      baseUrl: apiUrl,
      userAgent: 'gh-rag',
      log: quiet,
      retry: { enabled: false },
      throttle: { enabled: false },
    });
    const { data } = await octokit.request('GET /user', {
      request: { signal: AbortSignal.timeout(VERIFY_TIMEOUT_MS) },
    });
    const parsed = user.safeParse(data);
    return parsed.success ? parsed.data.id : `what answers at ${host} is not GitHub`;
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? error.status : undefined;
    if (status === 401) return `${host} refuses the token`;
    if (status === 403) return `the token is of no user, or may not say whose it is`;
    return typeof status === 'number' && status !== 500
      ? `${host} answered with HTTP status ${String(status)}`
      : `${host} cannot be reached`;
  }
}

async function readRemembered(file: string): Promise<z.output<typeof remembered>> {
  try {
    return remembered.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Not there yet, or damaged: whoever it held is verified anew.
    return {};
  }
}

/** Whole or not at all, whoever writes at the same time. Not being able to keep it costs the next call a question. */
async function remember(configDir: string, file: string, principals: z.output<typeof remembered>): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(configDir, { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(principals, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch {
    return;
  }
}
