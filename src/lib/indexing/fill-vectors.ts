import { Failure } from '../core/failure.ts';
import {
  EMBEDDER_GUARD,
  embeddersQuery,
  embedderUnchanged,
  introduceEndpoint,
  MAX_DIMENSIONS,
  type StoredEmbedder,
} from '../corpus/embedder-store.ts';
import { documentTextsQuery, placesUnchanged, textsUnchanged } from '../corpus/passage-texts.ts';
import { missingPassagesQuery, type PassageVector, vectorSteps } from '../corpus/vector-store.ts';
import { checkpointOf } from '../engine/checkpoint.ts';
import type { WriteStep } from '../engine/database.ts';
import type { Embedder } from '../engine/embedder.ts';
import type { Engine } from '../engine/engine.ts';
import { embeddable, isEndpointFailure, otherDimensions } from './active-embedder.ts';
import { embedPassages } from './embed-passages.ts';
import { type StoredPassage, textsOfPassages } from './stored-passages.ts';

/** Passages that one transaction stores vectors of. */
const BATCH = 512;
/** Times that what others change is read again before it is given up. */
export const MAX_ATTEMPTS = 5;

/** What makes vectors. */
export interface FillTarget {
  readonly embedder: Embedder;
  /** Undefined: an endpoint whose dimensions its first answer will tell. */
  readonly stored: StoredEmbedder | undefined;
  /** Passages without a vector of it. */
  readonly missing: number;
}

/** How much of it. */
export interface EmbeddingBounds {
  /** Passages at most; all unless given. */
  readonly limit?: number | undefined;
  /** Passages up to this id are left alone. */
  readonly after?: number | undefined;
}

/** How far a run came. */
export interface Filled {
  /** Passages that got their vector. */
  readonly embedded: number;
  /** The passage that was looked at last; a run with this cursor goes on behind it. */
  readonly cursor: number;
  /** Whether no passage after the cursor is without a vector. */
  readonly done: boolean;
  /** Why an endpoint made no more of them; null where nothing failed. */
  readonly failure: Failure | null;
}

/**
 * Gives passages without a vector theirs, in batches that are each a transaction. Undefined where a newer model took the
 * place of this one meanwhile: nobody compares its vectors. Fails with `interrupted`, or with `database_busy` where others
 * change the texts all the time; what was stored stays.
 */
export async function fillVectors(
  engine: Engine,
  { embedder, missing, stored: given }: FillTarget,
  { limit = Number.POSITIVE_INFINITY, after = 0 }: EmbeddingBounds,
): Promise<Filled | undefined> {
  const { database, signal, progress } = engine;
  const checkpoint = checkpointOf(signal, () =>
    embeddingStopped('stopped; the vectors of what was embedded are stored'),
  );
  let stored = given;
  let embedded = 0;
  let cursor = after;
  let attempts = 0;
  if (missing <= 0) return { embedded, cursor, done: true, failure: null };
  const step = progress.start('vectors', missing);
  const ended = (done: boolean, failure: Failure | null = null): Filled => {
    step.end();
    return { embedded, cursor, done, failure };
  };
  for (;;) {
    await checkpoint();
    const size = Math.min(BATCH, limit - embedded);
    if (size <= 0) return ended(false);
    // No embedder has the id 0.
    const wanted = { embedderId: stored?.id ?? 0, after: cursor, limit: size, allowed: embeddable(engine) };
    const [places] = await database.read([missingPassagesQuery(wanted)]);
    const last = places.at(-1);
    if (last === undefined) return ended(true);
    const documents = [...new Set(places.map(({ documentId }) => documentId))];
    const [texts] = await database.read([documentTextsQuery(documents)]);
    const made = await vectorsOf(engine, embedder, stored, textsOfPassages(texts, places));
    if (made instanceof Failure) return ended(false, made);
    const unchanged = [textsUnchanged(texts), placesUnchanged(places)];
    const outcome = await database.write([...unchanged, ...vectorsStored(embedder.id, stored, made)], 'normal');
    if (outcome.applied) {
      attempts = 0;
      embedded += made.length;
      cursor = last.passageId;
      step.advance(embedded);
    } else {
      // Somebody stored another version of one of these documents, or cut it anew: they are read again.
      attempts += 1;
      if (attempts > MAX_ATTEMPTS) throw indexBusy();
    }
    // An endpoint is known from its first vector on; others may have made it known with other dimensions.
    if (stored === undefined || (!outcome.applied && outcome.guard === EMBEDDER_GUARD))
      stored = await embedderNamed(engine, embedder.id);
    if (stored === undefined && engine.embedder === 'lsa') {
      step.end();
      return undefined;
    }
  }
}

/** What an endpoint fails with is a value: what was made before counts. */
async function vectorsOf(
  engine: Engine,
  embedder: Embedder,
  stored: StoredEmbedder | undefined,
  passages: readonly StoredPassage[],
): Promise<PassageVector[] | Failure> {
  try {
    const vectors = await embedPassages(engine, embedder, passages);
    const made = passages.flatMap(({ passageId }, at) => {
      const vector = vectors[at];
      return vector === undefined ? [] : [{ passage: passageId, vector }];
    });
    const dimensions = stored?.dimensions ?? made[0]?.vector.length ?? 0;
    if (dimensions > MAX_DIMENSIONS) return tooManyDimensions(embedder.id, dimensions);
    const other = made.find(({ vector }) => vector.length !== dimensions);
    return other === undefined ? made : otherDimensions(embedder.id, other.vector.length, dimensions);
  } catch (error) {
    if (!isEndpointFailure(engine, error)) throw error;
    return error;
  }
}

/** Stores vectors as long as their embedder is what it was. */
function vectorsStored(
  name: string,
  stored: StoredEmbedder | undefined,
  made: readonly PassageVector[],
): readonly WriteStep[] {
  const dimensions = stored?.dimensions ?? made[0]?.vector.length;
  if (dimensions === undefined) return [];
  const known = stored === undefined ? introduceEndpoint(name, dimensions) : [embedderUnchanged(name, dimensions)];
  return [...known, ...vectorSteps({ name, dimensions }, made)];
}

/** The stored embedder of a name. */
export async function embedderNamed({ database }: Engine, name: string): Promise<StoredEmbedder | undefined> {
  const [embedders] = await database.read([embeddersQuery()]);
  return embedders.find((each) => each.name === name);
}

function tooManyDimensions(name: string, dimensions: number): Failure {
  return new Failure(
    'endpoint_unusable',
    `${name} gives vectors of ${String(dimensions)} dimensions; an index holds ${String(MAX_DIMENSIONS)} at most`,
    {
      hint: 'Nothing was stored under this name. Use a model with fewer dimensions.',
    },
  );
}

/** An interruption, in words that say what is stored. */
export function embeddingStopped(message: string): Failure {
  return new Failure('interrupted', message, {
    hint: 'Run gh-rag backfill embeddings to go on from there.',
  });
}

/** Others change what is embedded all the time. */
export function indexBusy(): Failure {
  return new Failure('database_busy', 'others write to the index faster than it can be embedded', {
    hint: 'Run gh-rag backfill embeddings when they are done.',
  });
}
