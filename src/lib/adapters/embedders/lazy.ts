import type { Embedder } from '../../engine/embedder.ts';
import { type EmbedderEndpoint, endpointEmbedderId } from './endpoint-id.ts';

/** The embedder of an endpoint; what speaks to it is loaded by the first call. */
export function lazyEmbedder(endpoint: EmbedderEndpoint): Embedder {
  let loaded: Promise<Embedder> | undefined;
  const load = async (): Promise<Embedder> => (await import('./endpoint.ts')).endpointEmbedder(endpoint);
  return {
    id: endpointEmbedderId(endpoint),
    embed: async (texts, role, signal) => (await (loaded ??= load())).embed(texts, role, signal),
  };
}
