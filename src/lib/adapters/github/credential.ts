import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Failure } from '../../core/failure.ts';
import { type Api, apiFrom, hostFrom, isHosted, set } from './api.ts';

/** A GitHub token and the API that it is for. */
export interface Credential {
  readonly token: string;
  /** Base of the REST API, without a slash at its end. */
  readonly apiUrl: string;
}

const GH_TIMEOUT_MS = 5000;

/**
 * The caller's token as gh finds it: GH_TOKEN, GITHUB_TOKEN (of a GH_HOST that is a server of one's own:
 * GH_ENTERPRISE_TOKEN, GITHUB_ENTERPRISE_TOKEN), else what `gh auth token` prints; undefined where there is none.
 */
export async function findCredential(variables: NodeJS.ProcessEnv = process.env): Promise<Credential | undefined> {
  const host = hostFrom(variables);
  const names = isHosted(host) ? ['GH_TOKEN', 'GITHUB_TOKEN'] : ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
  const named = names.map((name) => set(variables[name])).find((value) => value !== undefined);
  const token = named ?? (await tokenOfGh(host, variables));
  return token === undefined ? undefined : { token, apiUrl: apiFrom(variables).url };
}

/** Fails with `invalid_input` or `credential_required` where GitHub need not be asked to know that it will not do. */
export function requireUsable({ token, apiUrl }: Credential, setting: Api['setting']): void {
  if (!URL.canParse(apiUrl) || !/^https?:$/.test(new URL(apiUrl).protocol)) {
    throw setting === 'GH_HOST'
      ? new Failure('invalid_input', 'GH_HOST is no name of a host', { hint: 'Set it to the host alone, or unset it.' })
      : new Failure('invalid_input', 'GITHUB_API_URL is no URL of http or https', {
          hint: 'Unset it, or set it to https://HOST/api/v3.',
        });
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Failure('credential_required', 'the GitHub token holds a space or another character that no token has', {
      hint: 'Set GH_TOKEN to the token alone, without quotes or a line break.',
    });
  }
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
