import * as z from 'zod';
import { formatTime } from '../core/time.ts';
import { type Change, change, type Guard, guard, type Query, query } from '../engine/database.ts';
import type { CopyKey } from './copied-rows.ts';
import { COPY_SOURCE } from './copied-tables.ts';

const keyPart = z.union([z.string(), z.int(), z.object({ integer: z.string() })]);

const markValue = z.object({
  /** Local principal of the source, which no other database has. */
  origin: z.string(),
  /** The table that was written last. */
  table: z.string(),
  /** Key of its last row; null: none yet. */
  after: z.array(keyPart).nullable(),
  /** Rows of the table so far. */
  rows: z.int(),
});

/** How far a copy came. Kept in the target, moved with the rows that it covers, gone when the copy is verified. */
export interface CopyMark {
  readonly origin: string;
  readonly table: string;
  readonly after: CopyKey | null;
  readonly rows: number;
}

const SURFACE = 'rows';
const PLACE = `source = '${COPY_SOURCE}' AND surface = '${SURFACE}'`;
const STORED = `(SELECT value FROM watermarks WHERE ${PLACE})`;

const stored = z.object({ value: z.string() });

/** The mark as it is stored; no row where nothing is being copied into a database. */
export function markQuery(): Query<string> {
  return query(`SELECT value FROM watermarks WHERE ${PLACE}`, [], (row) => stored.parse(row).value);
}

export function parseMark(text: string): CopyMark {
  const { after, ...rest } = markValue.parse(JSON.parse(text));
  return {
    ...rest,
    after: after?.map((part) => (typeof part === 'object' ? BigInt(part.integer) : part)) ?? null,
  };
}

export function formatMark({ after, ...rest }: CopyMark): string {
  const parts = after?.map((part) => (typeof part === 'bigint' ? { integer: String(part) } : part)) ?? null;
  return JSON.stringify({ ...rest, after: parts });
}

export const MARK_GUARD = 'copy mark';

/** Fails the batch unless the mark is as it was read; null: there is none. */
export function markUnchanged(before: string | null): Guard {
  return guard(MARK_GUARD, `${STORED} IS ?`, [before]);
}

export function writeMark(text: string, now: number): Change {
  return change(
    `INSERT INTO watermarks (source, surface, value, complete, updated_at) VALUES ('${COPY_SOURCE}', '${SURFACE}', ?, 0, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    [text, formatTime(now)],
  );
}

export function removeMark(): Change {
  return change(`DELETE FROM watermarks WHERE ${PLACE}`);
}
