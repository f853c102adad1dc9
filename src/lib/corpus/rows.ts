import { type Change, change } from '../engine/database.ts';

/**
 * SQL of a table whose rows are the one argument of its statement, as {@link rowsStep} passes it. Rows travel as lists,
 * not as objects: SQLite looks a member up by going through all before it.
 */
export function rowsOf(columns: readonly string[]): string {
  const values = columns.map((name, at) => `value ->> ${String(at)} AS ${name}`);
  return `(SELECT ${values.join(', ')} FROM json_each(?))`;
}

/** A change for all rows at once, or none where there are no rows. */
export function rowsStep<const Column extends string>(
  sql: string,
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, string | number | null>>[],
): Change[] {
  if (rows.length === 0) return [];
  return [change(sql, [JSON.stringify(rows.map((row) => columns.map((name) => row[name])))])];
}
