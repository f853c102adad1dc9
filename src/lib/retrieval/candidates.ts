import * as z from 'zod';
import { documentPredicate, type Filters, Parameters } from '../corpus/filters.ts';
import { type Query, query } from '../engine/database.ts';
import type { FtsQuery, RelaxedTerm } from './fts-query.ts';

const TABLES = { nat: 'passages_nat', code: 'passages_code' } as const;

/** Weights of the columns title, heading, reference and body in BM25. */
const WEIGHTS = '3.0, 2.0, 2.0, 1.0';

// The relaxed tier asks for the rarest terms only: frequent ones cost most and say least. A term is taken while the
// passages to be scored stay under the budget; the first few always are.
const RELAXED_POSTINGS = 20_000;
const RELAXED_MINIMUM = 3;

const candidateRow = z.object({
  passage_id: z.int(),
  document_id: z.int(),
  index: z.enum(['nat', 'code']),
  tier: z.int(),
  score: z.number(),
  entity: z.string(),
  type: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

/** A passage that the full-text index found. */
export type CandidateRow = z.output<typeof candidateRow>;

/**
 * The sparse side as one statement: per index a strict tier (every token), and below it, where that does not fill the
 * pool, a relaxed one (any token). BM25 is FTS5's, negated so that higher is better. Undefined when the text holds
 * nothing that either index could find.
 */
export function candidatesQuery(fts: FtsQuery, filters: Filters, pool: number): Query<CandidateRow> | undefined {
  const parameters = new Parameters();
  const limit = parameters.add(pool);
  const predicate = documentPredicate(filters, parameters);
  const tiers: { name: string; sql: string; index: string; tier: number }[] = [];
  for (const index of ['nat', 'code'] as const) {
    const asked = fts[index];
    if (asked === null) continue;
    const table = TABLES[index];
    const ranked = (match: string): string =>
      `SELECT ${table}.rowid AS passage_id, bm25(${table}, ${WEIGHTS}) AS score
       FROM ${table} CROSS JOIN documents d ON d.id = ${table}.rowid >> 16
       WHERE ${table} MATCH ${match} AND ${predicate}`;
    const cut = `ORDER BY score, passage_id LIMIT ${limit}`;
    const strict = `${ranked(parameters.add(asked.strict))} ${cut}`;
    tiers.push({ name: `${index}_strict`, sql: strict, index, tier: 0 });
    if (asked.relaxed.length > 0) {
      const unfilled = `(SELECT count(*) FROM ${index}_strict) < ${limit}`;
      const relaxed = `${ranked(rarestTerms(table, asked.relaxed, parameters))} AND ${unfilled} ${cut}`;
      tiers.push({ name: `${index}_relaxed`, sql: relaxed, index, tier: 1 });
    }
  }
  if (tiers.length === 0) return undefined;
  const sql = `WITH ${tiers.map(({ name, sql: body }) => `${name} AS MATERIALIZED (${body})`).join(',\n')}
    SELECT t.passage_id, d.id AS document_id, t."index", t.tier, -t.score AS score, d.entity, d.type, d.created_at, d.updated_at
    FROM (${tiers
      .map(
        ({ name, index, tier }) =>
          `SELECT passage_id, score, '${index}' AS "index", ${String(tier)} AS tier FROM ${name}`,
      )
      .join(' UNION ALL ')}) AS t JOIN documents d ON d.id = t.passage_id >> 16
    ORDER BY t.tier, t.score, t.passage_id`;
  return query(sql, parameters.values, (row) => candidateRow.parse(row));
}

/** An FTS5 expression made inside the statement: the terms joined by OR, rarest first, within the budget. */
function rarestTerms(table: string, terms: readonly RelaxedTerm[], parameters: Parameters): string {
  const json = parameters.add(JSON.stringify(terms));
  // The empty string is a query that finds nothing; NULL would be a syntax error.
  return `(SELECT coalesce(group_concat(match, ' OR '), '""') FROM (
    SELECT match, row_number() OVER rarest AS place, sum(postings) OVER rarest AS postings FROM (
      SELECT t.key AS place, t.value ->> 'match' AS match, coalesce(v.doc, 0) AS postings
      FROM json_each(${json}) AS t LEFT JOIN ${table}_vocab AS v ON v.term = t.value ->> 'term'
      WHERE t.value ->> 'term' IS NULL OR v.doc IS NOT NULL)
    WINDOW rarest AS (ORDER BY postings, place ROWS UNBOUNDED PRECEDING))
    WHERE place <= ${String(RELAXED_MINIMUM)} OR postings <= ${String(RELAXED_POSTINGS)})`;
}

/** A document in the order of the sparse ranker; `rank` from 1. */
export interface SparseHit {
  readonly passageId: number;
  readonly documentId: number;
  readonly entity: string;
  readonly type: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly score: number;
  readonly rank: number;
}

/**
 * One ranking out of the rows of both indexes: strict before relaxed; within a tier the indexes take turns by rank,
 * since their scores cannot be compared, prose first. A document counts once, with its best passage.
 */
export function sparseRanking(rows: readonly CandidateRow[]): SparseHit[] {
  const places = new Map<string, number>();
  const placed = rows.map((row) => {
    const key = `${row.index}/${String(row.tier)}`;
    const place = places.get(key) ?? 0;
    places.set(key, place + 1);
    return { row, place };
  });
  placed.sort(
    (a, b) => a.row.tier - b.row.tier || a.place - b.place || Number(a.row.index === 'code') - Number(b.row.index === 'code'),
  );
  const best = new Map<number, CandidateRow>();
  for (const { row } of placed) {
    if (!best.has(row.document_id)) best.set(row.document_id, row);
  }
  return [...best.values()].map((row, at) => ({
    passageId: row.passage_id,
    documentId: row.document_id,
    entity: row.entity,
    type: row.type,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    score: row.score,
    rank: at + 1,
  }));
}
