/** Depth of every measure. */
export const CUTOFF = 10;

/** How good one ranking is, or the mean over many; each from 0 to 1. */
export interface Relevance {
  /** Reciprocal rank of the first relevant result, 0 beyond the cutoff. */
  readonly mrr_10: number;
  /** Share of what is relevant that is in the first ten. */
  readonly recall_10: number;
  /** Discounted cumulative gain over that of the best order, with binary gains (Järvelin and Kekäläinen, TOIS 2002). */
  readonly ndcg_10: number;
  readonly hits_1: number;
  readonly hits_3: number;
}

export const MEASURES = ['mrr_10', 'recall_10', 'ndcg_10', 'hits_1', 'hits_3'] as const;

/** Rank, from 1, of the first relevant item; null where none is in the first ten. */
export function firstRank(ranking: readonly string[], relevant: ReadonlySet<string>): number | null {
  const at = ranking.slice(0, CUTOFF).findIndex((item) => relevant.has(item));
  return at < 0 ? null : at + 1;
}

/** Judges a ranking of distinct items, best first. `relevant` holds at least one item. */
export function judge(ranking: readonly string[], relevant: ReadonlySet<string>): Relevance {
  const shown = ranking.slice(0, CUTOFF);
  const rank = firstRank(shown, relevant);
  const found = shown.filter((item) => relevant.has(item)).length;
  const gain = shown.reduce((sum, item, at) => sum + (relevant.has(item) ? discount(at) : 0), 0);
  const best = Array.from({ length: Math.min(relevant.size, CUTOFF) }, (_, at) => discount(at));
  return {
    mrr_10: rank === null ? 0 : 1 / rank,
    recall_10: found / relevant.size,
    ndcg_10: gain / best.reduce((sum, each) => sum + each, 0),
    hits_1: rank === 1 ? 1 : 0,
    hits_3: rank !== null && rank <= 3 ? 1 : 0,
  };
}

function discount(at: number): number {
  return 1 / Math.log2(at + 2);
}

/** The mean of each measure; zeros where there is nothing. */
export function meanRelevance(judged: readonly Relevance[]): Relevance {
  const mean = (measure: keyof Relevance): number =>
    judged.length === 0 ? 0 : judged.reduce((sum, each) => sum + each[measure], 0) / judged.length;
  return {
    mrr_10: mean('mrr_10'),
    recall_10: mean('recall_10'),
    ndcg_10: mean('ndcg_10'),
    hits_1: mean('hits_1'),
    hits_3: mean('hits_3'),
  };
}
