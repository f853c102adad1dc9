import Libsql from 'libsql';
import type { Durability, SqlRow, SqlValue } from '../../engine/database.ts';

/** Statements kept prepared on one connection; an operation uses a handful. */
const PREPARED_LIMIT = 128;

interface Prepared {
  readonly statement: ReturnType<Libsql.Database['prepare']>;
  /** Of a result; empty for a statement that returns none. */
  readonly columns: readonly string[];
}

/**
 * One connection to a local file through the synchronous API.
 *
 * A prepared statement that fails with SQLITE_BUSY is never reset by libsql: from then on the connection reports writes
 * as done that are never committed. So locks are only ever taken by `exec`, which does not have that defect, and a
 * connection on which a prepared statement met SQLITE_BUSY is given up ({@link poisoned}).
 */
export class Connection {
  #db: Libsql.Database;
  readonly #file: string;
  #prepared = new Map<string, Prepared>();
  #durability: Durability = 'full';
  poisoned = false;

  constructor(file: string, busyTimeoutMs: number) {
    this.#file = file;
    this.#db = new Libsql(file);
    this.#db.exec(`PRAGMA busy_timeout = ${String(Math.trunc(busyTimeoutMs))}; PRAGMA synchronous = full`);
  }

  get file(): string {
    return this.#file;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  all(sql: string, args: readonly SqlValue[]): SqlRow[] {
    return this.#guarded(() => {
      const { statement, columns } = this.#prepare(sql);
      // Raw rows: an array is much cheaper to hand over than an object.
      const rows = statement.all(args.map(bindable)) as SqlValue[][];
      return rows.map((row) => named(columns, row));
    });
  }

  /** Runs a statement that returns no rows. */
  run(sql: string, args: readonly SqlValue[]): void {
    this.#guarded(() => this.#prepare(sql).statement.run(args.map(bindable)));
  }

  /** Of the next commits; outside of a transaction only. */
  set durability(durability: Durability) {
    if (durability === this.#durability) return;
    this.#db.exec(`PRAGMA synchronous = ${durability}`);
    this.#durability = durability;
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /** Closes the file. An open transaction must be rolled back first: its lock would outlive the connection. */
  close(): void {
    this.#prepared.clear();
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    this.#db.close();
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isBusy(error)) this.poisoned = true;
      throw error;
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    const columns = statement.reader ? statement.raw(true).columns() : [];
    const prepared = { statement, columns: columns.map(({ name }) => name) };
    if (this.#prepared.size >= PREPARED_LIMIT) {
      for (const oldest of this.#prepared.keys()) {
        this.#prepared.delete(oldest);
        break;
      }
    }
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

/** Fails where libsql has rounded an integer; a REAL beyond 2^53 looks the same, and no column holds one. */
function named(columns: readonly string[], row: readonly SqlValue[]): SqlRow {
  const object: Record<string, SqlValue> = {};
  for (const [at, name] of columns.entries()) {
    const value = row[at] ?? null;
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw new RangeError(`the number in column ${name} is too large to be read exactly`);
    }
    object[name] = value;
  }
  return object;
}

/** JavaScript numbers bind as REAL; whole numbers must arrive as INTEGER, as far as they are exact. */
function bindable(value: SqlValue): SqlValue {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Names of primary result codes (https://www.sqlite.org/rescode.html) that are told apart. */
const PRIMARY_CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

/**
 * The SQLite result code of an error, e.g. `SQLITE_BUSY`; empty for other errors. libsql has no name for most extended
 * codes (`UNKNOWN_SQLITE_ERROR_1544`): the low byte of the number is the primary code.
 */
export function sqliteCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const primary =
    'rawCode' in error && typeof error.rawCode === 'number' ? PRIMARY_CODES[error.rawCode & 0xff] : undefined;
  return primary ?? ('code' in error && typeof error.code === 'string' ? error.code : '');
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED';
}
