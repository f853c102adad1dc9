import { existsSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { formatTime } from '../../core/time.ts';
import type { Clock } from '../../engine/clock.ts';
import type { MigrationState, SchemaAdmin } from '../../engine/schema-admin.ts';
import { Connection } from './connection.ts';
import { databaseFailure } from './failures.ts';
import type { LockRetry } from './local.ts';
import { listMigrations, loadMigration, type Migration } from './migrations.ts';

const LEDGER = `CREATE TABLE schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT`;

interface LedgerRow {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly applied_at: string;
}

/**
 * Brings a local file to the schema of this program. A current file costs one query. Each script and its ledger row are
 * one transaction; the write lock of SQLite is the lock between processes, and the ledger is read again under it.
 * Returns the versions applied here. Fails with `schema_newer`, or `database_unavailable` for a file of another program.
 */
export async function migrate(
  connection: Connection,
  directory: string,
  clock: Clock,
  lock: LockRetry,
): Promise<Migration[]> {
  const migrations = listMigrations(directory);
  const applied: Migration[] = [];
  for (const migration of pending(connection, migrations)) {
    const { sql, checksum } = loadMigration(migration);
    await lock(() => {
      connection.exec('BEGIN IMMEDIATE');
    });
    try {
      if (pending(connection, migrations).includes(migration)) {
        if (migration.version === 1) connection.exec(LEDGER);
        connection.exec(sql);
        connection.run('INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)', [
          migration.version,
          migration.name,
          checksum,
          formatTime(clock.now()),
        ]);
        applied.push(migration);
      }
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }
  return applied;
}

function pending(connection: Connection, migrations: readonly Migration[]): readonly Migration[] {
  const version = currentVersion(connection);
  if (version > migrations.length) {
    throw new Failure(
      'schema_newer',
      `the database ${connection.file} has schema ${String(version)}, this gh-rag knows ${String(migrations.length)}`,
      { hint: 'Update gh-rag; an older program does not touch a newer database.' },
    );
  }
  return migrations.slice(version);
}

/** 0 for an empty file; fails for a file with tables but without a ledger. */
function currentVersion(connection: Connection): number {
  const [objects] = connection.all(
    `SELECT count(*) AS tables, coalesce(sum(name = 'schema_migrations'), 0) AS ledger FROM sqlite_master WHERE type = 'table'`,
    [],
  );
  if (objects?.ledger === 1) {
    const [row] = connection.all('SELECT max(version) AS version FROM schema_migrations', []);
    return typeof row?.version === 'number' ? row.version : 0;
  }
  if (objects?.tables !== 0) {
    throw new Failure('database_unavailable', `${connection.file} is a database of another program`, {
      hint: 'Name another file with --db.',
    });
  }
  return 0;
}

/** Looks at and moves forward the schema of one local file. */
export function localSchemaAdmin(options: {
  readonly file: string;
  readonly directory: string;
  readonly clock: Clock;
  readonly busyTimeoutMs: number;
  /** Runs before a file is opened that may have to be made. */
  readonly beforeCreate: () => void;
}): SchemaAdmin {
  const { file, directory, clock, busyTimeoutMs, beforeCreate } = options;
  const withFile = async <T>(work: (connection: Connection) => T | Promise<T>): Promise<T> => {
    let connection: Connection | undefined;
    try {
      connection = new Connection(file, busyTimeoutMs);
      return await work(connection);
    } catch (error) {
      throw databaseFailure(error, file);
    } finally {
      connection?.close();
    }
  };
  return {
    list: async () =>
      existsSync(file)
        ? await withFile((connection) => states(listMigrations(directory), ledger(connection)))
        : states(listMigrations(directory), []),
    apply: () => {
      beforeCreate();
      return withFile(async (connection) => {
        const applied = await migrate(connection, directory, clock, (attempt) => Promise.resolve(attempt()));
        const versions = new Set(applied.map((each) => each.version));
        return states(listMigrations(directory), ledger(connection)).filter((each) => versions.has(each.version));
      });
    },
    compare: async () => {
      const expected = new Connection(':memory:', 0);
      try {
        await migrate(expected, directory, clock, (attempt) => Promise.resolve(attempt()));
        const found = existsSync(file) ? await withFile(objects) : new Map<string, string>();
        return { expected: objects(expected), found };
      } finally {
        expected.close();
      }
    },
  };
}

function ledger(connection: Connection): LedgerRow[] {
  if (currentVersion(connection) === 0) return [];
  return connection
    .all('SELECT version, name, checksum, applied_at FROM schema_migrations ORDER BY version', [])
    .map((row) => ({
      version: Number(row.version),
      name: String(row.name),
      checksum: String(row.checksum),
      applied_at: String(row.applied_at),
    }));
}

function states(migrations: readonly Migration[], applied: readonly LedgerRow[]): MigrationState[] {
  const known = migrations.map((migration): MigrationState => {
    const row = applied.find((each) => each.version === migration.version);
    if (row === undefined) {
      return { version: migration.version, name: migration.name, state: 'pending', applied_at: null };
    }
    const same = row.name === migration.name && row.checksum === loadMigration(migration).checksum;
    return {
      version: row.version,
      name: migration.name,
      state: same ? 'applied' : 'changed',
      applied_at: row.applied_at,
    };
  });
  const unknown = applied
    .filter((row) => row.version > migrations.length)
    .map(
      (row): MigrationState => ({
        version: row.version,
        name: row.name,
        state: 'unknown',
        applied_at: row.applied_at,
      }),
    );
  return [...known, ...unknown];
}

/** `CREATE` statements by object name; the shadow tables of FTS5 come with their virtual table and are left out. */
function objects(connection: Connection): Map<string, string> {
  const rows = connection.all('SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name', []);
  const virtual = rows.filter((row) => /^CREATE VIRTUAL TABLE/i.test(String(row.sql))).map((row) => String(row.name));
  const shadow = (name: string): boolean =>
    virtual.some((table) => name.startsWith(`${table}_`) && !virtual.includes(name));
  return new Map(
    rows.filter((row) => !shadow(String(row.name))).map((row) => [String(row.name), String(row.sql)] as const),
  );
}
