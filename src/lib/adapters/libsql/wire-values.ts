import type { InStatement, ResultSet } from '@libsql/client/http';
import type { SqlRow, SqlValue } from '../../engine/database.ts';

/** A statement for the client. JavaScript numbers travel as REAL; whole ones must arrive as INTEGER. */
export function wireStatement(sql: string, args: readonly SqlValue[]): InStatement {
  return { sql, args: args.map((value) => (Number.isSafeInteger(value) ? BigInt(Number(value)) : value)) };
}

/** Rows as the local backend gives them. */
export function rowsOf({ columns, rows }: ResultSet): SqlRow[] {
  return rows.map((row) => {
    const object: Record<string, SqlValue> = {};
    for (const [at, name] of columns.entries()) {
      const value = row[at] ?? null;
      object[name] = value instanceof ArrayBuffer ? Buffer.from(value) : value;
    }
    return object;
  });
}
