import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Database, Durability, Query, Rows, SqlRow, WriteOutcome, WriteStep } from '../../engine/database.ts';
import { Connection, isBusy } from './connection.ts';
import { busyFailure, databaseFailure } from './failures.ts';

export interface LocalOptions {
  readonly file: string;
  /** How long a call waits for another writer before it fails with `database_busy`, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** Runs before each opening of the file. */
  readonly beforeOpen: () => void;
  /** Runs once on each new connection, before its first use; may fail with a schema failure. */
  readonly prepare: (connection: Connection, lock: LockRetry) => Promise<void>;
}

/** Retries `attempt` while the database is locked, until the busy timeout is over. */
export type LockRetry = <T>(attempt: () => T) => Promise<T>;

// A single busy wait inside SQLite blocks the event loop, so it is kept short and repeated with pauses.
const BLOCKING_WAIT_MS = 10;
/** How long calls may follow each other without a turn of the event loop. */
const BREATHLESS_MS = 20;

/** The Database port on a local file. Opens it at the first use. */
export class LocalDatabase implements Database {
  readonly backend = 'local';
  readonly location: string;
  readonly #options: LocalOptions;
  #connection: Promise<Connection> | undefined;
  #writers: Promise<unknown> = Promise.resolve();
  #breathedAt = performance.now();

  constructor(options: LocalOptions) {
    this.#options = options;
    this.location = options.file;
  }

  async read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
    const rows = await this.#attempt((connection) => snapshot(connection, queries));
    // Each element was decoded by the query at its place, which is what Rows says.
    return queries.map((each, index) => rows[index]?.map((row) => each.decode(row))) as Rows<Queries>;
  }

  /** Writers of this process queue here: two of them waiting for the file lock would only starve each other. */
  write(steps: readonly WriteStep[], durability: Durability = 'full'): Promise<WriteOutcome> {
    const done = this.#writers.then(() =>
      this.#attempt((connection) => {
        connection.durability = durability;
        return applyBatch(connection, steps);
      }),
    );
    this.#writers = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    await this.#writers;
    const opened = this.#connection;
    this.#connection = undefined;
    if (opened === undefined) return;
    const connection = await opened.catch(() => undefined);
    connection?.close();
  }

  async #attempt<T>(work: (connection: Connection) => T): Promise<T> {
    await this.#breathe();
    try {
      return await this.#retryLocked(async () => {
        const connection = await this.#open();
        try {
          return work(connection);
        } catch (error) {
          if (connection.poisoned) this.#discard(connection);
          throw error;
        }
      });
    } catch (error) {
      throw databaseFailure(error, this.#options.file);
    }
  }

  /**
   * The driver is synchronous: whoever calls again and again would let no signal (Ctrl-C), timer or socket be looked at.
   */
  async #breathe(): Promise<void> {
    if (performance.now() - this.#breathedAt < BREATHLESS_MS) return;
    await turn();
    this.#breathedAt = performance.now();
  }

  /** One attempt always runs; a busy one is repeated after a jittered pause while the timeout lasts. */
  async #retryLocked<T>(attempt: () => T | Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#options.busyTimeoutMs;
    for (let pause = 2; ; pause = Math.min(pause * 1.7, 60)) {
      try {
        return await attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        const left = deadline - performance.now();
        if (left <= 0) throw busyFailure(this.#options.file, this.#options.busyTimeoutMs, error);
        await delay(Math.min(left, pause * (0.5 + Math.random())));
      }
    }
  }

  #open(): Promise<Connection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const { file, busyTimeoutMs, beforeOpen, prepare } = this.#options;
    beforeOpen();
    const connection = new Connection(file, Math.min(BLOCKING_WAIT_MS, busyTimeoutMs));
    try {
      await prepare(connection, (attempt) => this.#retryLocked(attempt));
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #discard(connection: Connection): void {
    this.#connection = undefined;
    connection.close();
  }
}

/** Runs queries in order against one snapshot. */
export function snapshot(connection: Connection, queries: readonly Query<unknown>[]): SqlRow[][] {
  const [only, ...more] = queries;
  if (only !== undefined && more.length === 0) return [connection.all(only.sql, only.args)];
  connection.exec('BEGIN');
  try {
    return queries.map((each) => connection.all(each.sql, each.args));
  } finally {
    connection.exec('ROLLBACK');
  }
}

function applyBatch(connection: Connection, steps: readonly WriteStep[]): WriteOutcome {
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const step of steps) {
      if (step.kind === 'change') connection.run(step.sql, step.args);
      else if (!holds(connection, step.condition, step.args)) {
        connection.exec('ROLLBACK');
        return { applied: false, guard: step.name };
      }
    }
    connection.exec('COMMIT');
    return { applied: true };
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function holds(connection: Connection, condition: string, args: Query<unknown>['args']): boolean {
  const [row] = connection.all(`SELECT coalesce((${condition}), 0) <> 0 AS holds`, args);
  return row?.holds === 1;
}
