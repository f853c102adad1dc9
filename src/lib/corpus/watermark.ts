import * as z from 'zod';
import { formatTime } from '../core/time.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Change, change, type Guard, guard, type Query, query } from '../engine/database.ts';
import { allowedSlug, type Parameters } from './filters.ts';

/** How far ingestion of one surface of one source came. `before` is what the caller read; null where there was none. */
export interface Watermark {
  /** A repository slug, or `export:<digest of the file's name>`. */
  readonly source: string;
  readonly surface: string;
  readonly before: string | null;
  readonly after: string;
  /** Whether the surface is done with what it saw when it began. */
  readonly complete: boolean;
  /** Who writes. Each batch leases the surface to its writer for a while, and the last one gives it back. */
  readonly owner: string;
  /** A former owner whose work is known to be over: its lease does not count. */
  readonly over?: string | undefined;
}

/** Surface under which it is kept, by host, how many requests GitHub still allowed: no mark of how far anything came. */
export const REQUEST_BUDGET = 'github:budget';

/** Surface under which it is kept how far a model's words were compared with those of the texts. */
const VOCABULARY = 'lsa:vocabulary';

/** Surfaces that say nothing of how far ingestion came, as a list of SQL. */
export const OTHER_SURFACES = `('${REQUEST_BUDGET}', '${VOCABULARY}')`;

const vocabularyMark = z.object({
  model: z.string(),
  /** Id of a passage: those up to it are known to the model as well as it can know them. */
  last: z.int(),
  /** Share of words that a training on the very passages that have them left unknown. */
  unlearned: z.number(),
});
export type VocabularyMark = z.output<typeof vocabularyMark>;

/** How far the words of passages are known to a model. */
export interface Vocabulary {
  /** None where nothing was trained or compared, or an earlier version did it. */
  readonly mark: VocabularyMark | undefined;
  /** Passages behind the mark; 0 without one. */
  readonly came: number;
  /** The greatest id of a passage; 0 where there is none. */
  readonly greatest: number;
}

const vocabularyRow = z.object({ value: z.string().nullable(), came: z.int(), greatest: z.int() });
const LSA_MARK = `source = 'lsa' AND surface = '${VOCABULARY}'`;
const GREATEST_PASSAGE = '(SELECT coalesce(max(id), 0) FROM passages)';

/** Reads one row. Of the passages only those behind the mark are counted. */
export function vocabularyQuery(): Query<Vocabulary> {
  return query(
    `SELECT m.value, ${GREATEST_PASSAGE} AS greatest,
       (SELECT count(*) FROM passages WHERE id > m.value ->> '$.last') AS came
     FROM (SELECT 1) LEFT JOIN watermarks m ON ${LSA_MARK}`,
    [],
    (row) => {
      const { value, came, greatest } = vocabularyRow.parse(row);
      const mark = vocabularyMark.safeParse(JSON.parse(value ?? 'null')).data;
      return { mark, came, greatest };
    },
  );
}

/** Keeps up to which passage a model lacks no words. */
export function writeVocabularyMark(mark: VocabularyMark, now: number): Change {
  return change(
    `INSERT INTO watermarks (source, surface, value, complete, updated_at) VALUES ('lsa', '${VOCABULARY}', ?, 1, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    [JSON.stringify(mark), formatTime(now)],
  );
}

/** Takes the mark back to the passages that are left, before others get the ids of those that are gone. */
export function lowerVocabularyMark(): Change {
  return change(
    `UPDATE watermarks SET value = json_set(value, '$.last', ${GREATEST_PASSAGE})
     WHERE ${LSA_MARK} AND value ->> '$.last' > ${GREATEST_PASSAGE}`,
    [],
  );
}

/** Beginning of the source of an export file; its digest follows. The value of its mark names its `repos`. */
export const EXPORT_SOURCE = 'export:';

/** Conditions on a watermark that keep to repositories which are allowed; none where no list is configured. */
export function allowedWatermark(allowed: Allowed, parameters: Parameters): string[] {
  const [own] = allowedSlug(allowed, 'source', parameters);
  const [theirs] = allowedSlug(allowed, 'r.value', parameters);
  if (own === undefined || theirs === undefined) return [];
  return [
    `(${own} OR source LIKE '${EXPORT_SOURCE}%' AND NOT EXISTS (
       SELECT 1 FROM json_each(watermarks.value, '$.repos') r WHERE NOT ${theirs}))`,
  ];
}

/** Seconds by the clock of the database; a writer renews its lease with every batch. */
const LEASE_SECONDS = 120;

const watermarkRow = z.object({ value: z.string(), owner: z.string().nullable(), complete: z.int() });

/** The stored value, as JSON text, and who has leased the surface; no row where ingestion never ran. */
export function watermarkQuery(key: Pick<Watermark, 'source' | 'surface'>): Query<z.output<typeof watermarkRow>> {
  return query(
    `SELECT value, complete, CASE WHEN leased_until > unixepoch() THEN owner END AS owner FROM watermarks
     WHERE source = ? AND surface = ?`,
    [key.source, key.surface],
    (row) => watermarkRow.parse(row),
  );
}

/** Fails the batch when somebody moved the watermark since it was read, or is at work on its surface. */
export function watermarkUnchanged({ source, surface, before, owner, over }: Watermark): Guard {
  return guard(
    'watermark',
    `(SELECT value FROM watermarks WHERE source = ?1 AND surface = ?2) IS ?3 AND NOT EXISTS (
       SELECT 1 FROM watermarks WHERE source = ?1 AND surface = ?2
         AND leased_until > unixepoch() AND owner <> ?4 AND owner IS NOT ?5)`,
    [source, surface, before, owner, over ?? null],
  );
}

export function writeWatermark(watermark: Watermark, now: number): Change {
  const { source, surface, after, complete, owner } = watermark;
  return change(
    `INSERT INTO watermarks (source, surface, value, complete, updated_at, owner, leased_until)
     VALUES (?, ?, ?, ?, ?, ?, CASE WHEN ?4 THEN NULL ELSE unixepoch() + ${String(LEASE_SECONDS)} END)
     ON CONFLICT DO UPDATE SET value = excluded.value, complete = excluded.complete, updated_at = excluded.updated_at,
       owner = excluded.owner, leased_until = excluded.leased_until`,
    [source, surface, after, Number(complete), formatTime(now), complete ? null : owner],
  );
}

/** Gives back what an owner has leased, where its work ended early. */
export function releaseLeases(owner: string): Change {
  return change('UPDATE watermarks SET owner = NULL, leased_until = NULL WHERE owner = ?', [owner]);
}

/** Keeps what GitHub said last of the requests that it still allows. */
export function writeBudget(
  host: string,
  budget: { readonly limit: number; readonly remaining: number; readonly resetsAt: number },
  now: number,
): Change {
  const { limit, remaining, resetsAt } = budget;
  return change(
    `INSERT INTO watermarks (source, surface, value, complete, updated_at) VALUES (?, '${REQUEST_BUDGET}', ?, 1, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    [host, JSON.stringify({ limit, remaining, resets_at: formatTime(resetsAt) }), formatTime(now)],
  );
}
