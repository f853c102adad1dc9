import { firstCodePoints, normalizeText } from '../../core/text.ts';
import type { Reranker } from '../../engine/reranker.ts';
import { endpointFailure } from '../http/endpoint-failure.ts';
import { type Pace, systemPace } from '../http/pace.ts';
import { postJson } from '../http/post-json.ts';
import { repeat } from '../http/repeat.ts';
import { endpointRerankerId, type RerankerEndpoint } from './endpoint-id.ts';
import { scoresOf } from './scores.ts';

/** Of the query and of each passage; the rest is not looked at. */
const MAX_TEXT_CODE_POINTS = 4000;

/** What a TEI server takes in one request unless it is told otherwise. */
const MAX_TEXTS = 32;

/** One repetition, and all of it within what a search can wait. */
const ATTEMPTS = 2;
const BUDGET_MS = 5000;

/**
 * A reranker behind a `/rerank` endpoint. With a model it is asked the way of Jina, Cohere and vLLM (`documents`, one
 * request), without one the way of TEI, which has no model in a request (`texts`, raw scores); llama.cpp takes either.
 * A call ends within `budgetMs` milliseconds.
 */
export function endpointReranker(
  endpoint: RerankerEndpoint,
  pace: Pace = systemPace,
  budgetMs: number = BUDGET_MS,
): Reranker {
  const { url, key, model } = endpoint;
  const name = { kind: 'reranker', host: new URL(url).host, hasKey: key !== undefined } as const;
  return {
    id: endpointRerankerId(endpoint),
    async rerank(query, passages, signal) {
      const deadline = pace.now() + budgetMs;
      const ask = async (texts: readonly string[]): Promise<number[]> => {
        const left = Math.max(1, deadline - pace.now());
        const patience = { attempts: ATTEMPTS, attemptMs: left, totalMs: left };
        const body = requestOf(model, textOf(query), texts.map(textOf));
        const answer = await repeat(patience, pace, signal, async (timeoutMs) =>
          postJson({ url, key }, body, timeoutMs, signal),
        );
        return scoresOf(answer, texts.length);
      };
      const size = model === undefined ? MAX_TEXTS : Math.max(1, passages.length);
      const scores: number[] = [];
      try {
        for (let at = 0; at < passages.length; at += size) scores.push(...(await ask(passages.slice(at, at + size))));
      } catch (error) {
        throw endpointFailure(error, name, signal);
      }
      return scores;
    },
  };
}

function requestOf(model: string | undefined, query: string, texts: readonly string[]): object {
  if (model === undefined) return { query, texts, raw_scores: true, truncate: true };
  return { model, query, documents: texts, top_n: texts.length };
}

function textOf(text: string): string {
  const cut = firstCodePoints(normalizeText(text), MAX_TEXT_CODE_POINTS);
  return cut.trim() === '' ? '.' : cut;
}
