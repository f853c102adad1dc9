import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Database } from '../../engine/database.ts';
import type { SchemaAdmin } from '../../engine/schema-admin.ts';
import { LocalDatabase } from './local.ts';
import { localSchemaAdmin, migrate } from './schema.ts';

const DEFAULT_BUSY_TIMEOUT_MS = 5000;

export interface OpenLocalOptions {
  readonly file: string;
  /** Directory of the migration scripts. */
  readonly migrations: string;
  readonly clock: Clock;
  readonly busyTimeoutMs?: number | undefined;
}

/** A local database file and its schema. Nothing is opened or created before the first use; then it is migrated. */
export function openLocal(options: OpenLocalOptions): { database: Database; schema: SchemaAdmin } {
  const { file, migrations, clock, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS } = options;
  const database = new LocalDatabase({
    file,
    busyTimeoutMs,
    beforeOpen: () => {
      createPrivately(file);
    },
    prepare: async (connection, lock) => {
      await lock(() => {
        connection.exec('PRAGMA journal_mode = WAL');
      });
      connection.exec(
        'PRAGMA foreign_keys = ON; PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY',
      );
      await migrate(connection, migrations, clock, lock);
    },
  });
  const beforeCreate = (): void => {
    createPrivately(file);
  };
  return { database, schema: localSchemaAdmin({ file, directory: migrations, clock, busyTimeoutMs, beforeCreate }) };
}

/**
 * Makes a directory and those above it. Not by `recursive`: Node never returns where the file system says of a parent
 * that exists that it does not, as /proc does.
 */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(directory)) throw error;
  }
}

/** An index may hold private code: only its owner may read the file (and the -wal and -shm files, which follow it). */
function createPrivately(file: string): void {
  try {
    makeDirectory(dirname(file));
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return; // May still be readable: SQLite decides.
    if (code === 'ENOSPC')
      throw new Failure('database_full', `no space left for the database ${file}`, { cause: error });
    throw new Failure('database_unavailable', `cannot create the database ${file}`, {
      hint: 'Check that its folder exists and is writable, or name another file with --db.',
      cause: error,
    });
  }
}
