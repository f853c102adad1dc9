import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RRF_K, reciprocalRankFusion } from '../../src/lib/retrieval/fusion.ts';

const rank = fc.integer({ min: 1, max: 1000 });
const ranks = fc.array(fc.option(rank), { maxLength: 5 });

test('adds 1 / (60 + rank) of each ranker, and 0 for one that is missing', () => {
  expect(RRF_K).toBe(60);
  expect(reciprocalRankFusion([1])).toBe(1 / 61);
  expect(reciprocalRankFusion([1, 3])).toBe(1 / 61 + 1 / 63);
  expect(reciprocalRankFusion([null, 3])).toBe(1 / 63);
  expect(reciprocalRankFusion([null, null])).toBe(0);
  expect(reciprocalRankFusion([])).toBe(0);
});

test('a better rank in any ranker is a better score', () => {
  fc.assert(
    fc.property(ranks, rank, fc.integer({ min: 1, max: 500 }), (others, better, worse) => {
      const score = reciprocalRankFusion([...others, better]);
      expect(score).toBeGreaterThan(reciprocalRankFusion([...others, better + worse]));
      expect(score).toBeGreaterThan(reciprocalRankFusion([...others, null]));
      expect(score).toBeLessThanOrEqual((others.length + 1) / 61);
    }),
  );
});

test('of one ranker it keeps the order', () => {
  fc.assert(
    fc.property(rank, rank, (a, b) => {
      expect(Math.sign(reciprocalRankFusion([b]) - reciprocalRankFusion([a]))).toBe(Math.sign(a - b));
    }),
  );
});
