import { type CandidateRow, NAMED_TIER } from './candidates.ts';
import { type RankedDocument, rankedDocument } from './hit.ts';

/** A document in the order of the sparse ranker, whose score is BM25. */
export interface SparseHit extends RankedDocument {
  readonly index: 'nat' | 'code';
  /** Whether it has every token of the question, or the question names it. */
  readonly strict: boolean;
  /** Whether the question names it. */
  readonly named: boolean;
  /** How its passage begins. */
  readonly opening: string;
}

/**
 * One ranking out of the rows of both indexes: what is named before strict before relaxed; within a tier the indexes take
 * turns by rank, since their scores cannot be compared, prose first. A document counts once, with its best passage.
 */
export function sparseRanking(rows: readonly CandidateRow[]): SparseHit[] {
  const best = new Map<number, CandidateRow>();
  const named = new Set<number>();
  for (const row of inTurns(rows)) {
    const known = best.get(row.document_id);
    if (row.tier === NAMED_TIER) named.add(row.document_id);
    // What is named has its place; the passage that it shows is the one with the words.
    if (known === undefined || known.tier === NAMED_TIER) best.set(row.document_id, row);
  }
  return [...best.values()].map((row, at) => ({
    ...rankedDocument(row, at),
    index: row.index,
    strict: row.tier <= 0,
    named: named.has(row.document_id),
    opening: row.opening,
  }));
}

/** Strict before relaxed; within a tier the indexes take turns by rank, prose first. Rows of one index and tier are in order. */
export function inTurns<Row extends Pick<CandidateRow, 'index' | 'tier'>>(rows: readonly Row[]): Row[] {
  const places = new Map<string, number>();
  const placed = rows.map((row) => {
    const key = `${row.index}/${String(row.tier)}`;
    const place = places.get(key) ?? 0;
    places.set(key, place + 1);
    return { row, place };
  });
  placed.sort(
    (a, b) =>
      a.row.tier - b.row.tier || a.place - b.place || Number(a.row.index === 'code') - Number(b.row.index === 'code'),
  );
  return placed.map(({ row }) => row);
}

/** The first `size` of an order, and beyond them the first of each further entity until there are `entities`. */
export function poolOf<Row extends { readonly entity: string }>(
  ranking: readonly Row[],
  size: number,
  entities: number,
): Row[] {
  const pool = ranking.slice(0, size);
  const seen = new Set(pool.map((row) => row.entity));
  for (const row of ranking.slice(size)) {
    if (seen.size >= entities) break;
    if (seen.has(row.entity)) continue;
    seen.add(row.entity);
    pool.push(row);
  }
  return pool;
}
