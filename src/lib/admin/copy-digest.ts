import { Sha256, sha256Hex } from '../core/hash.ts';
import { change, type Database } from '../engine/database.ts';
import { type BatchLimits, type CopiedRow, canonicalRow, type CopyKey, keyOf, pageQuery } from './copied-rows.ts';
import { COMPARED_TABLES, type Column, type CopiedTable, FULL_TEXT_TABLES } from './copied-tables.ts';

/** What a table holds. */
export interface TableDigest {
  readonly table: string;
  readonly rows: number;
  /** Of its rows in the order of their keys, a line of JSON each. */
  readonly sha256: string;
}

/** How a table is read and said to be read. */
interface DigestRun {
  readonly columnsOf: (table: CopiedTable) => readonly Column[];
  readonly limits: BatchLimits;
  /** Called before each page; may throw to end it. */
  readonly onPage: () => void;
  /** Called with the rows that were read so far. */
  readonly onRows: (rows: number) => void;
}

/**
 * Digests of a table on both sides. Of a full-text index, which cannot be read, by the tokens that it counted in each
 * passage and column.
 */
export async function digestsOf(
  name: string,
  databases: readonly [Database, Database],
  run: DigestRun,
): Promise<[TableDigest, TableDigest]> {
  const table = COMPARED_TABLES.get(name);
  if (table === undefined) throw new TypeError(`no table ${name} is compared`);
  const [source, target] = databases;
  // The two are read side by side; what is told is how far the target is.
  return Promise.all([
    digestOf(name, table, source, { ...run, onRows: () => undefined }),
    digestOf(name, table, target, run),
  ]);
}

async function digestOf(
  name: string,
  table: CopiedTable,
  database: Database,
  { columnsOf, limits, onPage, onRows }: DigestRun,
): Promise<TableDigest> {
  const columns = columnsOf(table);
  const digest = new Sha256();
  let rows = 0;
  let after: CopyKey | null = null;
  do {
    onPage();
    const [page]: [CopiedRow[]] = await database.read([pageQuery(table, columns, after, limits)]);
    for (const row of page) digest.add(canonicalRow(row));
    const last = page.at(-1);
    after = last === undefined ? null : keyOf(table, columns, last);
    rows += page.length;
    onRows(rows);
  } while (after !== null);
  return { table: name, rows, sha256: digest.hex() };
}

/** One digest over those of all tables. */
export function digestOfAll(tables: readonly TableDigest[]): string {
  return sha256Hex(tables.map(({ table, rows, sha256 }) => `${table} ${String(rows)} ${sha256}\n`).join(''));
}

/**
 * FTS5's own check of its structure; it is a command written as an insert and stores nothing. Fails where it is damaged. Of
 * files only: over a line, it could take longer than a request may.
 */
export async function checkFullText(database: Database): Promise<void> {
  if (database.backend !== 'local') return;
  await database.write(
    FULL_TEXT_TABLES.map((table) => change(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`)),
  );
}
