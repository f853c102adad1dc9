import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import { RequestError, type StmtResult, type WireColumn, type WireStmt } from './protocol.ts';
import type { SqlStatement } from './sql.ts';
import { argumentsOf, isSqliteError, toWire } from './values.ts';
import type { Writer, WriterLock } from './writer-lock.ts';

const RETRY_MS = 5;

/** A connection that never waits inside SQLite: everything that waits leaves the server free for others. */
export function openConnection(file: string): Libsql.Database {
  const db = new Libsql(file, { timeout: 0 });
  // The frames of the log are numbered from its beginning, so nothing may reset it; the file outlives no power loss.
  db.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = off');
  return db;
}

/**
 * The connection of one stream.
 *
 * Locks are taken by `exec` only: a prepared statement that fails with SQLITE_BUSY is never reset by libsql and spoils its
 * connection. Where that can happen all the same (a transaction that has read and then wants to write), the connection is
 * replaced, which ends the transaction.
 */
export class Session implements Writer {
  readonly #file: string;
  readonly #lock: WriterLock;
  readonly #lockTimeoutMs: number;
  readonly #readOnly: boolean;
  #db: Libsql.Database;
  #timedOut = false;
  /** Statements that were run, or refused, so far. */
  executed = 0;

  constructor(file: string, lock: WriterLock, lockTimeoutMs: number, readOnly: boolean) {
    this.#file = file;
    this.#lock = lock;
    this.#lockTimeoutMs = lockTimeoutMs;
    this.#readOnly = readOnly;
    this.#db = openConnection(file);
  }

  get inTransaction(): boolean {
    return this.#db.open && this.#db.inTransaction;
  }

  timeOut(): void {
    this.#timedOut = true;
    if (this.inTransaction) this.#db.exec('ROLLBACK');
    this.#lock.release(this);
  }

  /** Rolls back what is open. */
  close(): void {
    if (this.inTransaction) this.#db.exec('ROLLBACK');
    this.#db.close();
    this.#lock.release(this);
  }

  /** Prepares without running: columns, and the error of a text that is no SQL. */
  columns(sql: string): WireColumn[] {
    return columnsOf(this.#db.prepare(sql));
  }

  async execute(statement: SqlStatement, stmt: WireStmt): Promise<StmtResult> {
    this.executed += 1;
    if (this.#timedOut) throw new RequestError('Transaction timed out', 'TRANSACTION_TIMEOUT');
    if (this.#readOnly && statement.kind === 'write') {
      throw new RequestError('Operation was blocked: SQL write operations are forbidden', 'BLOCKED');
    }
    try {
      return await this.#executeKind(statement, stmt);
    } finally {
      if (!this.inTransaction) this.#lock.release(this);
    }
  }

  async #executeKind(statement: SqlStatement, stmt: WireStmt): Promise<StmtResult> {
    switch (statement.kind) {
      case 'begin':
        if (/\b(?:IMMEDIATE|EXCLUSIVE)\b/i.test(statement.sql)) await this.#begin(statement.sql);
        else this.#db.exec(statement.sql);
        return NOTHING;
      case 'end':
      case 'savepoint':
        this.#db.exec(statement.sql);
        return NOTHING;
      case 'write':
        return this.#write(statement, stmt);
      default:
        return this.#run(statement, stmt);
    }
  }

  async #write(statement: SqlStatement, stmt: WireStmt): Promise<StmtResult> {
    if (this.inTransaction) {
      await this.#lock.acquire(this);
      return this.#run(statement, stmt);
    }
    await this.#begin('BEGIN IMMEDIATE');
    try {
      const result = this.#run(statement, stmt);
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Begins to write; also waits for a program that has the file open by itself. */
  async #begin(sql: string): Promise<void> {
    if (this.inTransaction) {
      this.#db.exec(sql);
      return;
    }
    await this.#lock.acquire(this);
    const end = performance.now() + this.#lockTimeoutMs;
    for (;;) {
      try {
        this.#db.exec(sql);
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > end) throw error;
      }
      await delay(RETRY_MS);
    }
  }

  #run(statement: SqlStatement, stmt: WireStmt): StmtResult {
    const args = argumentsOf(statement, stmt);
    try {
      const prepared = this.#db.prepare(statement.sql).safeIntegers(true);
      if (!prepared.reader) {
        prepared.run(args);
        return { ...NOTHING, ...this.#effect(statement) };
      }
      const cols = columnsOf(prepared);
      const rows = prepared.raw(true).all(args) as unknown[][];
      return {
        cols,
        rows: stmt.want_rows === false ? [] : rows.map((row) => row.map(toWire)),
        ...this.#effect(statement),
      };
    } catch (error) {
      if (isBusy(error)) {
        this.#db.close();
        this.#db = openConnection(this.#file);
      }
      throw error;
    }
  }

  #effect({ changes, inserts }: SqlStatement): Pick<StmtResult, 'affected_row_count' | 'last_insert_rowid'> {
    if (!changes) return { affected_row_count: 0, last_insert_rowid: null };
    const row = this.#db.prepare('SELECT changes(), last_insert_rowid()').safeIntegers(true).raw(true).get();
    const [changed, rowid] = row as [bigint, bigint];
    return { affected_row_count: Number(changed), last_insert_rowid: inserts ? String(rowid) : null };
  }
}

const NOTHING: StmtResult = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null };

const isBusy = (error: unknown): boolean => isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');

function columnsOf(prepared: Libsql.Statement): WireColumn[] {
  return prepared.columns().map(({ name, type }) => ({ name, decltype: type }));
}
