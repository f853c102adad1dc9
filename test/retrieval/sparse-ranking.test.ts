import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CandidateRow } from '../../src/lib/retrieval/candidates.ts';
import { poolOf, sparseRanking } from '../../src/lib/retrieval/sparse-ranking.ts';

const row = (document_id: number, index: 'nat' | 'code', tier: number, passage = 0): CandidateRow => ({
  passage_id: document_id * 65536 + passage,
  document_id,
  index,
  tier,
  score: 1,
  entity: `e${String(document_id % 5)}`,
  type: index === 'nat' ? 'issue' : 'diff',
  title: '',
  created_at: 0,
  updated_at: 0,
  opening: '',
});

describe('the sparse ranking', () => {
  test('takes strict before relaxed, prose and code in turn', () => {
    const rows = [
      row(1, 'nat', 0),
      row(2, 'code', 0),
      row(3, 'nat', 0),
      row(4, 'code', 0),
      row(5, 'code', 0),
      row(6, 'nat', 1),
      row(7, 'code', 1),
      row(8, 'nat', 1),
    ];
    const ranking = sparseRanking(rows);
    expect(ranking.map((hit) => hit.documentId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(ranking.map((hit) => hit.rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('takes what is named before everything', () => {
    const ranking = sparseRanking([row(1, 'nat', 0), row(9, 'nat', -1), row(9, 'nat', 1, 4)]);
    expect(ranking.map(({ documentId, named }) => [documentId, named])).toEqual([
      [9, true],
      [1, false],
    ]);
  });

  test('counts a document once, with its best passage', () => {
    const ranking = sparseRanking([row(1, 'nat', 0, 7), row(1, 'nat', 0, 2), row(2, 'nat', 0), row(1, 'nat', 1, 3)]);
    expect(ranking.map(({ passageId }) => passageId)).toEqual([65536 + 7, 2 * 65536]);
  });

  test('keeps every document and never lets a lower tier pass a higher one', () => {
    const rows = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.boolean(), fc.integer({ min: 0, max: 2 })));
    fc.assert(
      fc.property(rows, (given) => {
        const all = given
          .map(([id, code, tier]) => row(id, code ? 'code' : 'nat', tier))
          .sort((a, b) => a.tier - b.tier);
        const ranking = sparseRanking(all);
        expect(new Set(ranking.map((hit) => hit.documentId))).toEqual(new Set(all.map((each) => each.document_id)));
        const best = (id: number): number =>
          Math.min(...all.filter((each) => each.document_id === id).map((e) => e.tier));
        const tiers = ranking.map((hit) => best(hit.documentId));
        expect(tiers).toEqual([...tiers].sort());
      }),
    );
  });
});

test('the pool goes on for further entities only', () => {
  const order = ['a', 'a', 'a', 'b', 'a', 'c', 'b', 'd'].map((entity, at) => ({ entity, at }));
  const places = (size: number, entities: number): number[] => poolOf(order, size, entities).map(({ at }) => at);
  expect(places(3, 1)).toEqual([0, 1, 2]);
  expect(places(3, 3)).toEqual([0, 1, 2, 3, 5]);
  expect(places(3, 9)).toEqual([0, 1, 2, 3, 5, 7]);
  expect(places(8, 1)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});
