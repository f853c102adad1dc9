import { Failure } from '../core/failure.ts';
import type { Engine } from '../engine/engine.ts';
import type { Reranker } from '../engine/reranker.ts';
import { coverageOf } from './coverage.ts';
import type { DenseRow } from './dense.ts';
import { passagesQuery } from './details.ts';
import type { Hit, RankedHit } from './hit.ts';
import { type Evidence, rerankLocally } from './local-rerank.ts';
import type { SparseHit } from './sparse-ranking.ts';
import { titleSimilarity } from './title-similarity.ts';

/** Hits that an endpoint is given; those behind keep their places. */
const RERANKED = 50;

/** What the rankers found, by which hits are judged anew. */
export interface Findings {
  readonly sparse: readonly SparseHit[];
  readonly near: readonly DenseRow[];
}

/** Hits in their new order; `applied`: whether it is one. */
export interface Reranked {
  readonly hits: readonly Hit[];
  readonly applied: boolean;
  /** Why the endpoint did not rerank. */
  readonly problem?: string;
}

/**
 * Reranks hits: by the endpoint where one is configured, otherwise by the evidence at hand. An endpoint that fails leaves
 * the order as it is.
 */
export async function rerank(
  engine: Engine,
  question: string,
  hits: readonly RankedHit[],
  findings: Findings,
): Promise<Reranked> {
  if (hits.length === 0) return { hits, applied: false };
  if (engine.reranker !== null) return byEndpoint(engine, engine.reranker, question, hits);
  return { hits: rerankLocally(hits, evidenceFrom(question, hits, findings)), applied: true };
}

async function byEndpoint(
  { database, allowed, signal }: Engine,
  reranker: Reranker,
  question: string,
  hits: readonly Hit[],
): Promise<Reranked> {
  const first = hits.slice(0, RERANKED);
  const ids = first.map(({ passageId }) => passageId);
  const [details] = await database.read([passagesQuery(ids, allowed)]);
  const texts = new Map(
    details.map(({ passageId, document, passage }) => [passageId, `${document.title}\n${passage}`]),
  );
  try {
    const scores = await reranker.rerank(
      question,
      first.map(({ passageId }) => texts.get(passageId) ?? ''),
      signal,
    );
    const scored = first.map((hit, at) => ({ ...hit, rerankScore: scores[at] ?? null }));
    scored.sort((a, b) => (b.rerankScore ?? Number.NEGATIVE_INFINITY) - (a.rerankScore ?? Number.NEGATIVE_INFINITY));
    return { hits: [...scored, ...hits.slice(RERANKED)], applied: true };
  } catch (error) {
    if (error instanceof Failure && error.code !== 'interrupted') {
      return { hits, applied: false, problem: error.message };
    }
    throw error;
  }
}

function evidenceFrom(
  question: string,
  hits: readonly RankedHit[],
  { sparse, near }: Findings,
): (hit: RankedHit) => Evidence {
  const openings = new Map(near.map(({ passage_id, opening }) => [passage_id, opening]));
  for (const { passageId, opening } of sparse) openings.set(passageId, opening);
  const texts = hits.map(({ title, passageId }) => `${title}\n${openings.get(passageId) ?? ''}`);
  const coverages = coverageOf(question, texts);
  const coverage = new Map(hits.map(({ documentId }, at) => [documentId, coverages[at] ?? 0]));
  const words = new Map(sparse.map((hit) => [hit.documentId, hit]));
  const most = { nat: 0, code: 0 };
  for (const { index, score } of sparse) most[index] = Math.max(most[index], score);
  const similarities = new Map<number, number>();
  for (const { document_id, score } of near) {
    similarities.set(document_id, Math.max(similarities.get(document_id) ?? score, score));
  }
  const similar = titleSimilarity(question);
  return ({ documentId, title }) => {
    const found = words.get(documentId);
    return {
      lexical: found === undefined || most[found.index] <= 0 ? 0 : found.score / most[found.index],
      strict: found?.strict === true ? 1 : 0,
      coverage: coverage.get(documentId) ?? 0,
      title: similar(title),
      similarity: similarities.get(documentId) ?? null,
    };
  };
}
