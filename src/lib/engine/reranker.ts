/** Scores passages against a query; higher is better. */
export interface Reranker {
  readonly id: string;
  rerank(query: string, passages: readonly string[], signal: AbortSignal): Promise<number[]>;
}
