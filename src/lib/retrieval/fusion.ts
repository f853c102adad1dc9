/** Constant of Reciprocal Rank Fusion (Cormack, Clarke and Büttcher, SIGIR 2009). */
export const RRF_K = 60;

/**
 * Reciprocal Rank Fusion: the sum over the rankers of 1 / (k + rank), with ranks from 1. A ranker that does not hold
 * the item (null) adds 0.
 */
export function reciprocalRankFusion(ranks: readonly (number | null)[]): number {
  return ranks.reduce<number>((sum, rank) => sum + (rank === null ? 0 : 1 / (RRF_K + rank)), 0);
}
