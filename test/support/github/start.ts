import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../src/lib/engine/clock.ts';
import type { Token } from './access.ts';
import { Api } from './api.ts';
import { type Fault, Faults, type Match, type Occasions, type Planned } from './faults.ts';
import type { GraphqlSettings } from './graphql.ts';
import { Hub } from './hub.ts';
import { Limits } from './limits.ts';
import type { NewRepository, Repository } from './repository.ts';
import type { RequestRecord } from './requests.ts';
import { GitHubServer, type Settings } from './server.ts';
import { type Quirks, World } from './world.ts';

/** The part of a test's context that is needed: `test('…', async (t) => { const gh = await startGitHub(t, { clock }) })`. */
export interface Finishing {
  onTestFinished(run: () => Promise<void>): unknown;
}

export type NewToken = Partial<Omit<Token, 'value' | 'user'>> & { readonly value: string; readonly login?: string };

/**
 * A GitHub of a test's own: a small project state, served over loopback as api.github.com and github.com serve it.
 *
 *     const gh = await startGitHub(t, { clock });
 *     const app = gh.repository('acme/app');
 *     const { number } = app.threads.openIssue({ title: 'Slow start' });
 *     app.comments.add(number, 'Same here', 'grace');
 *     gh.fault('/repos/{owner}/{repo}/issues', { kind: 'before', run: () => app.threads.close(1) }, { skip: 1 });
 *     // GH_TOKEN = gh.token, the API at gh.url, clones from `${gh.gitUrl}/acme/app.git`
 *
 * It lives in the process of the test: a program that is to talk to it must be started without blocking
 * (`spawn`, not `spawnSync`). Times come from the clock, cut to the second. What the fake does where GitHub's
 * description is silent is said at {@link Quirks} and where it is done.
 */
export interface GitHub {
  /** Root of the API as api.github.com has it, without a slash at the end. */
  readonly url: string;
  /** The same as a GitHub Enterprise Server has it; its GraphQL is at `/api/graphql`. */
  readonly enterpriseUrl: string;
  /** Root of git over HTTP. */
  readonly gitUrl: string;
  /** Of the user `ada`, who sees everything. */
  readonly token: string;
  /** Every request since the start or the last {@link forget}. */
  readonly requests: readonly RequestRecord[];
  readonly limits: Limits;
  readonly settings: Settings;
  readonly quirks: Quirks;
  readonly graphql: GraphqlSettings;
  /** The repository of that `owner/name`, made at the first mention, which may say more about it. */
  repository(fullName: string, fields?: NewRepository): Repository;
  /** Gives a new `owner/name`; the old one redirects until another repository takes it. */
  rename(repository: Repository, fullName: string): void;
  deleteRepository(repository: Repository): void;
  /** Adds a token, by default one that may do everything, of `login` (by default `ada`). Gives its value. */
  addToken(token: NewToken): string;
  revokeToken(value: string): void;
  /** Plans a fault for requests to come. */
  fault(match: Match, fault: Fault, occasions?: Occasions): Planned;
  /** Forgets the requests so far; planned faults stay. */
  forget(): void;
  /** Ends it, cutting open connections. The end of the test does it too. Fails where the fake itself failed. */
  stop(): Promise<void>;
}

/** Starts it on a free port of the loopback address. It stops when the test ends. */
export async function startGitHub(t: Finishing, { clock }: { clock: Clock }): Promise<GitHub> {
  const world = new World(clock);
  const hub = new Hub(world);
  const limits = new Limits(clock);
  const api = new Api(hub, limits, clock);
  const faults = new Faults();
  const server = new GitHubServer({ hub, api, faults, clock });
  server.http.listen(0, '127.0.0.1');
  await once(server.http, 'listening');
  const { port } = server.http.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}`;
  const addToken = ({ value, login = 'ada', ...rest }: NewToken): string => {
    const defaults = { scopes: ['repo', 'read:org'], private: true, ssoMissing: [], expiresAt: null };
    api.tokens.set(value, { ...defaults, ...rest, value, user: world.user(login) });
    return value;
  };
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const closed = once(server.http, 'close');
    server.http.close();
    server.http.closeAllConnections();
    await closed;
    hub.dispose();
    if (server.problems.length > 0) throw new AggregateError(server.problems, 'the fake GitHub failed');
  };
  const stopOnce = (): Promise<void> => (stopped ??= stop());
  t.onTestFinished(stopOnce);
  return {
    url,
    enterpriseUrl: `${url}/api/v3`,
    gitUrl: url,
    token: addToken({ value: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' }),
    requests: server.requests,
    limits,
    settings: server.settings,
    quirks: world.quirks,
    graphql: api.graphql,
    repository: (fullName, fields) => hub.repository(fullName, fields),
    rename: (repository, fullName) => {
      hub.rename(repository, fullName);
    },
    deleteRepository: (repository) => {
      hub.delete(repository);
    },
    addToken,
    revokeToken: (value) => {
      api.tokens.delete(value);
    },
    fault: (match, fault, occasions) => faults.plan(match, fault, occasions),
    forget: () => {
      server.requests.length = 0;
    },
    stop: stopOnce,
  };
}
