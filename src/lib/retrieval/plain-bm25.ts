import * as z from 'zod';
import { codePointLength } from '../core/text.ts';
import { documentPredicate, Parameters } from '../corpus/filters.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import { wordsOf } from '../indexing/segment.ts';
import { inTurns } from './sparse-ranking.ts';

const row = z.object({ index: z.enum(['nat', 'code']), tier: z.int(), entity: z.string() });
type Row = z.output<typeof row>;

/** Passages read of each index and tier. */
const DEPTH = 200;
const MAX_WORDS = 64;
/** The trigram index knows nothing shorter. */
const TRIGRAM = 3;

/**
 * The baseline of an evaluation: FTS5 as it comes, over the same passages. Every word of the question by AND, below it
 * any word by OR, by `bm25()` with equal weights; no word is left out, no identifier is taken apart.
 */
export function plainBm25Query(text: string, repo: string, allowed: Allowed): Query<Row> | undefined {
  const words = [...new Set(wordsOf(text).map((word) => word.text))].slice(0, MAX_WORDS);
  const quoted = words.map((word) => `"${word.replaceAll('"', '""')}"`);
  const parameters = new Parameters();
  const predicate = documentPredicate({ repo: [repo] }, allowed, parameters);
  const tier = (index: 'nat' | 'code', number: number, terms: readonly string[], operator: string): string[] =>
    terms.length === 0
      ? []
      : [
          `SELECT * FROM (SELECT '${index}' AS "index", ${String(number)} AS tier, d.entity FROM passages_${index} p
             CROSS JOIN documents d ON d.id = p.rowid >> 16
             WHERE passages_${index} MATCH ${parameters.add(terms.join(operator))} AND ${predicate}
             ORDER BY bm25(passages_${index}), p.rowid LIMIT ${String(DEPTH)})`,
        ];
  const long = quoted.filter((_, at) => codePointLength(words[at] ?? '') >= TRIGRAM);
  const tiers = [
    ...tier('nat', 0, quoted, ' AND '),
    ...tier('code', 0, long, ' AND '),
    ...tier('nat', 1, quoted, ' OR '),
    ...tier('code', 1, long, ' OR '),
  ];
  if (tiers.length === 0) return undefined;
  return query(tiers.join(' UNION ALL '), parameters.values, (each) => row.parse(each));
}

/** Entities in their order. */
export function plainRanking(rows: readonly Row[]): string[] {
  return [...new Set(inTurns(rows).map(({ entity }) => entity))];
}
