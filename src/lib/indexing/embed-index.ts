import { Failure } from '../core/failure.ts';
import {
  embeddersQuery,
  insertEmbedder,
  introduceEndpoint,
  MAX_DIMENSIONS,
  removeEmbedderSteps,
  setEmbedderState,
  type StoredEmbedder,
} from '../corpus/embedder-store.ts';
import { documentTextsQuery, placesUnchanged, textsUnchanged } from '../corpus/passage-texts.ts';
import {
  coverageQuery,
  covered,
  everythingEmbedded,
  missingPassagesQuery,
  vectorSteps,
} from '../corpus/vector-store.ts';
import { type Vocabulary, vocabularyQuery, writeVocabularyMark } from '../corpus/watermark.ts';
import { checkpointOf } from '../engine/checkpoint.ts';
import type { Embedder } from '../engine/embedder.ts';
import type { Engine } from '../engine/engine.ts';
import { embeddable, otherDimensions } from './active-embedder.ts';
import { embedPassages } from './embed-passages.ts';
import { lsaEmbedder } from './lsa/lsa-embedder.ts';
import { insertTerms } from './lsa/lsa-store.ts';
import { dueRetraining, PLAIN_TRAINING, type Retraining, unlearnedBy } from './lsa/retraining.ts';
import { trainLsa } from './lsa/train.ts';
import { readTrainingSet } from './lsa/training-set.ts';
import { textsOfPassages } from './stored-passages.ts';

/** Passages that one transaction stores vectors of. */
const BATCH = 512;
/** Terms that one transaction stores. */
const TERMS_BATCH = 5000;
const MAX_ATTEMPTS = 5;

/** What a run of {@link embedIndex} did, and what is left. */
export interface EmbeddingReport {
  /** Null: there is no embedder, or nothing that one could tell apart. */
  readonly embedder: string | null;
  /** Passages that got their vector. */
  readonly embedded: number;
  /** The passage that was looked at last; a run with this cursor goes on behind it. */
  readonly cursor: number;
  /** Whether no passage after the cursor is without a vector. */
  readonly done: boolean;
}

/** How much of it. */
export interface EmbeddingBounds {
  /** Passages at most; all unless given. */
  readonly limit?: number | undefined;
  /** Passages up to this id are left alone. */
  readonly after?: number | undefined;
}

/**
 * Gives the passages without a vector theirs, in batches that are each a transaction; interrupted, it goes on where it
 * stood. Latent semantics are trained where there are none, or where the index outgrew them: searches use the new model
 * when all passages have its vectors, and what the old one made is removed. Fails with `interrupted`, or as the embedder
 * does; what was stored stays.
 */
export async function embedIndex(engine: Engine, bounds: EmbeddingBounds = {}): Promise<EmbeddingReport> {
  const target = await targetOf(engine);
  if (target === undefined) return { embedder: null, embedded: 0, cursor: 0, done: true };
  const report = await fill(engine, target, bounds);
  const { stored } = target;
  // A part that reached the end need not have begun at the beginning: that all is there is checked as it takes over.
  if (report.done && stored !== undefined && stored.state !== 'ready') await takeOver(engine, stored);
  return report;
}

/** What makes vectors; not stored yet: an endpoint whose dimensions its first answer will tell. */
interface Target {
  readonly embedder: Embedder;
  /** Passages without a vector of it. */
  readonly missing: number;
  stored: StoredEmbedder | undefined;
}

async function targetOf(engine: Engine): Promise<Target | undefined> {
  const { embedder, database } = engine;
  if (embedder === null) return undefined;
  const [embedders, coverage, [vocabulary = { mark: undefined, came: 0, greatest: 0 }]] = await database.read([
    embeddersQuery(),
    coverageQuery(embeddable(engine)),
    vocabularyQuery(),
  ]);
  const passages = covered(coverage, null);
  const missingOf = (stored: StoredEmbedder | undefined): number => passages - covered(coverage, stored);
  if (embedder !== 'lsa') {
    const stored = embedders.find(({ name }) => name === embedder.id);
    return { embedder, stored, missing: missingOf(stored) };
  }
  const newest = embedders.find(({ kind, state }) => kind === 'lsa' && state !== 'training');
  const due = newest === undefined ? PLAIN_TRAINING : await dueRetraining(engine, newest, passages, vocabulary);
  const stored = due === undefined ? newest : ((await train(engine, passages, vocabulary, due)) ?? newest);
  return stored && { embedder: lsaEmbedder(database, stored), stored, missing: missingOf(stored) };
}

/** Undefined where there is too little to learn from. */
async function train(
  engine: Engine,
  passages: number,
  { greatest }: Vocabulary,
  due: Retraining,
): Promise<StoredEmbedder | undefined> {
  const { database, signal, clock } = engine;
  if (passages === 0) return undefined;
  const checkpoint = checkpointOf(signal, () => {
    return interrupted('stopped while learning from the texts; what is indexed is stored');
  });
  const model = await trainLsa(await readTrainingSet(engine, checkpoint), checkpoint);
  if (model === undefined) return undefined;
  const { name, dimensions, terms } = model;
  await database.write([insertEmbedder({ name, kind: 'lsa', dimensions, trainedOn: passages, state: 'training' })]);
  for (let from = 0; from < terms.length; from += TERMS_BATCH) {
    await checkpoint();
    await database.write(insertTerms(name, terms.slice(from, from + TERMS_BATCH)), 'normal');
  }
  const stored = await storedUnder(engine, name);
  if (stored === undefined) return undefined;
  const unlearned = await unlearnedBy(engine, stored, due);
  const mark = writeVocabularyMark({ model: name, last: greatest, unlearned }, clock.now());
  if (stored.state !== 'training') {
    await database.write([mark]);
    return stored;
  }
  await database.write([setEmbedderState(stored.id, 'filling'), mark]);
  return { ...stored, state: 'filling' };
}

async function fill(engine: Engine, target: Target, { limit, after = 0 }: EmbeddingBounds): Promise<EmbeddingReport> {
  const { database, signal, progress } = engine;
  const { embedder, missing } = target;
  const allowed = embeddable(engine);
  const checkpoint = checkpointOf(signal, () => interrupted('stopped; the vectors of what was embedded are stored'));
  let embedded = 0;
  let cursor = after;
  let attempts = 0;
  if (missing <= 0) return { embedder: embedder.id, embedded, cursor, done: true };
  const step = progress.start('vectors', missing);
  for (;;) {
    await checkpoint();
    const size = Math.min(BATCH, (limit ?? Number.POSITIVE_INFINITY) - embedded);
    if (size <= 0) {
      step.end();
      return { embedder: embedder.id, embedded, cursor, done: false };
    }
    // No embedder has the id 0.
    const embedderId = target.stored?.id ?? 0;
    const [places] = await database.read([missingPassagesQuery({ embedderId, after: cursor, limit: size, allowed })]);
    const last = places.at(-1);
    if (last === undefined) {
      step.end();
      return { embedder: embedder.id, embedded, cursor, done: true };
    }
    const documents = [...new Set(places.map(({ documentId }) => documentId))];
    const [texts] = await database.read([documentTextsQuery(documents)]);
    const passages = textsOfPassages(texts, places);
    const vectors = await embedPassages(engine, embedder, passages);
    const rows = passages.flatMap(({ passageId }, at) => {
      const vector = vectors[at];
      return vector === undefined ? [] : [{ passage: passageId, vector }];
    });
    const dimensions = target.stored?.dimensions ?? rows[0]?.vector.length ?? 0;
    if (dimensions > MAX_DIMENSIONS) throw tooManyDimensions(embedder.id, dimensions);
    const other = rows.find(({ vector }) => vector.length !== dimensions);
    if (other !== undefined) throw otherDimensions(embedder.id, other.vector.length, dimensions);
    // An endpoint is used from its first vector on.
    const introduction =
      target.stored === undefined && dimensions > 0 ? introduceEndpoint(embedder.id, dimensions) : [];
    const outcome = await database.write(
      [...introduction, textsUnchanged(texts), placesUnchanged(places), ...vectorSteps(embedder.id, rows)],
      'normal',
    );
    if (introduction.length > 0) target.stored = await storedUnder(engine, embedder.id);
    if (!outcome.applied) {
      // Somebody stored another version of one of these documents, or cut it anew: they are read again. Or introduced the
      // endpoint with other dimensions, which the next round refuses.
      attempts += 1;
      if (attempts > MAX_ATTEMPTS) throw busy();
      continue;
    }
    attempts = 0;
    embedded += rows.length;
    cursor = last.passageId;
    step.advance(embedded);
  }
}

async function storedUnder({ database }: Engine, name: string): Promise<StoredEmbedder | undefined> {
  const [embedders] = await database.read([embeddersQuery()]);
  return embedders.find((each) => each.name === name);
}

async function takeOver({ database }: Engine, { id }: StoredEmbedder): Promise<void> {
  const { applied } = await database.write([everythingEmbedded(id), setEmbedderState(id, 'ready')]);
  if (!applied) return;
  const [embedders] = await database.read([embeddersQuery()]);
  for (const former of embedders) {
    if (former.kind === 'lsa' && former.id < id) await database.write(removeEmbedderSteps(former.id));
  }
}

function tooManyDimensions(name: string, dimensions: number): Failure {
  return new Failure(
    'endpoint_unusable',
    `${name} gives vectors of ${String(dimensions)} dimensions; an index holds ${String(MAX_DIMENSIONS)} at most`,
    {
      hint: 'Use a model with fewer dimensions. Nothing was stored under this name.',
    },
  );
}

function interrupted(message: string): Failure {
  return new Failure('interrupted', message, {
    hint: 'Run gh-rag backfill embeddings to go on from there.',
  });
}

function busy(): Failure {
  return new Failure('database_busy', 'others write to the index faster than it can be embedded', {
    hint: 'Run gh-rag backfill embeddings when they are done.',
  });
}
