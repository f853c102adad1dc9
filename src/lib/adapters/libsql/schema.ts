import { existsSync } from 'node:fs';
import { formatTime } from '../../core/time.ts';
import type { Clock } from '../../engine/clock.ts';
import type { SchemaAdmin } from '../../engine/schema-admin.ts';
import { Connection } from './connection.ts';
import { databaseFailure } from './failures.ts';
import type { LockRetry } from './local.ts';
import { listMigrations, loadMigration, type Migration } from './migrations.ts';
import {
  CREATE_LEDGER_SQL,
  LEDGER_ROW_SQL,
  LEDGER_SQL,
  type LedgerRow,
  ledgerRow,
  OBJECTS_SQL,
  objectsOf,
  states,
} from './schema-state.ts';
import { foreignDatabase, newerSchema, TABLES_SQL, VERSION_SQL } from './schema-version.ts';

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
        if (migration.version === 1) connection.exec(CREATE_LEDGER_SQL);
        connection.exec(sql);
        connection.run(LEDGER_ROW_SQL, [migration.version, migration.name, checksum, formatTime(clock.now())]);
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
    throw newerSchema(connection.file, version, migrations.length);
  }
  return migrations.slice(version);
}

/** 0 for an empty file; fails for a file with tables but without a ledger. */
function currentVersion(connection: Connection): number {
  const [tables] = connection.all(TABLES_SQL, []);
  if (tables?.ledger === 1) {
    const [row] = connection.all(VERSION_SQL, []);
    return typeof row?.version === 'number' ? row.version : 0;
  }
  if (tables?.tables !== 0) throw foreignDatabase(connection.file);
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
    compare: async () => ({
      expected: await expectedObjects(directory, clock),
      found: existsSync(file) ? await withFile(objects) : new Map<string, string>(),
    }),
  };
}

/** What the migrations of a directory make. */
export async function expectedObjects(directory: string, clock: Clock): Promise<Map<string, string>> {
  const expected = new Connection(':memory:', 0);
  try {
    await migrate(expected, directory, clock, (attempt) => Promise.resolve(attempt()));
    return objects(expected);
  } finally {
    expected.close();
  }
}

function objects(connection: Connection): Map<string, string> {
  return objectsOf(connection.all(OBJECTS_SQL, []));
}

function ledger(connection: Connection): LedgerRow[] {
  return currentVersion(connection) === 0 ? [] : connection.all(LEDGER_SQL, []).map(ledgerRow);
}
