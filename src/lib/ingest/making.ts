import type { Failure } from '../core/failure.ts';
import type { EdgeExtractor } from '../corpus/edge.ts';
import type { BatchEmbedder, Indexer } from '../corpus/indexed-document.ts';
import type { Engine } from '../engine/engine.ts';

/** What makes documents searchable. */
export interface Making {
  readonly index: Indexer;
  readonly edgesOf: EdgeExtractor;
  /** Embeds what a run writes, as it is written. */
  readonly batchEmbedder: (engine: Engine) => BatchEmbedder;
  /** Embeds what is stored without vectors. */
  readonly embedIndex: (engine: Engine) => Promise<{
    /** Null: there is no embedder, or nothing that one could tell apart. */
    readonly embedder: string | null;
    /** Passages that got their vector. */
    readonly embedded: number;
    /** Why an endpoint made no more of them; null where nothing failed. */
    readonly failure: Failure | null;
  }>;
}
