import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Failure } from '../../core/failure.ts';

/** A GitHub token and the API that it is for. */
export interface Credential {
  readonly token: string;
  /** Base of the REST API, without a slash at its end. */
  readonly apiUrl: string;
}

const GITHUB = 'github.com';
const GH_TIMEOUT_MS = 5000;

/** Host of the web pages: GH_HOST, else github.com. In small letters. */
export function hostFrom(variables: NodeJS.ProcessEnv): string {
  return set(variables.GH_HOST)?.toLowerCase() ?? GITHUB;
}

/**
 * The caller's token as gh finds it: GH_TOKEN, GITHUB_TOKEN (of a GH_HOST that is a server of one's own:
 * GH_ENTERPRISE_TOKEN, GITHUB_ENTERPRISE_TOKEN), else what `gh auth token` prints; undefined where there is none. GITHUB_API_URL, which GitHub
 * Actions sets, names the API where it is not the usual one of the host.
 */
export async function findCredential(variables: NodeJS.ProcessEnv = process.env): Promise<Credential | undefined> {
  const host = hostFrom(variables);
  // A subdomain of ghe.com is GitHub's own, with the data in a region.
  const isHosted = host === GITHUB || host.endsWith('.ghe.com');
  const names = isHosted ? ['GH_TOKEN', 'GITHUB_TOKEN'] : ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
  const named = names.map((name) => set(variables[name])).find((value) => value !== undefined);
  const token = named ?? (await tokenOfGh(host, variables));
  if (token === undefined) return undefined;
  const usual = isHosted ? `https://api.${host}` : `https://${host}/api/v3`;
  return { token, apiUrl: (set(variables.GITHUB_API_URL) ?? usual).replace(/\/+$/, '') };
}

/** Fails with `invalid_input` or `credential_required` where GitHub need not be asked to know that it will not do. */
export function requireUsable({ token, apiUrl }: Credential): void {
  if (!URL.canParse(apiUrl) || !/^https?:$/.test(new URL(apiUrl).protocol)) {
    throw new Failure('invalid_input', 'GITHUB_API_URL is no URL of http or https', {
      hint: 'Unset it, or set it to https://HOST/api/v3.',
    });
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Failure('credential_required', 'the GitHub token holds a space or another character that no token has', {
      hint: 'Set GH_TOKEN to the token alone, without quotes or a line break.',
    });
  }
}

function set(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === '' ? undefined : trimmed;
}

async function tokenOfGh(host: string, variables: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('gh', ['auth', 'token', '--hostname', host], {
      env: variables,
      timeout: GH_TIMEOUT_MS,
      windowsHide: true,
    });
    return set(stdout);
  } catch {
    // gh is not installed, or not logged in.
    return undefined;
  }
}
