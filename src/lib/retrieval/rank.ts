import type { Filters } from '../corpus/filters.ts';
import { query } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import { type CandidateCut, type CandidateRow, candidatesQuery } from './candidates.ts';
import { type DenseRow, denseQuery } from './dense.ts';
import { denseRanking } from './dense-ranking.ts';
import { buildFtsQuery } from './fts-query.ts';
import { reciprocalRankFusion } from './fusion.ts';
import type { Hit, RankedDocument, RankedHit } from './hit.ts';
import { namedThreads } from './named-threads.ts';
import { askWithVector, type QuestionVector, type VectorProblem } from './question-vector.ts';
import { rerank } from './rerank.ts';
import type { SearchInput } from './search-contract.ts';
import { poolOf, type SparseHit, sparseRanking } from './sparse-ranking.ts';

/** Documents in the order of relevance, and how it came about. */
export interface Ranking {
  readonly hits: readonly Hit[];
  readonly sparseCandidates: number;
  readonly denseCandidates: number;
  /** Whose vectors were compared; null: none were. */
  readonly embedder: string | null;
  /** Why vectors were not compared, or not of all passages, although they were asked for; null where nothing is amiss. */
  readonly denseProblem: VectorProblem | null;
  /** Why the configured endpoint did not rerank; null where nothing is amiss. */
  readonly rerankProblem: string | null;
  readonly reranked: boolean;
}

/** Of what is not ranked. */
export const UNRANKED: Omit<Ranking, 'hits'> = {
  sparseCandidates: 0,
  denseCandidates: 0,
  embedder: null,
  denseProblem: null,
  rerankProblem: null,
  reranked: false,
};

const NO_EMBEDDER: VectorProblem = { message: 'no embedder is configured', failed: false };

const NO_CANDIDATES = query<CandidateRow>('SELECT 1 WHERE false', [], () => {
  throw new Error('a row of no candidates');
});

/**
 * Ranks what the filters let through: words by one statement, the nearest vectors by another, fused by their ranks, then
 * reranked; the threads that the question names come before all others. A time sort takes everything that the words
 * match, and of vectors only where they are all that was asked for.
 */
export async function rank(engine: Engine, input: SearchInput, filters: Filters): Promise<Ranking> {
  const { query: text = '', top_k: entities, sort, fusion } = input;
  const pool = Math.max(50, entities * 5);
  const byTime = sort !== 'relevance';
  const by: CandidateCut['by'] = byTime ? (sort === 'updated_desc' ? 'updated_at' : 'created_at') : 'score';
  const words =
    fusion === 'dense_only'
      ? undefined
      : candidatesQuery(buildFtsQuery(text), namedThreads(text), filters, engine.allowed, { pool, entities, by });
  const withVectors = fusion === 'dense_only' || (fusion === 'rrf' && !byTime);
  if (words === undefined && !withVectors) return { hits: [], ...UNRANKED };
  const asked = await askWithVector(withVectors ? engine : { ...engine, embedder: null }, text, words ?? NO_CANDIDATES);
  const ranking = sparseRanking(asked.first);
  // A time sort takes all of them: the newest may rank last.
  const sparse = byTime ? ranking : poolOf(ranking, pool, entities);
  const { question } = asked;
  const denseProblem = asked.problem ?? (fusion === 'dense_only' && engine.embedder === null ? NO_EMBEDDER : null);
  const near = question === null ? [] : await nearest(engine, question, filters, sparse);
  const dense = poolOf(denseRanking(near), pool, entities);
  const fused = fuse(sparse, dense);
  const {
    hits,
    applied,
    problem = null,
  } = byTime || !input.rerank ? { hits: fused, applied: false } : await rerank(engine, text, fused, { sparse, near });
  return {
    hits: namedFirst(hits, sparse),
    sparseCandidates: sparse.length,
    denseCandidates: dense.length,
    embedder: question?.stored.name ?? null,
    denseProblem: denseProblem?.minor === true && sparse.length > 0 ? null : denseProblem,
    rerankProblem: problem,
    reranked: applied,
  };
}

/** What is named keeps its order, whatever else speaks for one or the other. */
function namedFirst(hits: readonly Hit[], sparse: readonly SparseHit[]): readonly Hit[] {
  const places = new Map(sparse.filter(({ named }) => named).map(({ documentId }, place) => [documentId, place]));
  if (places.size === 0) return hits;
  const place = ({ documentId }: Hit): number => places.get(documentId) ?? places.size;
  return hits.toSorted((a, b) => place(a) - place(b));
}

async function nearest(
  { database, allowed }: Engine,
  { vector, stored }: QuestionVector,
  filters: Filters,
  sparse: readonly SparseHit[],
): Promise<DenseRow[]> {
  const [rows] = await database.read([
    denseQuery(
      vector,
      stored,
      filters,
      allowed,
      sparse.map(({ passageId }) => passageId),
    ),
  ]);
  return rows;
}

/** One list of both rankings; a document that both found shows the passage with the words. */
export function fuse(sparse: readonly SparseHit[], dense: readonly RankedDocument[]): RankedHit[] {
  const bySparse = new Map(sparse.map((hit) => [hit.documentId, hit]));
  const byDense = new Map(dense.map((hit) => [hit.documentId, hit]));
  const documents = new Map([...byDense, ...bySparse]);
  const fused = [...documents].map(([documentId, { passageId, entity, type, createdAt, updatedAt, title }]) => {
    const words = bySparse.get(documentId);
    const vectors = byDense.get(documentId);
    return {
      passageId,
      documentId,
      entity,
      type,
      title,
      createdAt,
      updatedAt,
      score: reciprocalRankFusion([words?.rank ?? null, vectors?.rank ?? null]),
      sparseScore: words?.score ?? null,
      sparseRank: words?.rank ?? null,
      denseScore: vectors?.score ?? null,
      denseRank: vectors?.rank ?? null,
      rerankScore: null,
    };
  });
  const place = (hit: RankedHit): number => hit.sparseRank ?? Number.POSITIVE_INFINITY;
  return fused.sort(
    (a, b) => b.score - a.score || (place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : a.documentId - b.documentId),
  );
}
