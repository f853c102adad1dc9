import * as z from 'zod';
import { formatTime } from '../core/time.ts';
import { type Change, change, type Guard, guard, type Query, query } from '../engine/database.ts';

/** How far ingestion of one surface of one source came. `before` is what the caller read; null where there was none. */
export interface Watermark {
  /** A repository slug, or `export:<digest of the file's name>`. */
  readonly source: string;
  readonly surface: string;
  readonly before: string | null;
  readonly after: string;
  /** Whether the surface is done with what it saw when it began. */
  readonly complete: boolean;
}

const watermarkRow = z.object({ value: z.string() });

/** The stored value, as JSON text; no row where ingestion never ran. */
export function watermarkQuery(key: Pick<Watermark, 'source' | 'surface'>): Query<z.output<typeof watermarkRow>> {
  return query('SELECT value FROM watermarks WHERE source = ? AND surface = ?', [key.source, key.surface], (row) =>
    watermarkRow.parse(row),
  );
}

/** Fails the batch when somebody moved the watermark since it was read. */
export function watermarkUnchanged(watermark: Watermark): Guard {
  return guard('watermark', '(SELECT value FROM watermarks WHERE source = ? AND surface = ?) IS ?', [
    watermark.source,
    watermark.surface,
    watermark.before,
  ]);
}

export function writeWatermark(watermark: Watermark, now: number): Change {
  return change(
    `INSERT INTO watermarks (source, surface, value, complete, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value, complete = excluded.complete, updated_at = excluded.updated_at`,
    [watermark.source, watermark.surface, watermark.after, Number(watermark.complete), formatTime(now)],
  );
}
