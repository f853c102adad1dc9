import * as z from 'zod';
import { DOCUMENT_TYPES } from '../corpus/document-types.ts';
import { documentPredicate, type Filters, Parameters } from '../corpus/filters.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import { anyOf, type FtsQuery, type RelaxedTerm } from './fts-query.ts';
import type { NamedThread } from './named-threads.ts';
import { OPENING } from './opening.ts';

const TABLES = { nat: 'passages_nat', code: 'passages_code' } as const;

/** Weights of the columns title, heading, reference and body in BM25. */
const WEIGHTS = '3.0, 2.0, 2.0, 1.0';

// The relaxed tier asks for the rarest terms only: frequent ones cost most and say least. A term is taken while the
// passages to be scored (2 µs each for BM25 alone) stay under the budget, which grows with the corpus; the first always
// is.
const RELAXED_POSTINGS = 2000;
const RELAXED_SHARE = 8;

/** Threads of one number there may be in each of many repositories: the newest of them. */
const MOST_NAMED = 8;

/** How many passages of a tier are looked through for further entities when few of them fill its pool. */
const STRICT_DEPTH = 1000;
const RELAXED_DEPTH = 200;

/** The tier of what a question names; the others are strict, relaxed and last. */
export const NAMED_TIER = -1;

const candidateRow = z.object({
  passage_id: z.int(),
  document_id: z.int(),
  index: z.enum(['nat', 'code']),
  tier: z.int(),
  score: z.number(),
  entity: z.string(),
  type: z.string(),
  title: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
  opening: z.string(),
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
 * The sparse side as one statement: the threads that the question names; per index a strict tier (every token), below it,
 * where that does not fill the pool, a relaxed one (any of the rarest tokens), and where both find nothing, a last one:
 * filters may have left only passages with the frequent tokens, so any of them; without filters all that is left to ask
 * for are function words. BM25 is FTS5's, negated so that higher is better. Each comes with how it begins. Undefined when
 * the text holds nothing that an index could find.
 */
export function candidatesQuery(
  fts: FtsQuery,
  named: readonly NamedThread[],
  filters: Filters,
  allowed: Allowed,
  cut: CandidateCut,
): Query<CandidateRow> | undefined {
  const parameters = new Parameters();
  const pool = parameters.add(cut.pool);
  const entities = parameters.add(cut.entities);
  const predicate = documentPredicate(filters, allowed, parameters);
  const filtered = allowed !== 'all' || Object.values(filters).some((filter) => filter !== undefined);
  const tables: string[] = [];
  const tiers: { name: string; index: string; tier: number }[] = [];
  if (named.length > 0) {
    tiers.push({ name: 'named', index: 'nat', tier: NAMED_TIER });
    tables.push(`named AS MATERIALIZED (${namedQuery(named, predicate, parameters)})`);
  }
  for (const index of ['nat', 'code'] as const) {
    const asked = fts[index];
    if (asked === null || !mayHold(index, filters)) continue;
    const table = TABLES[index];
    const strict = `${index}_strict`;
    const relaxed = `${index}_relaxed`;
    // SQLite parses a table anew wherever it is named, with all that it names: a guard names as few as it can. It is part
    // of the expression, since a condition would be looked at once for each passage that matches.
    const add = (name: string, tier: number, match: string, by: CandidateCut['by'], depth: number): void => {
      tiers.push({ name, index, tier });
      const found = tierQuery(table, match, predicate, by);
      tables.push(`${name} AS MATERIALIZED (${found} LIMIT ${String(Math.max(depth, cut.pool))})`);
    };
    add(strict, 0, parameters.add(asked.strict), cut.by, STRICT_DEPTH);
    if (asked.relaxed.length === 0) continue;
    const few = `count(DISTINCT entity) < ${entities}`;
    const unfilled = `(SELECT ${cut.by === 'score' ? `${few} OR count(*) < ${pool}` : few} FROM ${strict})`;
    const rarest = rarestTerms(table, asked.relaxed, parameters);
    add(relaxed, 1, `(CASE WHEN ${unfilled} THEN ${rarest} ELSE '""' END)`, 'score', RELAXED_DEPTH);
    const last = filtered ? [...asked.relaxed, ...asked.functionWords] : asked.functionWords;
    if (last.length === 0) continue;
    const nothing = `NOT EXISTS (SELECT 1 FROM ${strict}) AND NOT EXISTS (SELECT 1 FROM ${relaxed})`;
    const any = filtered ? parameters.add(anyOf(last)) : rarestTerms(table, last, parameters);
    add(`${index}_last`, 2, `(CASE WHEN ${nothing} THEN ${any} ELSE '""' END)`, 'score', RELAXED_DEPTH);
  }
  if (tiers.length === 0) return undefined;
  // A tier comes in the order of its place: its pool, and where that holds too few entities, the first of each further.
  const found = tiers.map(
    ({ name, index, tier }) => `SELECT passage_id, score, place, '${index}' AS "index", ${String(tier)} AS tier FROM (
      SELECT * FROM (SELECT * FROM ${name} LIMIT ${pool}) UNION ALL
      SELECT passage_id, score, entity, min(place) FROM (SELECT * FROM ${name} LIMIT -1 OFFSET ${pool})
      WHERE (SELECT count(DISTINCT entity) FROM (SELECT entity FROM ${name} LIMIT ${pool})) < ${entities} GROUP BY entity)`,
  );
  const sql = `WITH ${tables.join(',\n')}
    SELECT t.passage_id, d.id AS document_id, t."index", t.tier, -t.score AS score, d.entity, d.type, d.title, d.created_at, d.updated_at, ${OPENING} AS opening
    FROM (${found.join(' UNION ALL ')}) AS t CROSS JOIN documents d ON d.id = t.passage_id >> 16
      CROSS JOIN passages p ON p.id = t.passage_id CROSS JOIN bodies b ON b.document_id = d.id
    ORDER BY t.tier, CASE t.tier WHEN ${String(NAMED_TIER)} THEN t.place END, t.score, t.passage_id`;
  return query(sql, parameters.values, (row) => candidateRow.parse(row));
}

/** The threads that are named, by their first passage, in the order in which they are: a full name is never cut. */
function namedQuery(named: readonly NamedThread[], predicate: string, parameters: Parameters): string {
  const threads = parameters.add(JSON.stringify(named));
  return `SELECT d.id << 16 AS passage_id, 0.0 AS score, d.entity, t.key AS place
    FROM json_each(${threads}) AS t CROSS JOIN repos r CROSS JOIN documents d
      ON d.repo_id = r.id AND d.number = t.value ->> 'number' AND d.type IN ('issue', 'pull_request')
    WHERE (t.value ->> 'repo' IS NULL OR t.value ->> 'repo' IN (lower(r.slug), lower(substr(r.slug, instr(r.slug, '/') + 1))))
      AND ${predicate}
    ORDER BY t.key, d.updated_at DESC, d.id LIMIT ${String(MOST_NAMED)}`;
}

/** What matches, first place first. */
function tierQuery(table: string, match: string, predicate: string, by: CandidateCut['by']): string {
  const ranked = `SELECT ${table}.rowid AS passage_id, bm25(${table}, ${WEIGHTS}) AS score`;
  if (by !== 'score') {
    return `${ranked}, d.entity, -d.${by} AS place FROM ${table} CROSS JOIN documents d ON d.id = ${table}.rowid >> 16
      WHERE ${table} MATCH ${match} AND ${predicate} ORDER BY place, score, passage_id`;
  }
  // Documents are looked at in the order of the ranking and no further than the cut. LIMIT -1 keeps SQLite from merging
  // the ranking into the join, which would look at the document of every passage that matches.
  return `SELECT m.passage_id, m.score, d.entity, m.score AS place
    FROM (${ranked} FROM ${table} WHERE ${table} MATCH ${match} ORDER BY score, passage_id LIMIT -1) AS m
    CROSS JOIN documents d ON d.id = m.passage_id >> 16 WHERE ${predicate}`;
}

/** Whether an index holds any document that the filters let through. */
function mayHold(index: 'nat' | 'code', { type }: Filters): boolean {
  return type === undefined || type.some((name) => DOCUMENT_TYPES[name].tokenizer === index);
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
    WHERE place = 1 OR postings <= (SELECT max(${String(RELAXED_POSTINGS)}, id / ${String(RELAXED_SHARE)}) FROM documents ORDER BY id DESC LIMIT 1))`;
}
