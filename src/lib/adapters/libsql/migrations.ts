import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../core/hash.ts';

/** A migration script as shipped. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly file: string;
}

const FILE_NAME = /^(\d{4})_([a-z][a-z0-9_]*)\.sql$/;

/** The scripts of a directory in order. Their versions must be 1, 2, 3 … without a gap. */
export function listMigrations(directory: string): Migration[] {
  const migrations = readdirSync(directory)
    .map((entry) => ({ entry, match: FILE_NAME.exec(entry) }))
    .flatMap(({ entry, match }) =>
      match?.[1] === undefined || match[2] === undefined
        ? []
        : [{ version: Number(match[1]), name: match[2], file: join(directory, entry) }],
    )
    .sort((a, b) => a.version - b.version);
  migrations.forEach((migration, index) => {
    if (migration.version !== index + 1) throw new Error(`migration ${String(index + 1)} is missing`);
  });
  return migrations;
}

/** Text of a script and the checksum that the ledger keeps of it. */
export function loadMigration(migration: Migration): { sql: string; checksum: string } {
  const sql = readFileSync(migration.file, 'utf8');
  return { sql, checksum: sha256Hex(sql) };
}
