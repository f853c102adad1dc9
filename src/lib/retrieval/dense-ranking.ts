import type { DenseRow } from './dense.ts';

/** A document in the order of the dense ranker; `rank` from 1, `score` a cosine. */
export interface DenseHit {
  readonly title: string;
  readonly passageId: number;
  readonly documentId: number;
  readonly entity: string;
  readonly type: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly score: number;
  readonly rank: number;
}

/** Cosines below this are noise: of unrelated texts, of rounding. */
const LEAST_COSINE = 0.05;

/** Documents by their nearest passage, best first. */
export function denseRanking(rows: readonly DenseRow[]): DenseHit[] {
  const best = new Map<number, DenseRow>();
  for (const row of rows) {
    if (row.near && row.score >= LEAST_COSINE && !best.has(row.document_id)) best.set(row.document_id, row);
  }
  return [...best.values()].map((row, at) => ({
    title: row.title,
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
