import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RankedDocument } from '../../src/lib/retrieval/hit.ts';
import type { RankedHit } from '../../src/lib/retrieval/hit.ts';
import { type Evidence, rerankLocally } from '../../src/lib/retrieval/local-rerank.ts';
import { fuse } from '../../src/lib/retrieval/rank.ts';
import type { SparseHit } from '../../src/lib/retrieval/sparse-ranking.ts';

const dense = (documentId: number, rank: number): RankedDocument => ({
  title: `t${String(documentId)}`,
  passageId: documentId * 65536 + 1,
  documentId,
  entity: `e${String(documentId % 4)}`,
  type: 'issue',
  createdAt: 0,
  updatedAt: 0,
  score: 1 / rank,
  rank,
});
const sparse = (documentId: number, rank: number): SparseHit => ({
  ...dense(documentId, rank),
  passageId: documentId * 65536,
  index: 'nat',
  strict: false,
  named: false,
  opening: '',
});
/** Documents in the order of a ranker. */
const ranking = fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 12 });

const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const cosine = fc.option(fc.double({ min: -1, max: 1, noNaN: true }));
const evidence: fc.Arbitrary<Evidence> = fc.record({
  lexical: share,
  strict: fc.constantFrom(0, 1),
  coverage: share,
  title: share,
  similarity: cosine,
});
const judged = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 20 }), evidence), {
  selector: ([id]) => id,
  maxLength: 12,
});

describe('fusion', () => {
  test('holds each document once, by the sum of its shares, words first among equals', () => {
    fc.assert(
      fc.property(ranking, ranking, (words, vectors) => {
        const fused = fuse(
          words.map((id, at) => sparse(id, at + 1)),
          vectors.map((id, at) => dense(id, at + 1)),
        );
        expect(fused.map(({ documentId }) => documentId).sort((a, b) => a - b)).toEqual(
          [...new Set([...words, ...vectors])].sort((a, b) => a - b),
        );
        const rankIn = (order: readonly number[], id: number): number | null => order.indexOf(id) + 1 || null;
        for (const { documentId, sparseRank, denseRank, score, passageId, rerankScore } of fused) {
          expect([sparseRank, denseRank]).toEqual([rankIn(words, documentId), rankIn(vectors, documentId)]);
          expect(score).toBeCloseTo(
            [sparseRank, denseRank].reduce<number>((sum, r) => sum + (r === null ? 0 : 1 / (60 + r)), 0),
            12,
          );
          // The passage with the words is shown where there is one.
          expect(passageId).toBe(documentId * 65536 + (sparseRank === null ? 1 : 0));
          expect(rerankScore).toBeNull();
        }
        const places = fused.map(
          ({ score, sparseRank }) => [score ?? 0, sparseRank ?? Number.POSITIVE_INFINITY] as const,
        );
        places.forEach(([score, place], at) => {
          const [before, placeBefore] = places[at - 1] ?? [Number.POSITIVE_INFINITY, 0];
          expect(score < before || (score === before && place >= placeBefore)).toBe(true);
        });
      }),
    );
  });

  test('of one ranking keeps its order', () => {
    expect(
      fuse(
        [3, 1, 2].map((id, at) => sparse(id, at + 1)),
        [],
      ).map(({ documentId }) => documentId),
    ).toEqual([3, 1, 2]);
    expect(
      fuse(
        [],
        [3, 1, 2].map((id, at) => dense(id, at + 1)),
      ).map(({ documentId }) => documentId),
    ).toEqual([3, 1, 2]);
  });
});

describe('the local reranker', () => {
  const run = (given: readonly (readonly [number, Evidence])[]) => {
    const hits = fuse(
      given.map(([id], at) => sparse(id, at + 1)),
      [],
    );
    const known = new Map(given);
    const evidenceOf = ({ documentId }: RankedHit): Evidence => {
      const found = known.get(documentId);
      if (found === undefined) throw new Error('no such hit');
      return found;
    };
    return { hits, reranked: rerankLocally(hits, evidenceOf) };
  };

  test('permutes its hits and changes nothing but their scores, which are finite and in order', () => {
    fc.assert(
      fc.property(judged, (given) => {
        const { hits, reranked } = run(given);
        const withoutScore = (all: readonly RankedHit[]) =>
          all.map((hit) => ({ ...hit, rerankScore: null })).sort((a, b) => a.documentId - b.documentId);
        expect(withoutScore(reranked)).toEqual(withoutScore(hits));
        const scores = reranked.map(({ rerankScore }) => rerankScore ?? Number.NaN);
        expect(scores.every((score) => Number.isFinite(score) && score >= 0)).toBe(true);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
      }),
    );
  });

  test('keeps the order of the hits of an entity, which share a score', () => {
    fc.assert(
      fc.property(judged, (given) => {
        const { hits, reranked } = run(given);
        for (const entity of new Set(hits.map((hit) => hit.entity))) {
          const of = (all: readonly RankedHit[]) => all.filter((hit) => hit.entity === entity);
          expect(of(reranked).map(({ documentId }) => documentId)).toEqual(
            of(hits).map(({ documentId }) => documentId),
          );
          expect(new Set(of(reranked).map(({ rerankScore }) => rerankScore)).size).toBe(1);
        }
      }),
    );
  });

  test('puts what is at least as good in everything no later than what is not', () => {
    fc.assert(
      fc.property(judged, (given) => {
        const { reranked } = run(given);
        const known = new Map(given);
        const best = new Map<string, Evidence>();
        for (const { documentId, entity } of reranked) {
          const own = known.get(documentId);
          const other = best.get(entity);
          if (own === undefined) continue;
          best.set(entity, {
            lexical: Math.max(own.lexical, other?.lexical ?? 0),
            strict: Math.max(own.strict, other?.strict ?? 0),
            coverage: Math.max(own.coverage, other?.coverage ?? 0),
            title: Math.max(own.title, other?.title ?? 0),
            similarity: Math.max(own.similarity ?? 0, other?.similarity ?? Number.NEGATIVE_INFINITY),
          });
        }
        const score = new Map(reranked.map(({ entity, rerankScore }) => [entity, rerankScore ?? Number.NaN]));
        const kinds = ['lexical', 'strict', 'coverage', 'title', 'similarity'] as const;
        for (const [a, mine] of best) {
          for (const [b, theirs] of best) {
            if (kinds.some((kind) => (mine[kind] ?? 0) < (theirs[kind] ?? 0))) continue;
            expect(score.get(a)).toBeGreaterThanOrEqual((score.get(b) ?? 0) - 1e-12);
          }
        }
      }),
    );
  });

  test('does not let a hair of word statistics outweigh every word of the question', () => {
    const nothing = { strict: 0, coverage: 0, title: 0, similarity: null };
    const { reranked } = run([
      [1, { ...nothing, lexical: 1 }],
      [2, { ...nothing, lexical: 0.9, strict: 1 }],
    ]);
    expect(reranked.map(({ documentId }) => documentId)).toEqual([2, 1]);
  });

  test('leaves equals as they came', () => {
    const same = { lexical: 0.5, strict: 1, coverage: 0.5, title: 0.2, similarity: 0.3 };
    const { reranked } = run([7, 3, 9, 2].map((id) => [id, same] as const));
    expect(reranked.map(({ documentId }) => documentId)).toEqual([7, 3, 9, 2]);
  });
});
