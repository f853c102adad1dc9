import { randomUUID } from 'node:crypto';
import type { InStatement, ResultSet } from '@libsql/client/http';
import type { Database, Query, Rows, WriteOutcome, WriteStep } from '../../engine/database.ts';
import { Attempts, codeOf } from './remote-attempts.ts';
import { remoteFailure, unknownOutcome } from './remote-failures.ts';
import { boundedFetch } from './remote-request.ts';
import { fence, ID_STATEMENT, type RemoteWrite, remoteWrite } from './remote-write.ts';
import { foreignDatabase, requireSchema, TABLES_SQL, VERSION_SQL } from './schema-version.ts';
import { rowsOf, wireStatement } from './wire-values.ts';

/** All of an operation: its repetitions and pauses included. */
export const REMOTE_TIMEOUT_MS = 9000;

/** A database server. */
export interface RemoteServer {
  /** `http:` or `https:`, without credentials. */
  readonly url: string;
  /** Host and port: what failures name. */
  readonly host: string;
  /** As the user names it, fit for printing. */
  readonly location: string;
  readonly token: string | undefined;
  readonly timeoutMs: number;
}

/** Sends batches to a server. Each is one request and one transaction. */
export class RemoteConnection {
  readonly server: RemoteServer;

  constructor(server: RemoteServer) {
    this.server = server;
  }

  /** Throws a RequestError, or the client's error of the statement that failed. */
  async batch(statements: readonly InStatement[], mode: 'read' | 'write', timeoutMs: number): Promise<ResultSet[]> {
    // Loaded here: a local database never needs it.
    const { createClient } = await import('@libsql/client/http');
    const { url, token } = this.server;
    const client = createClient({
      url,
      fetch: boundedFetch(timeoutMs),
      ...(token !== undefined && { authToken: token }),
    });
    try {
      return await client.batch([...statements], mode);
    } finally {
      client.close();
    }
  }

  /** A batch that only reads, repeated within the time of `attempts`. */
  read(statements: readonly InStatement[], attempts = new Attempts(this.server.timeoutMs)): Promise<ResultSet[]> {
    return attempts.run((timeoutMs) => this.batch(statements, 'read', timeoutMs));
  }

  /** Number of migrations that the database has; 0 for an empty one. Fails for one of another program. */
  async schemaVersion(): Promise<number> {
    const first = async (sql: string) => {
      const [result] = await this.read([wireStatement(sql, [])]);
      return result === undefined ? undefined : rowsOf(result)[0];
    };
    const tables = await first(TABLES_SQL);
    if (tables?.ledger === 1) return Number((await first(VERSION_SQL))?.version);
    if (tables?.tables !== 0) throw foreignDatabase(this.server.location);
    return 0;
  }

  /** What a person is told of `error`. */
  failure(error: unknown): unknown {
    return remoteFailure(error, this.server.host);
  }
}

/** The Database port on a server. Nothing is asked of it before the first use. */
export class RemoteDatabase implements Database {
  readonly backend = 'remote';
  readonly location: string;
  readonly #connection: RemoteConnection;
  readonly #schemaVersion: () => number;
  #schemaSeen = false;

  /** `schemaVersion` tells how many migrations this program has. */
  constructor(server: RemoteServer, schemaVersion: () => number) {
    this.#connection = new RemoteConnection(server);
    this.#schemaVersion = schemaVersion;
    this.location = server.location;
  }

  async read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
    const results = queries.length === 0 ? [] : await this.#checkedRead(queries);
    // Each element was decoded by the query at its place, which is what Rows says.
    return queries.map((each, index) => {
      const result = results[index];
      return result === undefined ? [] : rowsOf(result).map((row) => each.decode(row));
    }) as Rows<Queries>;
  }

  async write(steps: readonly WriteStep[]): Promise<WriteOutcome> {
    return (await this.writeTraceably(steps)).outcome;
  }

  /** As {@link write}, with the id under which `applied_writes` has it wherever an applied write has arrived. */
  async writeTraceably(steps: readonly WriteStep[]): Promise<{ outcome: WriteOutcome; id: string }> {
    const write = remoteWrite(randomUUID(), [
      { kind: 'guard', name: SCHEMA_GUARD, condition: `(${VERSION_SQL}) = ?`, args: [this.#schemaVersion()] },
      ...steps,
    ]);
    const outcome = await this.#explained(() => this.#exactlyOnce(write));
    if (outcome.applied || outcome.guard !== SCHEMA_GUARD) return { outcome, id: write.id };
    await this.#checkSchema();
    // It was migrated in this moment.
    return this.writeTraceably(steps);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The version of the schema travels with the first read. */
  async #checkedRead(queries: readonly Query<unknown>[]): Promise<ResultSet[]> {
    const statements = queries.map(({ sql, args }) => wireStatement(sql, args));
    if (this.#schemaSeen) return this.#explained(() => this.#connection.read(statements));
    return this.#explained(async () => {
      const [version, ...results] = await this.#connection.read([wireStatement(VERSION_SQL, []), ...statements]);
      this.#requireSchema(version === undefined ? 0 : Number(rowsOf(version)[0]?.version));
      this.#schemaSeen = true;
      return results;
    });
  }

  /** Sends a write until its fate is known, or its time is over. */
  async #exactlyOnce(write: RemoteWrite): Promise<WriteOutcome> {
    const attempts = new Attempts(this.#connection.server.timeoutMs);
    try {
      await attempts.run((timeoutMs) => this.#connection.batch(write.statements, 'write', timeoutMs));
      return { applied: true };
    } catch (error) {
      const { index, message } = failedStatement(error);
      // An earlier copy took the id: this write is applied.
      if (index === ID_STATEMENT && isConstraint(error)) return { applied: true };
      // An earlier copy may still be on its way, and find that what stopped this one is gone.
      if (attempts.uncertain && (await this.#appliedAfterAll(write, attempts, error))) return { applied: true };
      const guard = index === undefined ? undefined : write.refusedBy(index, message);
      if (guard !== undefined) return { applied: false, guard };
      throw error;
    }
  }

  /** Fails where that cannot be found out in the time that is left. */
  async #appliedAfterAll({ id }: RemoteWrite, attempts: Attempts, cause: unknown): Promise<boolean> {
    const { host } = this.#connection.server;
    if (attempts.left <= 0) throw unknownOutcome(host, cause);
    try {
      const [, state] = await attempts.run((timeoutMs) => this.#connection.batch(fence(id), 'write', timeoutMs));
      return state !== undefined && rowsOf(state)[0]?.fenced === 0;
    } catch {
      throw unknownOutcome(host, cause);
    }
  }

  /** An error of SQL may come of a schema that is not this program's: then that is the failure. */
  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (/^SQL/.test(codeOf(error)) && !isConstraint(error)) await this.#checkSchema();
      throw this.#connection.failure(error);
    }
  }

  async #checkSchema(): Promise<void> {
    let version: number;
    try {
      version = await this.#connection.schemaVersion();
    } catch (error) {
      throw this.#connection.failure(error);
    }
    this.#requireSchema(version);
  }

  #requireSchema(version: number): void {
    requireSchema(this.location, version, this.#schemaVersion());
  }
}

const SCHEMA_GUARD = 'schema version';

function isConstraint(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_CONSTRAINT');
}

/** Position of the statement that failed, where it was one. */
function failedStatement(error: unknown): { index: number | undefined; message: string } {
  if (!(error instanceof Error)) return { index: undefined, message: '' };
  const index =
    'statementIndex' in error && typeof error.statementIndex === 'number' ? error.statementIndex : undefined;
  return { index, message: error.message };
}
