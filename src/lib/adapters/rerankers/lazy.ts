import type { Reranker } from '../../engine/reranker.ts';
import { endpointRerankerId, type RerankerEndpoint } from './endpoint-id.ts';

/** The reranker of an endpoint; what speaks to it is loaded by the first call. */
export function lazyReranker(endpoint: RerankerEndpoint): Reranker {
  let loaded: Promise<Reranker> | undefined;
  const load = async (): Promise<Reranker> => (await import('./endpoint.ts')).endpointReranker(endpoint);
  return {
    id: endpointRerankerId(endpoint),
    rerank: async (query, passages, signal) => (await (loaded ??= load())).rerank(query, passages, signal),
  };
}
