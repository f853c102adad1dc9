import * as z from 'zod';
import { unusable } from '../http/endpoint-error.ts';
import { inOrder } from '../http/in-order.ts';

// A number or what a server writes in its place: null for NaN.
const item = z.union([
  z
    .object({ index: z.int(), relevance_score: z.unknown() })
    .transform(({ index, relevance_score: score }) => ({ index, score })),
  z.object({ index: z.int(), score: z.unknown() }),
]);
const items = z.array(item);
const answerOf = z.union([items, z.object({ results: items }).transform(({ results }) => results)]);

/**
 * The scores of an answer of `/rerank` for `count` passages, in their order: `results` of `index` and `relevance_score`
 * (Jina, Cohere, vLLM, llama.cpp) or a bare list of `index` and `score` (TEI). Throws an EndpointError unless every
 * passage has exactly one, and it is finite.
 */
export function scoresOf(answer: unknown, count: number): number[] {
  const parsed = answerOf.safeParse(answer);
  if (!parsed.success) throw unusable('it is no list of scores');
  return inOrder(parsed.data, count, 'scores').map(({ score }) => {
    if (typeof score !== 'number' || !Number.isFinite(score)) throw unusable('a score is not a finite number');
    return score;
  });
}
