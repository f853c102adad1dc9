import fc from 'fast-check';
import { expect, test } from 'vitest';
import { levenshtein, nearest } from '../../src/lib/retrieval/nearest.ts';

const KNOWN = ['acme/app', 'acme/api', 'acme/warehouse', 'other/app', 'octo/long-name'];

test.each([
  ['acme/ap', ['acme/api', 'acme/app', 'other/app']],
  ['ACME/WAREHOUSE', ['acme/warehouse']],
  ['app', ['acme/app', 'other/app', 'acme/api']],
  ['acmee/warehouse', ['acme/warehouse']],
  ['longname', ['octo/long-name']],
  ['acme', ['acme/api', 'acme/app']],
  ['foo', []],
  ['evil/corp', []],
  ['nothing/whatsoever-like-it', []],
])('%s is near to %j', (wrong, expected) => {
  expect(nearest(wrong, KNOWN, 3)).toEqual(expected);
});

test('gives at most as many as asked, the same for any order of the known', () => {
  const slug = fc.stringMatching(/^[a-c]{1,4}\/[a-c]{1,4}$/);
  fc.assert(
    fc.property(slug, fc.uniqueArray(slug), fc.integer({ min: 0, max: 5 }), (wrong, known, limit) => {
      const near = nearest(wrong, known, limit);
      expect(near.length).toBeLessThanOrEqual(limit);
      expect(known).toEqual(expect.arrayContaining(near));
      expect(nearest(wrong, [...known].reverse(), limit)).toEqual(near);
      if (known.includes(wrong) && limit > 0) expect(near[0]).toBe(wrong);
    }),
  );
});

test('the distance is a metric', () => {
  const word = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      expect(levenshtein(a, b)).toBe(levenshtein(b, a));
      expect(levenshtein(a, b) === 0).toBe(a === b);
      expect(levenshtein(a, c)).toBeLessThanOrEqual(levenshtein(a, b) + levenshtein(b, c));
      expect(levenshtein(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
  expect(levenshtein('kitten', 'sitting')).toBe(3);
});
