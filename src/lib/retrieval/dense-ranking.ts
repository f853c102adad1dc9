import type { DenseRow } from './dense.ts';
import { type RankedDocument, rankedDocument } from './hit.ts';

/** Cosines below this are noise: of unrelated texts, of rounding. */
const LEAST_COSINE = 0.05;

/** Documents by their nearest passage, best first; the score is its cosine. */
export function denseRanking(rows: readonly DenseRow[]): RankedDocument[] {
  const best = new Map<number, DenseRow>();
  for (const row of rows) {
    if (row.near && row.score >= LEAST_COSINE && !best.has(row.document_id)) best.set(row.document_id, row);
  }
  return [...best.values()].map(rankedDocument);
}
