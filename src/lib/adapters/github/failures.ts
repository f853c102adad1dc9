import * as z from 'zod';
import { Failure } from '../../core/failure.ts';
import { formatTime } from '../../core/time.ts';
import type { Api } from './api.ts';

/** What an answer of GitHub says beside its body; names in lower case. */
export type Headers = Readonly<Record<string, string | number | undefined>>;

/** An error of Octokit as far as it is looked at. */
export interface RequestFailure {
  /** Of HTTP; undefined where nothing answered, `foreign` where something else than GitHub says that nothing is there. */
  readonly status: number | 'foreign' | undefined;
  /** What was said; of a foreign answer its status. */
  readonly message: string;
  readonly headers: Headers;
}

/** Where and for what was asked. */
export interface Asked extends Pick<Api, 'host' | 'setting' | 'proxied'> {
  readonly repo: string;
}

/** Decodes what Octokit threw; an error that no server answered has no status. */
export function requestFailure(error: unknown): RequestFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const response: unknown = 'response' in error ? error.response : undefined;
  const answered = typeof response === 'object' && response !== null && 'headers' in response;
  const headers = answered ? (response.headers as Headers) : {}; // Octokit writes them with lower-case names
  if (answered && error.message === 'GraphQL Rate Limit Exceeded') return graphqlLimit(headers);
  if (!('status' in error) || typeof error.status !== 'number') return undefined;
  if (!answered) return { status: undefined, message: chainOf(error), headers };
  const { status, message } = error;
  const data: unknown = 'data' in response ? response.data : undefined;
  const foreign = ABSENT.includes(status) && !refusal.safeParse(data).success;
  return foreign ? { status: 'foreign', message: String(status), headers } : { status, message, headers };
}

/** Statuses by which GitHub says that something is not there: documents leave the index for them. */
const ABSENT = [404, 410, 451];

/** What GitHub says beside them, and a proxy or a server of something else does not. */
const refusal = z.object({ message: z.string() });

/** Messages and codes of an error and of what caused it: one of the network may have its code alone. */
export function chainOf(error: unknown): string {
  const parts: unknown[] = [];
  for (let at = error; at instanceof Error; at = at.cause) parts.push(at.message, 'code' in at ? at.code : '');
  return parts.join(' ');
}

/** The limit of GraphQL, which is told with status 200, and not always with a rest of 0. */
export function graphqlLimit(headers: Headers): RequestFailure {
  return { status: 429, message: '', headers: { ...headers, 'x-ratelimit-remaining': '0' } };
}

/** The failure that a person can act on; `cause` carries nothing, since requests hold the token. */
export function failureOf({ status, message, headers }: RequestFailure, asked: Asked): Failure {
  const { host, repo } = asked;
  if (status === undefined) return unreachable(message, asked);
  if (status === 'foreign') {
    const what = `something that is not GitHub's (HTTP status ${message})`;
    return new Failure('github_unavailable', `${host} answered with ${what}`, {
      hint: `Check ${asked.setting} and what stands between, such as a proxy, then run the same command again.`,
    });
  }
  if (status === 401) {
    return new Failure('credential_required', `${host} refuses the token: it is wrong, was revoked or has expired`, {
      hint: 'Run gh auth login, or set GH_TOKEN to a valid token.',
    });
  }
  const limited = limitOf(status, message, headers, host);
  if (limited !== undefined) return limited;
  if (status === 403) return refused(message, headers, asked);
  if (status === 404) return new Failure('not_found', `${host} has nothing there for ${repo}`);
  if (status === 410) {
    return new Failure('not_found', `${host} does not show that of ${repo}: it is switched off there`, {
      hint: 'What is stored stays. Run the same command again.',
    });
  }
  if (status === 407) {
    return new Failure('github_unavailable', 'the proxy wants a user name and password', {
      hint: 'Set HTTPS_PROXY to http://USER:PASSWORD@HOST:PORT.',
    });
  }
  if (status >= 500) {
    return new Failure('github_unavailable', `${host} answered with HTTP status ${String(status)}`, {
      hint: 'What came before is stored. Run the same command again later.',
    });
  }
  return new Failure('github_unavailable', `${host} refuses the request with HTTP status ${String(status)}`, {
    hint: 'An older GitHub Enterprise Server may not know it; gh-rag needs 3.9 or newer.',
  });
}

const UNTRUSTED = 'its certificate is not trusted';
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/certificate|self.signed/i, UNTRUSTED],
  [/ENOTFOUND|EAI_AGAIN/, 'its name is not known'],
  [/ECONNREFUSED/, 'the connection was refused'],
  [/bad port/, 'Node refuses to connect to that port'],
];

function unreachable(message: string, { host, setting, proxied }: Asked): Failure {
  const reason = REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? 'there is no answer';
  const hint = proxied
    ? 'A proxy is set, but Node uses it only with NODE_USE_ENV_PROXY=1 (Node 22.21, 24 and newer).'
    : reason === UNTRUSTED
      ? 'Name the certificate of your organisation in NODE_EXTRA_CA_CERTS.'
      : `Check the network and ${setting}, then run the same command again.`;
  return new Failure('github_unavailable', `${host} cannot be reached: ${reason}`, { hint });
}

/** Primary limit: nothing remains. Secondary: too many at once, whatever remains. */
function limitOf(status: number, message: string, headers: Headers, host: string): Failure | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const hint = 'What came before is stored. Run the same command again then.';
  const reset = Number(headers['x-ratelimit-reset']);
  if (String(headers['x-ratelimit-remaining']) === '0' && reset > 0) {
    const until = formatTime(reset * 1000);
    return new Failure('rate_limited', `${host} allows no more requests before ${until}`, { hint });
  }
  const retryAfter = Number(headers['retry-after']);
  if (status !== 429 && !/secondary rate|abuse/i.test(message) && !(retryAfter >= 0)) return undefined;
  const wait = retryAfter > 0 ? `for ${String(retryAfter)} s` : 'for a while';
  return new Failure('rate_limited', `${host} asks to be left alone ${wait}`, { hint });
}

function refused(message: string, headers: Headers, { host, repo }: Asked): Failure {
  const sso = headers['x-github-sso'];
  if (typeof sso === 'string') {
    const url = /url=(\S+)/.exec(sso)?.[1];
    return new Failure(
      'credential_required',
      `the organisation of ${repo} wants the token authorised for single sign-on`,
      {
        hint: url === undefined ? 'Authorise it in the settings of your tokens on GitHub.' : `Authorise it: ${url}`,
      },
    );
  }
  const needed = headers['x-accepted-oauth-scopes'] ?? headers['x-accepted-github-permissions'];
  const has = headers['x-oauth-scopes'];
  const lacks = typeof needed === 'string' && needed !== '' ? `; it needs one of: ${needed}` : '';
  if (/not accessible|scope|permission|must have/i.test(message) || lacks !== '') {
    const scopes = typeof has === 'string' ? ` (it has: ${has === '' ? 'no scope' : has})` : '';
    return new Failure('credential_required', `the token may not read ${repo}${scopes}${lacks}`, {
      hint: 'gh auth refresh -s repo, or a fine-grained token with read access to contents, issues and pull requests.',
    });
  }
  return new Failure('credential_required', `${host} does not let this token read ${repo}`, {
    hint: 'Use a token of somebody who can open the repository.',
  });
}

/** An answer that was cut off, or is none of GitHub. */
export function nonsense(host: string, what: string): Failure {
  return new Failure('github_unavailable', `the answer of ${host} was cut off, or is none of GitHub (${what})`, {
    hint: 'Nothing of it was used. Run the same command again.',
  });
}
