import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pairedDifference } from '../../src/lib/retrieval/paired-bootstrap.ts';
import { firstRank, judge, MEASURES, meanRelevance } from '../../src/lib/retrieval/relevance-metrics.ts';

const items = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 25 });
const answers = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { minLength: 1, maxLength: 15 });

test('a worked example', () => {
  const judged = judge(['x', 'a', 'y', 'b'], new Set(['a', 'b', 'c']));
  const best = 1 + 1 / Math.log2(3) + 1 / 2;
  expect(judged).toEqual({
    mrr_10: 1 / 2,
    recall_10: 2 / 3,
    ndcg_10: (1 / Math.log2(3) + 1 / Math.log2(5)) / best,
    hits_1: 0,
    hits_3: 1,
  });
  expect(firstRank(['x', 'a'], new Set(['a']))).toBe(2);
  expect(judge(Array.from({ length: 10 }, (_, at) => `x${String(at)}`).concat('a'), new Set(['a']))).toEqual({
    mrr_10: 0,
    recall_10: 0,
    ndcg_10: 0,
    hits_1: 0,
    hits_3: 0,
  });
});

test('every measure lies between 0 and 1, and is 1 for the best order', () => {
  fc.assert(
    fc.property(items, answers, (ranking, relevant) => {
      const judged = judge(ranking, new Set(relevant));
      for (const measure of MEASURES) expect(judged[measure]).toSatisfy((value: number) => value >= 0 && value <= 1);
      const best = judge([...relevant, ...ranking.filter((item) => !relevant.includes(item))], new Set(relevant));
      expect([best.mrr_10, best.hits_1, best.hits_3]).toEqual([1, 1, 1]);
      expect(best.ndcg_10).toBeCloseTo(1, 12);
    }),
  );
});

test('an answer that moves up never lowers a measure', () => {
  fc.assert(
    fc.property(items, answers, fc.nat(24), (ranking, relevant, at) => {
      const set = new Set(relevant);
      const [above = '', below = ''] = ranking.slice(at, at + 2);
      fc.pre(!set.has(above) && set.has(below));
      const moved = [...ranking.slice(0, at), below, above, ...ranking.slice(at + 2)];
      const [before, after] = [judge(ranking, set), judge(moved, set)];
      for (const measure of MEASURES) expect(after[measure]).toBeGreaterThanOrEqual(before[measure]);
    }),
  );
});

test('the mean of nothing is zero', () => {
  expect(meanRelevance([])).toEqual({ mrr_10: 0, recall_10: 0, ndcg_10: 0, hits_1: 0, hits_3: 0 });
});

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

test('the bootstrap holds its mean between its bounds, says the same each time, and turns round with its sides', () => {
  const values = fc.array(
    fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    {
      maxLength: 40,
    },
  );
  fc.assert(
    fc.property(values, (pairs) => {
      const [ours, theirs] = [pairs.map(([mine]) => mine), pairs.map(([, other]) => other)];
      const { mean, low, high } = pairedDifference(ours, theirs);
      expect(low).toBeLessThanOrEqual(high);
      expect(mean).toBeGreaterThanOrEqual(low - 1e-9);
      expect(mean).toBeLessThanOrEqual(high + 1e-9);
      expect(mean).toBeCloseTo((sum(ours) - sum(theirs)) / Math.max(1, pairs.length), 9);
      expect(pairedDifference(ours, theirs)).toEqual({ mean, low, high });
      const turned = pairedDifference(theirs, ours);
      expect(turned.mean).toBeCloseTo(-mean, 12);
      expect(turned.low).toBeCloseTo(-high, 12);
      expect(turned.high).toBeCloseTo(-low, 12);
    }),
    { numRuns: 40 },
  );
  expect(pairedDifference([1, 1, 1], [0, 0, 0])).toEqual({ mean: 1, low: 1, high: 1 });
});
