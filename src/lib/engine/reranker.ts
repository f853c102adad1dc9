/** Scores passages against a query; higher is better. */
export interface Reranker {
  /** Names the model; holds no secret. */
  readonly id: string;
  /**
   * One finite score per passage, in their order; scores of different calls are not comparable. All or nothing: fails
   * like {@link import('./embedder.ts').Embedder.embed}, and within seconds.
   */
  rerank(query: string, passages: readonly string[], signal: AbortSignal): Promise<number[]>;
}
