import type { Octokit } from 'octokit';
import * as z from 'zod';
import { Failure } from '../../core/failure.ts';
import { type Allowed, requireAllowed } from '../../engine/allow-list.ts';
import type { RequestBudget } from '../../engine/github.ts';
import { type Api, apiFrom } from './api.ts';
import { fetchOf, NOT_TO_BE_RETRIED } from './attempts.ts';
import { type Credential, findCredential, requireUsable } from './credential.ts';
import { failureOf, graphqlLimit, type Headers, type RequestFailure, requestFailure } from './failures.ts';

export interface ClientOptions {
  readonly variables: NodeJS.ProcessEnv;
  /** Repositories that may be read; all unless given. */
  readonly allowed?: Allowed | undefined;
  /** Longest wait for a rate limit to pass, in seconds; a longer one is a failure that says until when. */
  readonly maxWaitSeconds?: number | undefined;
  /** How often a request that failed in the network or in the server is made again. */
  readonly retries?: number | undefined;
  /** Told what went wrong, before it is tried again. */
  readonly onRetry?: ((message: string) => void) | undefined;
}

/** An answer that came whole as far as HTTP can tell; its body is still to be checked. */
export interface ClientAnswer {
  readonly data: unknown;
  readonly headers: Headers;
}

const MAX_WAIT_SECONDS = 60;
const RETRIES = 3;
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Octokit with a token that is looked for at the first request; counts requests, and keeps what is left of the limit. */
export class GitHubClient {
  requests = 0;
  budget: RequestBudget | undefined;
  /** What is asked. */
  readonly api: Api;
  readonly #options: ClientOptions;
  #open: Promise<{ octokit: Octokit; credential: Credential }> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.api = apiFrom(options.variables);
  }

  /** Fails with `credential_required` where there is no token. */
  async credential(repo: string): Promise<Credential> {
    return (await this.#client(repo)).credential;
  }

  /**
   * `GET` of a path below `/repos/OWNER/NAME`. Undefined for 304; `gone` for the statuses that mean it there. Fails as a
   * GitHubSource does.
   */
  async get<Gone extends number = never>(
    repo: string,
    path: string,
    parameters: Record<string, unknown>,
    signal: AbortSignal,
    gone: readonly Gone[] = [],
  ): Promise<ClientAnswer | ([Gone] extends [never] ? never : 'gone') | undefined> {
    try {
      if (leadsOut(`${repo}${path}`)) throw NOTHING_THERE;
      return await this.#send(repo, `GET /repos/${repo}${path}`, parameters, signal);
    } catch (error) {
      const failure = requestFailure(error);
      if (failure?.status === 304) return undefined;
      const statuses: readonly number[] = gone;
      // Without statuses that mean it, it is never answered.
      if (typeof failure?.status === 'number' && statuses.includes(failure.status)) return 'gone' as never;
      throw failure === undefined ? error : failureOf(failure, this.#asked(repo));
    }
  }

  /**
   * The data and the errors of a GraphQL query, unchecked; undefined where the server refuses GraphQL as such, or gives the
   * query up, as GitHub does when it takes too long.
   */
  async graphql(
    repo: string,
    query: string,
    variables: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<ClientAnswer | undefined> {
    const { credential } = await this.#client(repo);
    const url = `${credential.apiUrl.replace(/\/api\/v3$/, '/api')}/graphql`;
    try {
      const response = await this.#send(repo, `POST ${url}`, { query, variables }, signal);
      if (isLimit(response.data)) throw failureOf(graphqlLimit(response.headers), this.#asked(repo));
      return response;
    } catch (error) {
      if (error instanceof Failure) throw error;
      const failure = requestFailure(error);
      if (failure === undefined) throw error;
      const known = failureOf(failure, this.#asked(repo));
      if (WITHOUT_GRAPHQL.includes(failure.status) && known.code !== 'rate_limited') return undefined;
      throw known;
    }
  }

  /** Whether there is a user or organisation of that name. Fails as a GitHubSource does where something else says no. */
  async hasOwner(repo: string, signal: AbortSignal): Promise<boolean> {
    const [owner = ''] = repo.split('/', 1);
    try {
      await this.#send(repo, `GET /users/${owner}`, {}, signal);
      return true;
    } catch (error) {
      const failure = requestFailure(error);
      if (failure === undefined) throw error;
      if (failure.status === 'foreign') throw failureOf(failure, this.#asked(repo));
      return failure.status !== 404;
    }
  }

  async #send(
    repo: string,
    route: string,
    parameters: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<ClientAnswer> {
    requireAllowed(this.#options.allowed ?? 'all', repo);
    const { octokit } = await this.#client(repo);
    throwIfAborted(signal);
    this.requests += 1;
    // Octokit's waits between attempts do not end with the signal.
    const abortion = abortionOf(signal);
    try {
      const response = await Promise.race([
        octokit.request(route, { ...parameters, request: { signal, fetch: this.#attempts(repo, signal) } }),
        abortion.promise,
      ]);
      const headers = response.headers as Headers; // Octokit gives the names in lower case
      this.#note(headers);
      return { data: response.data as unknown, headers };
    } catch (error) {
      throwIfAborted(signal);
      const failure = requestFailure(error);
      this.#note(failure?.headers ?? {});
      // A server that lives long looks for a new token then.
      if (failure?.status === 401) this.#open = undefined;
      throw error;
    } finally {
      abortion.stop();
    }
  }

  #attempts(repo: string, signal: AbortSignal): typeof fetch {
    const { retries = RETRIES, onRetry } = this.#options;
    const tell = (failure: RequestFailure, waitSeconds: number): void =>
      onRetry?.(`${failureOf(failure, this.#asked(repo)).message}; trying again in ${String(waitSeconds)} s`);
    return fetchOf({ retries, signal, onRetry: tell });
  }

  #note(headers: Headers): void {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);
    // GraphQL has a limit of its own, in points.
    const resource = headers['x-ratelimit-resource'] ?? 'core';
    if (resource !== 'core' || limit === undefined || remaining === undefined) return;
    this.budget = { limit: Number(limit), remaining: Number(remaining), resetsAt: Number(reset ?? 0) * 1000 };
  }

  #client(repo: string) {
    this.#open ??= this.#connect(repo);
    return this.#open;
  }

  async #connect(repo: string): Promise<{ octokit: Octokit; credential: Credential }> {
    const { variables, maxWaitSeconds = MAX_WAIT_SECONDS, retries = RETRIES } = this.#options;
    const credential = await findCredential(variables);
    if (credential === undefined) {
      throw new Failure('credential_required', `reading ${repo} from GitHub needs a token, and there is none`, {
        hint: 'Run gh auth login, or set GH_TOKEN (of an enterprise host: GH_HOST and GH_ENTERPRISE_TOKEN).',
      });
    }
    requireUsable(credential, this.api.setting);
    // Loaded here: only indexing from GitHub waits for it.
    const { Octokit } = await import('octokit');
    const wait = (seconds: number, _options: unknown, _octokit: unknown, count: number): boolean =>
      seconds <= maxWaitSeconds && count < 2;
    const octokit = new Octokit({
      auth: credential.token,
      baseUrl: credential.apiUrl,
      userAgent: 'gh-rag',
      log: quiet,
      // Not as an option of requests: that makes it try again whatever the answer was.
      retry: { enabled: retries > 0, retries, doNotRetry: NOT_TO_BE_RETRIED },
      throttle: { onRateLimit: wait, onSecondaryRateLimit: wait, write: UNSPACED },
    });
    return { octokit, credential };
  }

  #asked(repo: string) {
    return { ...this.api, repo };
  }
}

/** Whether a path would be one of something else: an address takes such segments for a way up. */
function leadsOut(path: string): boolean {
  return path.split('/').some((segment) => segment === '.' || segment === '..');
}

/** As Octokit throws what a server answers. */
const NOTHING_THERE = Object.assign(new Error('Not Found'), {
  status: 404,
  response: { headers: {}, data: { message: 'Not Found' } },
});

/**
 * Statuses after which the same is asked for by REST, which then tells what is there and whether GitHub answers at all. 500 is
 * what Octokit makes of a query that GitHub gave up.
 */
const WITHOUT_GRAPHQL: readonly unknown[] = [400, 403, 404, 'foreign', 410, 500, 501, 502, 504];

const limited = z.object({ errors: z.array(z.object({ type: z.string().optional() })) });

/** Whether an answer of GraphQL tells of its limit. Octokit knows the older of the two names only. */
function isLimit(data: unknown): boolean {
  const { errors = [] } = limited.safeParse(data).data ?? {};
  return errors.some(({ type }) => type === 'RATE_LIMIT' || type === 'RATE_LIMITED');
}

/** Octokit spaces writes by a second and takes every GraphQL query for one; ours only read. */
const UNSPACED = { key: () => ({ schedule: (_options: unknown, work: () => Promise<void>) => work() }) } as never; // only `key` is used of a group

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted(signal);
}

/** Rejects once the signal is aborted, unless it was stopped before. */
function abortionOf(signal: AbortSignal): { readonly promise: Promise<never>; stop(): void } {
  let onAbort = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(interrupted(signal));
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  return {
    promise,
    stop: () => {
      signal.removeEventListener('abort', onAbort);
    },
  };
}

function interrupted(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason;
  if (reason instanceof Failure) return reason;
  return new Failure('interrupted', 'reading from GitHub was interrupted', { cause: reason });
}
