import { Failure } from '../../core/failure.ts';

/** Fails unless a database has exactly the schema that this program knows; both are numbers of migrations. */
export function requireSchema(location: string, found: number, known: number): void {
  if (found > known) throw newerSchema(location, found, known);
  if (found < known) {
    const has = found === 0 ? 'has no schema yet' : `has schema ${String(found)}, this gh-rag needs ${String(known)}`;
    throw new Failure('schema_outdated', `the database ${location} ${has}`, {
      hint: 'Run gh-rag migrate; a shared database is never migrated by itself.',
    });
  }
}

export function newerSchema(location: string, found: number, known: number): Failure {
  return new Failure(
    'schema_newer',
    `the database ${location} has schema ${String(found)}, this gh-rag knows ${String(known)}`,
    { hint: 'Update gh-rag; an older program does not touch a newer database.' },
  );
}

export function foreignDatabase(location: string): Failure {
  return new Failure('database_unavailable', `${location} is a database of another program`, {
    hint: 'Name another one with --db.',
  });
}

/** Tells an empty database, one of ours and one of another program apart: columns `tables` and `ledger`. */
export const TABLES_SQL = `SELECT count(*) AS tables, coalesce(sum(name = 'schema_migrations'), 0) AS ledger FROM sqlite_master WHERE type = 'table'`;

export const VERSION_SQL = 'SELECT coalesce(max(version), 0) AS version FROM schema_migrations';
