import type { Hit } from './hit.ts';

/** What is known of a hit beside its ranks; more is better. */
export interface Evidence {
  /** BM25 as a share of the best of its index; 0 where no word was found. */
  readonly lexical: number;
  /** 1: it has every word of the question; 0: it has not. */
  readonly strict: number;
  /** How much of the question its title and beginning hold, 0 to 1. */
  readonly coverage: number;
  /** Similarity of the title to the question, 0 to 1. */
  readonly title: number;
  /** Cosine of the passage; null where it is not known. */
  readonly similarity: number | null;
}

/** How much each kind of evidence counts; chosen by the evaluation, see docs/relevance.md. */
const WEIGHTS = { lexical: 1, strict: 0.5, coverage: 0.75, title: 0.5, similarity: 1 } as const;
const KINDS = ['lexical', 'strict', 'coverage', 'title', 'similarity'] as const;

/**
 * Orders hits by the evidence for their entities: of each kind the best that any hit of the entity has, as a share of the
 * greatest, weighed and summed. Only cosines are counted from the least, for they have no zero that means nothing; were
 * words counted so, two hits with nearly the same would be as far apart as all and nothing. Hits of one entity, and equals,
 * stay in the order in which they came.
 */
export function rerankLocally<Each extends Hit>(hits: readonly Each[], evidenceOf: (hit: Each) => Evidence): Each[] {
  const best = new Map<string, Record<(typeof KINDS)[number], number>>();
  for (const hit of hits) {
    const evidence = evidenceOf(hit);
    const known = best.get(hit.entity);
    const greater = (kind: (typeof KINDS)[number]): number =>
      Math.max(known?.[kind] ?? Number.NEGATIVE_INFINITY, evidence[kind] ?? 0);
    best.set(hit.entity, {
      lexical: greater('lexical'),
      strict: greater('strict'),
      coverage: greater('coverage'),
      title: greater('title'),
      similarity: greater('similarity'),
    });
  }
  const scores = new Map([...best.keys()].map((entity) => [entity, 0]));
  for (const kind of KINDS) {
    const values = [...best.values()].map((each) => each[kind]);
    const least = kind === 'similarity' ? Math.min(...values) : 0;
    const span = Math.max(...values) - least;
    if (!(span > 0)) continue;
    for (const [entity, each] of best) {
      scores.set(entity, (scores.get(entity) ?? 0) + (WEIGHTS[kind] * (each[kind] - least)) / span);
    }
  }
  return hits
    .map((hit) => ({ ...hit, rerankScore: scores.get(hit.entity) ?? 0 }))
    .sort((a, b) => b.rerankScore - a.rerankScore);
}
