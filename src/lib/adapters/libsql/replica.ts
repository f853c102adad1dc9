import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Failure } from '../../core/failure.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Database, Query, Rows, WriteOutcome, WriteStep } from '../../engine/database.ts';
import { Connection } from './connection.ts';
import { databaseFailure } from './failures.ts';
import { snapshot } from './local.ts';
import { makeDirectory } from './open.ts';
import type { RemoteDatabase, RemoteServer } from './remote.ts';
import { remoteFailure } from './remote-failures.ts';
import { boundedFetch, RequestError } from './remote-request.ts';
import { isReplica, readReplicaState, writeReplicaState } from './replica-state.ts';
import { ReplicaSync } from './replica-sync.ts';
import { foreignDatabase, requireSchema, TABLES_SQL, VERSION_SQL } from './schema-version.ts';

/** How long the server may take to say that it is there. */
const PREFLIGHT_MS = 2500;

const BUSY_TIMEOUT_MS = 1000;

export interface ReplicaOptions {
  readonly file: string;
  readonly primary: RemoteDatabase;
  readonly server: RemoteServer;
  readonly clock: Clock;
  readonly schemaVersion: () => number;
  readonly syncEveryMs?: number | undefined;
}

/**
 * The Database port on a local copy of a server's database. Reads come from the copy, writes go to the server and are
 * followed by a sync, so that they can be read at once.
 *
 * The native library blocks without a timeout where the server is away, so the server is asked first, with a timeout. The
 * copy is read by a connection that cannot write: what is written into a copy is lost.
 */
export class ReplicaDatabase implements Database {
  readonly backend = 'replica';
  readonly location: string;
  readonly #options: ReplicaOptions;
  #copy: Promise<Connection> | undefined;
  readonly #sync: ReplicaSync;
  #synced = false;
  #timer: NodeJS.Timeout | undefined;
  #away = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const { file, server } = options;
    this.#sync = new ReplicaSync({ file, url: server.url, token: server.token });
    this.location = `${file}, a copy of ${server.location}`;
  }

  get staleSince(): number | null | undefined {
    return this.#away ? (readReplicaState(this.#options.file)?.synced_at ?? null) : undefined;
  }

  async read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
    const copy = await this.#open();
    try {
      this.#requireSchema(copy);
      const rows = snapshot(copy, queries);
      return queries.map((each, index) => rows[index]?.map((row) => each.decode(row))) as Rows<Queries>;
    } catch (error) {
      throw databaseFailure(error, this.location);
    }
  }

  async write(steps: readonly WriteStep[]): Promise<WriteOutcome> {
    this.#requireOwnCopy();
    const outcome = await this.#options.primary.write(steps);
    // It is applied, or refused because of something newer than the copy. Without a sync the copy is older, not wrong.
    await this.sync().catch(() => {
      this.#away = true;
    });
    return outcome;
  }

  /** Brings the copy up to date. Tells whether it is; false where the server is away. Fails where it refuses. */
  async sync(): Promise<boolean> {
    this.#requireOwnCopy();
    const reason = await this.#absence();
    this.#away = reason !== undefined || !(await this.#transfer());
    return !this.#away;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const opened = this.#copy;
    this.#copy = undefined;
    const copy = await opened?.catch(() => undefined);
    copy?.close();
    await this.#sync.close();
    await this.#options.primary.close();
  }

  #open(): Promise<Connection> {
    this.#copy ??= this.#connect().catch((error: unknown) => {
      this.#copy = undefined;
      throw error;
    });
    return this.#copy;
  }

  async #connect(): Promise<Connection> {
    const { file, server, syncEveryMs } = this.#options;
    this.#requireOwnCopy();
    const reason = await this.#absence();
    this.#away = reason !== undefined || !(await this.#transfer());
    if (!existsSync(file) || statSync(file).size === 0) {
      const failure = remoteFailure(reason ?? new RequestError('network'), server.host);
      const why = failure instanceof Failure ? failure.message : 'the server is away';
      throw new Failure('database_unavailable', `there is no copy of the database yet, and ${why}`, {
        hint: 'Run the same command when the server can be reached: the first run copies it.',
        cause: reason,
      });
    }
    if (syncEveryMs !== undefined) {
      this.#timer = setInterval(() => void this.sync().catch(() => undefined), syncEveryMs).unref();
    }
    return new Connection(`${pathToFileURL(file).href}?mode=ro`, BUSY_TIMEOUT_MS);
  }

  /** Why the server does not answer; undefined where it does. Fails where it answers and refuses. */
  async #absence(): Promise<RequestError | undefined> {
    const { url, host, token, timeoutMs } = this.#options.server;
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const info = new URL('info', url.endsWith('/') ? url : `${url}/`);
    try {
      const response = await boundedFetch(Math.min(PREFLIGHT_MS, timeoutMs), /^/)(new Request(info, { headers }));
      await response.json();
      return undefined;
    } catch (error) {
      if (!(error instanceof RequestError)) return new RequestError('not_libsql', { cause: error });
      if (error.problem === 'credential') throw remoteFailure(error, host);
      if (error.problem === 'not_found') {
        throw new Failure('database_unavailable', `the database server ${host} gives out no copies`, {
          hint: 'Unset GH_RAG_SYNC_URL and put its URL into GH_RAG_DB.',
          cause: error,
        });
      }
      return error;
    }
  }

  /** Tells whether the copy is in step. */
  async #transfer(): Promise<boolean> {
    const { file, server, clock } = this.#options;
    const first = !isReplica(file);
    if (first) makeDirectory(dirname(file));
    // A first copy takes as long as it takes, while something arrives.
    const inStep = await this.#sync.run(server.timeoutMs, first ? () => bytesOf(file) : undefined);
    for (const each of [file, `${file}-wal`, `${file}-info`]) if (existsSync(each)) chmodSync(each, 0o600);
    if (!inStep) return false;
    this.#synced = true;
    writeReplicaState(file, { primary: server.url, synced_at: clock.now() });
    return true;
  }

  /** A file of another kind or of another server must not be synced over. */
  #requireOwnCopy(): void {
    const { file, server } = this.#options;
    if (this.#synced || !existsSync(file)) return;
    const known = readReplicaState(file)?.primary;
    if (isReplica(file) && (known === undefined || known === server.url)) return;
    const what = known === undefined ? 'is no copy of a database server' : 'is the copy of another database server';
    throw new Failure('invalid_input', `db: ${file} ${what}`, {
      hint: 'Name another file with --db, or unset GH_RAG_SYNC_URL to use this one as it is.',
    });
  }

  #requireSchema(copy: Connection): void {
    const { schemaVersion } = this.#options;
    const [tables] = copy.all(TABLES_SQL, []);
    if (tables?.ledger !== 1 && tables?.tables !== 0) throw foreignDatabase(this.location);
    const [row] = tables.ledger === 1 ? copy.all(VERSION_SQL, []) : [];
    requireSchema(this.location, row === undefined ? 0 : Number(row.version), schemaVersion());
  }
}

function bytesOf(file: string): number {
  const sizes = [file, `${file}-wal`].map((each) => (existsSync(each) ? statSync(each).size : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}
