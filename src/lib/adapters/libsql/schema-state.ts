import type { SqlRow } from '../../engine/database.ts';
import type { MigrationState } from '../../engine/schema-admin.ts';
import { loadMigration, type Migration } from './migrations.ts';

/** What the ledger of a database says of a migration. */
export interface LedgerRow {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly applied_at: string;
}

export const CREATE_LEDGER_SQL = `CREATE TABLE schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT`;

/** Arguments: version, name, checksum, RFC 3339 time. */
export const LEDGER_ROW_SQL = 'INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)';

export const LEDGER_SQL = 'SELECT version, name, checksum, applied_at FROM schema_migrations ORDER BY version';

export function ledgerRow(row: SqlRow): LedgerRow {
  return {
    version: Number(row.version),
    name: String(row.name),
    checksum: String(row.checksum),
    applied_at: String(row.applied_at),
  };
}

/** The migrations of this program, then those of a newer one. */
export function states(migrations: readonly Migration[], applied: readonly LedgerRow[]): MigrationState[] {
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

export const OBJECTS_SQL = 'SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name';

/** `CREATE` statements by object name; the shadow tables of FTS5 come with their virtual table and are left out. */
export function objectsOf(rows: readonly SqlRow[]): Map<string, string> {
  const virtual = rows.filter((row) => /^CREATE VIRTUAL TABLE/i.test(String(row.sql))).map((row) => String(row.name));
  const shadow = (name: string): boolean =>
    virtual.some((table) => name.startsWith(`${table}_`) && !virtual.includes(name));
  return new Map(
    rows.filter((row) => !shadow(String(row.name))).map((row) => [String(row.name), String(row.sql)] as const),
  );
}
