import { Failure } from '../core/failure.ts';
import { allEmbeddersQuery, type StoredEmbedder } from '../corpus/embedder-store.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Embedder, isEmbedderFailure } from '../engine/embedder.ts';
import type { Engine } from '../engine/engine.ts';
import { lsaEmbedder } from './lsa/lsa-embedder.ts';

/** The embedder whose vectors searches compare, as far as the index has any. */
export interface ActiveEmbedder {
  readonly embedder: Embedder;
  readonly stored: StoredEmbedder;
}

/** Chooses among what is stored: of models of its own the newest that is ready, of an endpoint its own row. */
export function activeEmbedder(
  { embedder, database }: Pick<Engine, 'embedder' | 'database'>,
  embedders: readonly StoredEmbedder[],
): ActiveEmbedder | undefined {
  if (embedder === null) return undefined;
  if (embedder !== 'lsa') {
    const stored = embedders.find(({ name }) => name === embedder.id);
    return stored && { embedder, stored };
  }
  const stored = embedders.find(({ kind, state }) => kind === 'lsa' && state === 'ready');
  return stored && { embedder: lsaEmbedder(database, stored), stored };
}

/** As {@link activeEmbedder}, asking the database; also an endpoint of which nothing is stored any more. */
export async function findActiveEmbedder(engine: Engine): Promise<ActiveEmbedder | undefined> {
  if (engine.embedder === null) return undefined;
  const [embedders] = await engine.database.read([allEmbeddersQuery()]);
  return activeEmbedder(engine, embedders);
}

/**
 * Whose texts are embedded: an endpoint is sent what is allowed and nothing else. A model of the index's own sends nothing
 * anywhere, and searches use it when it has made vectors of everything.
 */
export function embeddable({ embedder, allowed }: Pick<Engine, 'embedder' | 'allowed'>): Allowed {
  return embedder === 'lsa' ? 'all' : allowed;
}

/**
 * Whether what was thrown says that an endpoint could not be used: words still can. A model of the index's own asks nobody;
 * what fails there is the database, and nothing can do without it.
 */
export function isEndpointFailure({ embedder }: Pick<Engine, 'embedder'>, error: unknown): error is Failure {
  return embedder !== 'lsa' && isEmbedderFailure(error);
}

/** Refuses vectors that cannot be compared with those of `stored` dimensions that the same name has made. */
export function otherDimensions(name: string, dimensions: number, stored: number): Failure {
  return new Failure(
    'endpoint_unusable',
    `${name} now gives ${String(dimensions)} dimensions; vectors of ${String(stored)} are stored`,
    {
      hint: 'Serve the former model again, or name this one otherwise in GH_RAG_EMBEDDER_MODEL and run gh-rag backfill embeddings.',
    },
  );
}
