import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vectorsOf } from '../../../src/lib/adapters/embedders/vectors.ts';

const answer = (...embeddings: unknown[]) => ({ data: embeddings.map((embedding, index) => ({ index, embedding })) });
const numbered = (...indexes: number[]) => ({ data: indexes.map((index) => ({ index, embedding: [1, 0] })) });
const base64 = (...floats: number[]) => Buffer.from(Float32Array.from(floats).buffer).toString('base64');

const UNIT = [Math.fround(0.6), Math.fround(-0.8)];

describe('the vectors of an answer', () => {
  it.each([
    ['numbers', [3, -4]],
    ['base64', base64(3, -4)],
    ['very large', [3e300, -4e300]],
    ['very small', [3e-300, -4e-300]],
  ])('have length 1 (%s)', (_what, embedding) => {
    expect(vectorsOf(answer(embedding), 1, 2).map((vector) => [...vector])).toEqual([UNIT]);
  });

  it('have length 1, and point where the answer says', () => {
    const component = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    const vector = fc.array(component, { minLength: 3, maxLength: 3 }).filter((v) => v.some((x) => Math.abs(x) > 1e-3));
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 5 }), (given) => {
        const vectors = vectorsOf(answer(...given), given.length, undefined);
        vectors.forEach((found, at) => {
          const length = Math.hypot(...(given[at] ?? []));
          expect(Math.hypot(...found)).toBeCloseTo(1, 6);
          found.forEach((value, i) => {
            expect(value * length).toBeCloseTo(given[at]?.[i] ?? NaN, -Math.floor(Math.log10(length)) + 4);
          });
        });
      }),
    );
  });
});

it.each<[string, unknown, RegExp]>([
  ['another object', { error: 'no' }, /^it is no list of embeddings$/],
  ['nothing', null, /^it is no list of embeddings$/],
  ['no index', { data: [{ embedding: [1, 0] }, { embedding: [1, 0] }] }, /^it is no list of embeddings$/],
  ['null in a vector', answer([null, 1], [0, 1]), /^a vector holds a number that is not finite$/],
  ['1e999 in a vector', answer([1, 0], JSON.parse('[1e999, 1]')), /^a vector holds a number that is not finite$/],
  ['NaN in base64', answer(base64(NaN, 1), [1, 0]), /^a vector holds a number that is not finite$/],
  ['half a float in base64', answer('AAAA', [1, 0]), /^a vector is no base64 of 32-bit floats$/],
  ['no base64', answer('not a vector!', [1, 0]), /^a vector is no base64 of 32-bit floats$/],
  ['a zero vector', answer([0, -0], [1, 0]), /^a vector is zero$/],
  ['an empty vector', answer([], []), /^a vector is empty$/],
  ['two dimensions', answer([1, 0, 0], [1, 0]), /^a vector has dimension 2, others have 3$/],
  ['too few', numbered(1), /^1 vectors for 2 texts$/],
  ['too many', numbered(0, 1, 2), /^3 vectors for 2 texts$/],
  ['an index twice', numbered(0, 0), /^the vectors are numbered twice or not at all$/],
  ['an index beyond', numbered(1, 2), /^the vectors are numbered twice or not at all$/],
])('refuses %s', (_what, given, message) => {
  expect(() => vectorsOf(given, 2, undefined)).toThrow(message);
});

it('refuses another dimension than before', () => {
  expect(() => vectorsOf(answer([1, 0]), 1, 3)).toThrow(/^a vector has dimension 2, others have 3$/);
});
