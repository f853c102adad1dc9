import { Failure } from '../core/failure.ts';
import { embeddersQuery, type StoredEmbedder } from '../corpus/embedder-store.ts';
import { coverageQuery, covered } from '../corpus/vector-store.ts';
import type { Query, Rows } from '../engine/database.ts';
import { isEmbedderFailure, withoutVectors } from '../engine/embedder.ts';
import type { Engine } from '../engine/engine.ts';
import { activeEmbedder, otherDimensions } from '../indexing/active-embedder.ts';
import { foldIn } from '../indexing/lsa/fold-in.ts';
import { newestTermsQuery } from '../indexing/lsa/lsa-store.ts';
import { termCounts } from '../indexing/lsa/terms.ts';

/** A question as the stored vectors see it. */
export interface QuestionVector {
  readonly stored: StoredEmbedder;
  readonly vector: Float32Array;
}

/** The question's vector, or why there is none. `first` is what `alongside` found in the same round trip. */
export interface Asked<First> {
  readonly first: First[];
  readonly question: QuestionVector | null;
  /** Null where nothing is amiss. */
  readonly problem: VectorProblem | null;
}

/** Why vectors were not compared, or not of all passages. */
export interface VectorProblem {
  readonly message: string;
  /** Whether something failed; otherwise it is the state of the index, or the question. */
  readonly failed: boolean;
  /** Whether it is to be told only where words found nothing: questions of words that are rare are no fault. */
  readonly minor?: boolean;
}

const UNKNOWN_WORDS: VectorProblem = {
  message: 'no word of the question is one that the model of the index learned',
  failed: false,
  minor: true,
};
const NO_DIRECTION: VectorProblem = { message: 'the vector of the question is zero', failed: false, minor: true };

const missing = (message: string): VectorProblem => ({ message, failed: false });

/**
 * Makes the vector of a question, reading what it needs in one round trip with the query that is given: of the model of
 * the index the question's own terms. An endpoint is asked meanwhile; where it fails, words have to do.
 */
export async function askWithVector<First>(
  { database, allowed, embedder, signal }: Engine,
  text: string,
  alongside: Query<First>,
): Promise<Asked<First>> {
  if (embedder === null) {
    const [first] = await database.read([alongside]);
    return { first, question: null, problem: null };
  }
  if (embedder === 'lsa') {
    const counts = termCounts(text);
    const [first, embedders, terms] = await database.read([
      alongside,
      embeddersQuery(),
      newestTermsQuery(counts.keys()),
    ]);
    const stored = activeEmbedder({ embedder, database }, embedders)?.stored;
    if (stored === undefined) {
      const problem = missing(
        'the index has no vectors: too little text to learn from, or it is not embedded yet (gh-rag backfill embeddings)',
      );
      return { first, question: null, problem };
    }
    const known = new Map(terms.map((term) => [term.term, term]));
    const vector = foldIn(counts, (term) => known.get(term), stored.dimensions);
    if (isZero(vector)) return { first, question: null, problem: UNKNOWN_WORDS };
    return { first, question: { stored, vector }, problem: null };
  }
  const embedding = embedder.embed([text], 'query', signal).catch((error: unknown) => {
    if (isEmbedderFailure(error)) return error;
    throw error;
  });
  // Whichever fails first, the other is waited for.
  const [read, embedded] = await Promise.allSettled([
    // How much is embedded is counted here only: beside a request to an endpoint it costs nothing.
    database.read([alongside, embeddersQuery(), coverageQuery(allowed)]),
    embedding,
  ]);
  if (read.status === 'rejected') throw read.reason;
  if (embedded.status === 'rejected') throw embedded.reason;
  const [first, embedders, coverage]: Rows<
    [Query<First>, ReturnType<typeof embeddersQuery>, ReturnType<typeof coverageQuery>]
  > = read.value;
  const stored = activeEmbedder({ embedder, database }, embedders)?.stored;
  const left = covered(coverage, null) - covered(coverage, stored);
  if (embedded.value instanceof Failure) {
    return { first, question: null, problem: failedWith(embedded.value, left) };
  }
  const [vector] = embedded.value;
  if (stored === undefined || vector === undefined) {
    return { first, question: null, problem: missing(`the index has no vectors of ${embedder.id}: ${BACKFILL}`) };
  }
  if (vector.length !== stored.dimensions) {
    const other = otherDimensions(embedder.id, vector.length, stored.dimensions);
    return { first, question: null, problem: failedWith(other, left) };
  }
  const problem = left > 0 ? missing(`${String(left)} passages have no vector of ${embedder.id}: ${BACKFILL}`) : null;
  if (isZero(vector)) return { first, question: null, problem: problem ?? NO_DIRECTION };
  return { first, question: { stored, vector }, problem };
}

/** With its endpoint back a question has its vector; the passages that are `left` have theirs by what is then to be run. */
function failedWith(failure: Failure, left: number): VectorProblem {
  return { message: left > 0 ? withoutVectors(failure) : failure.message, failed: true };
}

const BACKFILL = 'run gh-rag backfill embeddings';

function isZero(vector: Float32Array): boolean {
  return vector.every((value) => value === 0);
}
