import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Failure } from '../../core/failure.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Database, Query, Rows, WriteOutcome, WriteStep } from '../../engine/database.ts';
import { Connection, sqliteCode } from './connection.ts';
import { databaseFailure } from './failures.ts';
import { snapshot } from './local.ts';
import { makeDirectory } from './open.ts';
import type { RemoteDatabase, RemoteServer } from './remote.ts';
import { remoteFailure } from './remote-failures.ts';
import { RequestError } from './remote-request.ts';
import { absence } from './replica-preflight.ts';
import { isReplica, readReplicaState, writeReplicaState } from './replica-state.ts';
import { ReplicaSync } from './replica-sync.ts';
import { foreignDatabase, requireSchema, TABLES_SQL, VERSION_SQL } from './schema-version.ts';

const BUSY_TIMEOUT_MS = 1000;

/** Syncs after a write until the copy has it; the pause doubles. */
const CATCH_UP_SYNCS = 6;
const CATCH_UP_PAUSE_MS = 15;

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
  #opened: Connection | undefined;
  readonly #sync: ReplicaSync;
  #synced = false;
  #timer: NodeJS.Timeout | undefined;
  #stale = false;
  /** Own writes that the copy did not have yet when it was last looked at. */
  readonly #awaited = new Set<string>();

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const { file, server } = options;
    this.#sync = new ReplicaSync({ file, url: server.url, token: server.token });
    this.location = `${file}, a copy of ${server.location}`;
  }

  get staleSince(): number | null | undefined {
    return this.#stale ? (readReplicaState(this.#options.file)?.synced_at ?? null) : undefined;
  }

  async read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
    const copy = await this.#open();
    try {
      this.#requireSchema(copy);
      const rows = snapshot(copy, queries);
      return queries.map((each, index) => rows[index]?.map((row) => each.decode(row))) as Rows<Queries>;
    } catch (error) {
      throw replicaFailure(error, this.#options.file, this.location);
    }
  }

  async write(steps: readonly WriteStep[]): Promise<WriteOutcome> {
    this.#requireOwnCopy();
    const deadline = performance.now() + this.#options.server.timeoutMs;
    const { outcome, id } = await this.#options.primary.writeTraceably(steps);
    if (outcome.applied) this.#awaited.add(id);
    // It is applied, or refused because of something newer than the copy. Without a sync the copy is older, not wrong.
    await this.#catchUp(deadline).catch(() => {
      this.#stale = true;
    });
    return outcome;
  }

  /**
   * Brings the copy up to date. Tells whether it is; false where the server is away, or gives out less than was written.
   * Fails where it refuses.
   */
  async sync(): Promise<boolean> {
    await this.#update();
    return !this.#stale;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#copy?.catch(() => undefined);
    this.#copy = undefined;
    this.#opened?.close();
    this.#opened = undefined;
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
    // A write was first, and brought it up to date.
    const reason = this.#synced && !this.#stale ? undefined : await this.#update();
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
    this.#opened = this.#connection();
    return this.#opened;
  }

  #connection(): Connection {
    return new Connection(`${pathToFileURL(this.#options.file).href}?mode=ro`, BUSY_TIMEOUT_MS);
  }

  /** Syncs until the copy has every own write, a bounded number of times. */
  async #catchUp(deadline: number): Promise<void> {
    for (let count = 1, pause = CATCH_UP_PAUSE_MS; ; count += 1, pause *= 2) {
      const reason = await this.#update();
      const hopeless = reason !== undefined || count >= CATCH_UP_SYNCS || performance.now() + pause > deadline;
      if (!this.#stale || hopeless) return;
      await delay(pause);
    }
  }

  /** Syncs once and notes whether the copy is in step. Gives the reason where the server does not answer. */
  async #update(): Promise<RequestError | undefined> {
    this.#requireOwnCopy();
    const reason = await absence(this.#options.server);
    this.#stale = reason !== undefined || !(await this.#transfer());
    return reason;
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
    // A server that lost its log, or a part of a cluster that is behind, also has a sync succeed.
    const complete = this.#hasOwnWrites();
    const synced_at = complete ? clock.now() : (readReplicaState(file)?.synced_at ?? null);
    writeReplicaState(file, { primary: server.url, synced_at });
    return complete;
  }

  /** Tells whether the copy has all own writes. */
  #hasOwnWrites(): boolean {
    if (this.#awaited.size === 0) return true;
    const copy = this.#opened ?? this.#connection();
    try {
      for (const id of this.#awaited) {
        if (copy.all(APPLIED_SQL, [id]).length > 0) this.#awaited.delete(id);
      }
    } catch {
      // It is so far behind that it has no such table, or cannot be read at all.
      return false;
    } finally {
      if (copy !== this.#opened) copy.close();
    }
    return this.#awaited.size === 0;
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

const APPLIED_SQL = 'SELECT 1 FROM applied_writes WHERE id = ?';

function bytesOf(file: string): number {
  const sizes = [file, `${file}-wal`].map((each) => (existsSync(each) ? statSync(each).size : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A copy is nothing of its own: a damaged one is made anew. */
function replicaFailure(error: unknown, file: string, location: string): unknown {
  const code = sqliteCode(error);
  if (code !== 'SQLITE_CORRUPT' && code !== 'SQLITE_NOTADB') return databaseFailure(error, location);
  return new Failure('database_unavailable', `the local copy ${file} is damaged`, {
    hint: `Nothing is lost: remove ${file} and the files beside it that begin so; the next run copies it anew.`,
    cause: error,
  });
}
