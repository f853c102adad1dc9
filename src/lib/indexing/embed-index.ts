import {
  embeddersQuery,
  insertEmbedder,
  removeEmbedderSteps,
  setEmbedderState,
  type StoredEmbedder,
} from '../corpus/embedder-store.ts';
import { coverageQuery, covered, everythingEmbedded } from '../corpus/vector-store.ts';
import { type Vocabulary, vocabularyQuery, writeVocabularyMark } from '../corpus/watermark.ts';
import { checkpointOf } from '../engine/checkpoint.ts';
import type { Engine } from '../engine/engine.ts';
import { embeddable } from './active-embedder.ts';
import {
  type EmbeddingBounds,
  embedderNamed,
  embeddingStopped,
  type Filled,
  fillVectors,
  type FillTarget,
  indexBusy,
  MAX_ATTEMPTS,
} from './fill-vectors.ts';
import { lsaEmbedder } from './lsa/lsa-embedder.ts';
import { insertTerms } from './lsa/lsa-store.ts';
import { dueRetraining, PLAIN_TRAINING, type Retraining, unlearnedBy } from './lsa/retraining.ts';
import { trainLsa } from './lsa/train.ts';
import { readTrainingSet } from './lsa/training-set.ts';

/** Terms that one transaction stores. */
const TERMS_BATCH = 5000;

/** What a run of {@link embedIndex} did, and what is left. */
export interface EmbeddingReport extends Filled {
  /** Null: there is no embedder, or nothing that one could tell apart. */
  readonly embedder: string | null;
}

/**
 * Gives the passages without a vector theirs, in batches that are each a transaction; interrupted, it goes on where it
 * stood. Latent semantics are trained where there are none, or where the index outgrew them: searches use the new model
 * when all passages have its vectors, and what the old one made is removed. An endpoint that fails is told of. Fails with
 * `interrupted` or as the database does; what was stored stays.
 */
export async function embedIndex(engine: Engine, bounds: EmbeddingBounds = {}): Promise<EmbeddingReport> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const target = await targetOf(engine);
    if (target === undefined) return { embedder: null, embedded: 0, cursor: 0, done: true, failure: null };
    const filled = await fillVectors(engine, target, bounds);
    // Another process took over with a model of its own.
    if (filled === undefined) continue;
    const { embedder, stored, former } = target;
    // A part that reached the end need not have begun at the beginning: that all is there is checked as it takes over.
    if (filled.done && stored?.state === 'filling') await takeOver(engine, stored);
    if (stored?.state === 'ready') await remove(engine, former);
    return { embedder: embedder.id, ...filled };
  }
  throw indexBusy();
}

interface Target extends FillTarget {
  /** Models that it took the place of, where a run that ended early left them. */
  readonly former: readonly StoredEmbedder[];
}

/** The row of the embedder that is configured: of its own models the index fills the newest that is trained. */
export function filledEmbedder(
  { embedder }: Pick<Engine, 'embedder'>,
  embedders: readonly StoredEmbedder[],
): StoredEmbedder | undefined {
  if (embedder === 'lsa') return embedders.find(({ kind, state }) => kind === 'lsa' && state !== 'training');
  return embedders.find(({ name }) => name === embedder?.id);
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
  const newest = filledEmbedder(engine, embedders);
  if (embedder !== 'lsa') return { embedder, stored: newest, missing: missingOf(newest), former: [] };
  const due = newest === undefined ? PLAIN_TRAINING : await dueRetraining(engine, newest, passages, vocabulary);
  const stored = due === undefined ? newest : ((await train(engine, passages, vocabulary, due)) ?? newest);
  if (stored === undefined) return undefined;
  const former = formerModels(embedders, stored);
  return { embedder: lsaEmbedder(database, stored), stored, missing: missingOf(stored), former };
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
  const checkpoint = checkpointOf(signal, () =>
    embeddingStopped('stopped while learning from the texts; what is indexed is stored'),
  );
  const model = await trainLsa(await readTrainingSet(engine, checkpoint), checkpoint);
  if (model === undefined) return undefined;
  const { name, dimensions, terms } = model;
  await database.write([insertEmbedder({ name, kind: 'lsa', dimensions, trainedOn: passages, state: 'training' })]);
  for (let from = 0; from < terms.length; from += TERMS_BATCH) {
    await checkpoint();
    await database.write(insertTerms(name, terms.slice(from, from + TERMS_BATCH)), 'normal');
  }
  const stored = await embedderNamed(engine, name);
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

async function takeOver(engine: Engine, stored: StoredEmbedder): Promise<void> {
  const { database } = engine;
  const { applied } = await database.write([everythingEmbedded(stored.id), setEmbedderState(stored.id, 'ready')]);
  if (!applied) return;
  const [embedders] = await database.read([embeddersQuery()]);
  await remove(engine, formerModels(embedders, stored));
}

function formerModels(embedders: readonly StoredEmbedder[], { id }: StoredEmbedder): StoredEmbedder[] {
  return embedders.filter((each) => each.kind === 'lsa' && each.id < id);
}

async function remove({ database }: Engine, models: readonly StoredEmbedder[]): Promise<void> {
  for (const { id } of models) await database.write(removeEmbedderSteps(id));
}
