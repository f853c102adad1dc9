import * as z from 'zod';
import { documentPredicate, type Filters, Parameters } from '../corpus/filters.ts';
import { type Query, query } from '../engine/database.ts';
import { anyOf, type FtsQuery, type RelaxedTerm } from './fts-query.ts';

const TABLES = { nat: 'passages_nat', code: 'passages_code' } as const;

/** Weights of the columns title, heading, reference and body in BM25. */
const WEIGHTS = '3.0, 2.0, 2.0, 1.0';

// The relaxed tier asks for the rarest terms only: frequent ones cost most and say least. A term is taken while the
// passages to be scored stay under the budget (2 µs each for BM25 alone); the first always is.
const RELAXED_POSTINGS = 15_000;
const RELAXED_MINIMUM = 1;

/** How deep a tier is looked through for further entities when few of them fill its pool; in passages. */
const DEEPEST_PASSAGE = 5000;

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

/** How many candidates, and by what. */
export interface CandidateCut {
  /** Passages per index and tier. */
  readonly pool: number;
  /** Beyond the pool a tier goes on until it has this many entities. */
  readonly entities: number;
  /** What the strict tier is cut by; with a time, the newest of all that match are among the candidates. */
  readonly by: 'score' | 'updated_at' | 'created_at';
}

/**
 * The sparse side as one statement: per index a strict tier (every token), below it, where that does not fill the pool,
 * a relaxed one (any of the rarest tokens), and where all of these find nothing, any token at all: a filter may have
 * left only passages with the frequent ones. BM25 is FTS5's, negated so that higher is better. Undefined when the text
 * holds nothing that either index could find.
 */
export function candidatesQuery(fts: FtsQuery, filters: Filters, cut: CandidateCut): Query<CandidateRow> | undefined {
  const parameters = new Parameters();
  const pool = parameters.add(cut.pool);
  const entities = parameters.add(cut.entities);
  const predicate = documentPredicate(filters, parameters);
  const tables: string[] = [];
  const tiers: { name: string; index: string; tier: number }[] = [];
  /** Adds the best passages of a tier, and those of further entities where few entities fill the pool. */
  const addTier = (
    index: 'nat' | 'code',
    tier: number,
    match: string,
    by: CandidateCut['by'],
    guard = 'true',
  ): string => {
    const name = `${index}_${String(tier)}`;
    const table = TABLES[index];
    // The guard is part of the expression: as a condition it would be looked at once for each passage that matches.
    const ranked = (condition: string, limit: string): string =>
      `SELECT ${table}.rowid AS passage_id, bm25(${table}, ${WEIGHTS}) AS score, ${by === 'score' ? '0' : `-d.${by}`} AS age, d.entity
       FROM ${table} CROSS JOIN documents d ON d.id = ${table}.rowid >> 16
       WHERE ${table} MATCH (CASE WHEN ${condition} THEN ${match} ELSE '""' END) AND ${predicate} ORDER BY age, score, passage_id LIMIT ${limit}`;
    const crowded = `(SELECT count(*) >= ${pool} AND count(DISTINCT entity) < ${entities} FROM ${name})`;
    tables.push(
      `${name} AS MATERIALIZED (${ranked(guard, pool)})`,
      // A bare column of an aggregate with min() comes from the row of the minimum.
      `${name}_further AS MATERIALIZED (
         SELECT passage_id, score, entity, min(place) AS place
         FROM (SELECT *, row_number() OVER (ORDER BY age, score, passage_id) AS place FROM (${ranked(crowded, String(DEEPEST_PASSAGE))}))
         WHERE entity NOT IN (SELECT entity FROM ${name}) GROUP BY entity ORDER BY place LIMIT ${entities})`,
    );
    tiers.push({ name, index, tier }, { name: `${name}_further`, index, tier });
    return name;
  };
  const relaxable = (['nat', 'code'] as const).flatMap((index) => {
    const asked = fts[index];
    if (asked === null) return [];
    const strict = addTier(index, 0, parameters.add(asked.strict), cut.by);
    const all = `(SELECT entity FROM ${strict} UNION ALL SELECT entity FROM ${strict}_further)`;
    const wanted =
      cut.by === 'score'
        ? `count(*) < ${pool} OR count(DISTINCT entity) < ${entities}`
        : `count(DISTINCT entity) < ${entities}`;
    return asked.relaxed.length === 0
      ? []
      : [{ index, terms: asked.relaxed, unfilled: `(SELECT ${wanted} FROM ${all})` }];
  });
  for (const { index, terms, unfilled } of relaxable) {
    addTier(index, 1, rarestTerms(TABLES[index], terms, parameters), 'score', unfilled);
  }
  const nothing = tiers.map(({ name }) => `NOT EXISTS (SELECT 1 FROM ${name})`).join(' AND ');
  for (const { index, terms } of relaxable) {
    if (terms.length > RELAXED_MINIMUM) addTier(index, 2, parameters.add(anyOf(terms)), 'score', nothing);
  }
  if (tiers.length === 0) return undefined;
  const found = tiers.map(
    ({ name, index, tier }) => `SELECT passage_id, score, '${index}' AS "index", ${String(tier)} AS tier FROM ${name}`,
  );
  const sql = `WITH ${tables.join(',\n')}
    SELECT t.passage_id, d.id AS document_id, t."index", t.tier, -t.score AS score, d.entity, d.type, d.created_at, d.updated_at
    FROM (${found.join(' UNION ALL ')}) AS t JOIN documents d ON d.id = t.passage_id >> 16
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
