import { rowsOf, rowsStep } from '../corpus/rows.ts';
import {
  type Change,
  change,
  type Guard,
  guard,
  type Query,
  query,
  type SqlRow,
  type SqlValue,
} from '../engine/database.ts';
import type { Column, CopiedTable } from './copied-tables.ts';

/** A row as it is stored, to the last bit: integers that JavaScript cannot hold are bigints. In the order of columns. */
export type CopiedRow = readonly SqlValue[];

/** What a batch holds at most; one row may be larger than that. */
export interface BatchLimits {
  readonly rows: number;
  /** Of the values of a row; of documents those of the body alone. */
  readonly characters: number;
}

/** Where a page begins: behind the row of this key; null: at the first row. */
export type CopyKey = readonly SqlValue[];

const MAX_SAFE = String(Number.MAX_SAFE_INTEGER);

/** A column as a backend gives it unharmed: no integer beyond 2^53, and no text that ends at a NUL. */
function exactly({ name, type }: Column): string {
  const column = `t."${name}"`;
  switch (type) {
    case 'INTEGER':
      return `CASE WHEN ${column} BETWEEN -${MAX_SAFE} AND ${MAX_SAFE} THEN ${column} ELSE CAST(${column} AS TEXT) END AS "${name}"`;
    case 'TEXT':
      return `CASE WHEN instr(${column}, char(0)) THEN CAST(${column} AS BLOB) ELSE ${column} END AS "${name}"`;
    default:
      return `${column} AS "${name}"`;
  }
}

function decodeRow(columns: readonly Column[], row: SqlRow): CopiedRow {
  return columns.map(({ name, type }) => {
    const value = row[name] ?? null;
    if (type === 'INTEGER' && typeof value === 'string') return BigInt(value);
    if (type === 'TEXT' && value instanceof Uint8Array) return UTF8.decode(value);
    return value;
  });
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

const listed = (columns: readonly string[], table = 't'): string =>
  columns.map((name) => `${table}."${name}"`).join(', ');
const tuple = (values: string): string => (values.includes(',') ? `(${values})` : values);

/** Condition on rows behind a key, whose parts are the first arguments. */
function behind(key: readonly string[], after: CopyKey | null): string {
  if (after === null) return 'true';
  return `${tuple(listed(key))} > ${tuple(key.map((_, at) => `?${String(at + 1)}`).join(', '))}`;
}

/** SQL of the key that ends a page: of its rows, only the last may reach over the limit of characters. */
function lastKey(
  from: string,
  key: readonly string[],
  weight: string,
  condition: string,
  { rows, characters }: BatchLimits,
): string {
  const names = key.map((name) => `"${name}"`);
  const order = names.join(', ');
  return `(SELECT ${order} FROM (
      SELECT ${order}, sum(weight) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - weight AS before FROM (
        SELECT ${key.map((name) => `t."${name}" AS "${name}"`).join(', ')}, ${weight} AS weight FROM ${from} WHERE ${condition} ORDER BY ${listed(key)} LIMIT ${String(rows)}))
    WHERE before < ${String(characters)} ORDER BY ${names.map((name) => `${name} DESC`).join(', ')} LIMIT 1)`;
}

const weightOf = (columns: readonly Column[]): string =>
  columns.map(({ name }) => `coalesce(length(t."${name}"), 0)`).join(' + ');

/** The next rows of a table, in the order of its key. */
export function pageQuery(
  table: CopiedTable,
  columns: readonly Column[],
  after: CopyKey | null,
  limits: BatchLimits,
): Query<CopiedRow> {
  const { name, key, where = 'true' } = table;
  const from = `${name} AS t`;
  const condition = `${behind(key, after)} AND ${where}`;
  const last = lastKey(from, key, weightOf(columns), condition, limits);
  return query(
    `SELECT ${columns.map(exactly).join(', ')} FROM ${from} WHERE ${condition} AND ${tuple(listed(key))} <= ${last} ORDER BY ${listed(key)}`,
    after ?? [],
    (row) => decodeRow(columns, row),
  );
}

/** Rows of `table` that belong to the next documents; `by` is the column with the id of the document. */
export function documentPageQuery(
  table: CopiedTable,
  by: string,
  columns: readonly Column[],
  after: CopyKey | null,
  limits: BatchLimits,
): Query<CopiedRow> {
  const last = lastKey(
    'documents AS t LEFT JOIN bodies AS b ON b.document_id = t.id',
    ['id'],
    'coalesce(length(b.body) + length(b.preface), 0)',
    behind(['id'], after),
    limits,
  );
  return query(
    `SELECT ${columns.map(exactly).join(', ')} FROM ${table.name} AS t WHERE ${behind([by], after)} AND t."${by}" <= ${last} ORDER BY ${listed(table.key)}`,
    after ?? [],
    (row) => decodeRow(columns, row),
  );
}

/** The key of a row. */
export function keyOf({ key }: CopiedTable, columns: readonly Column[], row: CopiedRow): SqlValue[] {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

/** Rows whose values do not fit into JSON travel as arguments: so many to a statement. */
const ROWS_OF_ARGUMENTS = 100;

/**
 * Stores rows with their ids. One that contradicts a stored row is left out, which the digests tell in the end: the source
 * changed.
 */
export function insertSteps({ name }: CopiedTable, columns: readonly Column[], rows: readonly CopiedRow[]): Change[] {
  const names = columns.map((column) => column.name);
  const into = `INSERT OR IGNORE INTO ${name} (${names.map((each) => `"${each}"`).join(', ')})`;
  const inJson = rows.flatMap((row) => (row.every(fitsJson) ? [row] : []));
  if (inJson.length === rows.length) {
    const records = inJson.map((row) => Object.fromEntries(names.map((each, at) => [each, row[at] ?? null])));
    return rowsStep(`${into} SELECT ${listed(names, 'row')} FROM ${rowsOf(names)} AS row`, names, records);
  }
  const steps: Change[] = [];
  for (let at = 0; at < rows.length; at += ROWS_OF_ARGUMENTS) {
    const some = rows.slice(at, at + ROWS_OF_ARGUMENTS);
    const values = `(${names.map(() => '?').join(', ')})`;
    steps.push(change(`${into} VALUES ${some.map(() => values).join(', ')}`, some.flat()));
  }
  return steps;
}

/** Whether SQLite reads a value from JSON as it was: it need not round a fraction to the nearest, and text ends at a NUL. */
function fitsJson(value: SqlValue): value is string | number | null {
  if (typeof value === 'string') return !value.includes('\0');
  return value === null || Number.isSafeInteger(value);
}

export const PARENTS_GUARD = 'parents';

/** Fails the batch when a row needs one that is not there: it came to the source after its table was copied. */
export function parentGuards(
  { parents }: CopiedTable,
  columns: readonly Column[],
  rows: readonly CopiedRow[],
): Guard[] {
  return Object.entries(parents ?? {}).map(([name, { table, key }]) => {
    const at = columns.findIndex((column) => column.name === name);
    const ids = [...new Set(rows.map((row) => String(row[at])))];
    return guard(
      PARENTS_GUARD,
      `NOT EXISTS (SELECT 1 FROM json_each(?) WHERE CAST(value AS INTEGER) NOT IN (SELECT ${key} FROM ${table}))`,
      [JSON.stringify(ids)],
    );
  });
}

/** A row as text for a digest: JSON of its values, integers in full. */
export function canonicalRow(row: CopiedRow): string {
  const values = row.map((value) => {
    if (typeof value === 'bigint') return String(value);
    if (value instanceof Uint8Array) return `{"hex":"${Buffer.from(value).toString('hex')}"}`;
    return JSON.stringify(value);
  });
  return `[${values.join(',')}]\n`;
}
