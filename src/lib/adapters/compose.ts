import { join } from 'node:path';
import { Failure } from '../core/failure.ts';
import { sha256Hex } from '../core/hash.ts';
import { formatTime } from '../core/time.ts';
import { allowedBy } from '../engine/allow-list.ts';
import type { Contracts } from '../engine/contracts.ts';
import type { OpenDatabase } from '../engine/databases.ts';
import type { Engine } from '../engine/engine.ts';
import type { VerifiedUser } from '../engine/identity.ts';
import type { Progress } from '../engine/progress.ts';
import { systemClock } from './clock.ts';
import { type ConfigFile, readServerEnvironment } from './config.ts';
import { type DatabaseLocation, databaseLocation } from './database-location.ts';
import { databasesBy } from './databases.ts';
import { lazyEmbedder } from './embedders/lazy.ts';
import { systemEntropy } from './entropy.ts';
import { fileSystem } from './files.ts';
import { gitProcess } from './git/git.ts';
import { gitMirror } from './git/mirror.ts';
import { githubLive } from './github/live.ts';
import type { VerificationOptions } from './github/principal.ts';
import { githubSource } from './github/source.ts';
import { openLocal } from './libsql/open.ts';
import { openRemote, openReplica } from './libsql/open-remote.ts';
import { isReplica } from './libsql/replica-state.ts';
import { readModelSettings } from './model-settings.ts';
import { packageRoot } from './package-root.ts';
import { pause } from './pause.ts';
import { systemPresence } from './presence.ts';
import { lazyReranker } from './rerankers/lazy.ts';

export interface SharedOptions {
  /** Path or URL; undefined for the default file in the data directory. */
  readonly db: string | undefined;
  readonly dataDir: string;
  /** Where it is kept who a token's user is. */
  readonly configDir: string;
  /** Names the models that help a search where the environment does not, and the repositories that there are. */
  readonly config?: ConfigFile | undefined;
  /** Asked for each engine which repositories there are, in place of the configuration. */
  readonly allowedRepos?: (() => Promise<readonly string[] | undefined>) | undefined;
  /** Where clones are kept. */
  readonly cacheDir: string;
  readonly busyTimeoutMs?: number | undefined;
  readonly contracts?: Contracts | undefined;
  /** How often a local copy of a server's database is brought up to date by itself, in milliseconds. */
  readonly syncEveryMs?: number | undefined;
  /** The environment; of the process unless given. */
  readonly variables?: NodeJS.ProcessEnv | undefined;
}

/** What all callers of one process share: the database. Engines are made from it, one per caller. */
export interface Shared {
  engineFor(signal: AbortSignal, progress: Progress): Promise<Engine>;
  close(): Promise<void>;
}

/** Puts the adapters together. Opens nothing: the database is opened by its first use. */
export function shareDatabase(options: SharedOptions): Shared {
  const { contracts } = options;
  const models = modelsOf(options);
  const { database, schema } = openDatabase(options);
  const files = fileSystem();
  const git = gitProcess();
  const mirror = gitMirror(options.cacheDir);
  const allowedRepos = options.allowedRepos ?? (() => Promise.resolve(options.config?.allowed_repos));
  const databases = databasesBy((location, argument) => openAt(location, options, argument));
  const caller = callerOf(options, database.backend);
  return {
    engineFor: async (signal, progress) => {
      const allowed = allowedBy(await allowedRepos());
      const github = { mirror, variables: options.variables, allowed };
      return {
        database,
        allowed,
        schema,
        clock: systemClock,
        entropy: systemEntropy,
        presence: systemPresence,
        ...(await caller()),
        files,
        git,
        ...models,
        identity: { verify: (forCaller) => verifyNow(options, forCaller) },
        github: githubLive(github),
        source: githubSource({
          ...github,
          onRetry: (message) => {
            progress.note(message);
          },
        }),
        pause,
        progress,
        signal,
        contracts,
        databases,
      };
    },
    close: () => database.close(),
  };
}

/** One object of each for the life of the process; nothing is asked or loaded before its first use. */
function modelsOf({ config = {}, variables }: SharedOptions): Pick<Engine, 'embedder' | 'reranker'> {
  const { embedder, reranker } = readModelSettings(config, variables);
  return {
    embedder: embedder === 'lsa' || embedder === null ? embedder : lazyEmbedder(embedder),
    reranker: reranker === null ? null : lazyReranker(reranker),
  };
}

/** How long the first verification of a token may keep a command on a local file waiting, in milliseconds. */
const LOCAL_TIMEOUT_MS = 2000;

/** Who could not be verified may be later: how long a server over a local file waits with that, in milliseconds. */
const LOCAL_RETRY_MS = 60_000;

type Caller = Pick<Engine, 'principal' | 'principalProblem'>;

/**
 * Finds out who calls, once; a failure to is found out again. On a local file whoever has no verified token is its local
 * user; elsewhere nobody.
 */
function callerOf(options: SharedOptions, backend: Engine['database']['backend']): () => Promise<Caller> {
  const isLocal = backend === 'local';
  let known: { readonly caller: Promise<Caller>; readonly at: number } | undefined;
  const find = async (): Promise<Caller> => {
    // Loaded here, so that a usage error does not wait for it.
    const { verifiedPrincipal } = await import('./github/principal.ts');
    const found = await verifiedPrincipal(verificationOf(options, isLocal ? LOCAL_TIMEOUT_MS : undefined));
    if (found.principal !== null) return found;
    const { principalProblem, hasToken } = found;
    if (!isLocal) return { principal: null, principalProblem };
    return { principal: { kind: 'local' }, ...(hasToken && { principalProblem }) };
  };
  return async () => {
    const now = systemClock.now();
    const { principal } = (await known?.caller.catch(() => undefined)) ?? { principal: null };
    const keep = principal?.kind === 'github' || (isLocal && known !== undefined && now - known.at < LOCAL_RETRY_MS);
    if (known !== undefined && keep) return known.caller;
    const caller = find();
    known = { caller, at: now };
    return caller;
  };
}

function verificationOf({ configDir, variables }: SharedOptions, timeoutMs?: number): VerificationOptions {
  return { configDir, variables, timeoutMs, now: () => formatTime(systemClock.now()) };
}

async function verifyNow(options: SharedOptions, signal: AbortSignal): Promise<VerifiedUser> {
  const principal = await import('./github/principal.ts');
  return principal.verifyNow(verificationOf(options), signal);
}

function openDatabase(options: SharedOptions): OpenDatabase {
  const { db, dataDir, syncEveryMs } = options;
  const { token, syncUrl } = readServerEnvironment(options.variables);
  const common = { migrations: join(packageRoot(), 'migrations'), clock: systemClock };
  const location = db === undefined ? undefined : databaseLocation(db);
  if (syncUrl !== undefined) {
    const { kind: _kind, ...server } = serverOf(syncUrl);
    if (location?.kind === 'server') {
      throw new Failure('invalid_input', 'db: must be a file while GH_RAG_SYNC_URL is set', {
        hint: 'Unset GH_RAG_SYNC_URL to use the server directly.',
      });
    }
    const file = location?.path ?? join(dataDir, replicaName(server.url));
    return openReplica({ ...common, file, server: { ...server, token }, syncEveryMs });
  }
  return openAt(location ?? { kind: 'file', path: join(dataDir, 'gh-rag.db') }, options);
}

/** Opens what a location names; `argument` is who named it. */
function openAt(location: DatabaseLocation, options: SharedOptions, argument = 'db'): OpenDatabase {
  const common = { migrations: join(packageRoot(), 'migrations'), clock: systemClock };
  if (location.kind === 'server') {
    const { url, host, location: name } = location;
    const { token } = readServerEnvironment(options.variables);
    return openRemote({ ...common, server: { url, host, location: name, token } });
  }
  if (isReplica(location.path)) {
    throw new Failure('invalid_input', `${argument}: ${location.path} is the copy of a server's database`, {
      hint: 'Set GH_RAG_SYNC_URL to that server, or name another file.',
    });
  }
  return openLocal({ ...common, file: location.path, busyTimeoutMs: options.busyTimeoutMs });
}

function serverOf(syncUrl: string) {
  const location = databaseLocation(syncUrl, 'GH_RAG_SYNC_URL');
  if (location.kind === 'server') return location;
  throw new Failure('invalid_input', 'GH_RAG_SYNC_URL: must be the URL of a database server', {
    hint: 'Give it as libsql://HOST, as Turso and sqld print it.',
  });
}

/** One copy per server. */
function replicaName(url: string): string {
  return `replica-${sha256Hex(url).slice(0, 16)}.db`;
}

/** One engine for one command. */
export async function composeEngine(
  options: SharedOptions & { readonly progress: Progress; readonly signal: AbortSignal },
): Promise<{ engine: Engine; close(): Promise<void> }> {
  const shared = shareDatabase(options);
  return { engine: await shared.engineFor(options.signal, options.progress), close: () => shared.close() };
}
