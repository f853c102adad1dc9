import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, type Json } from '../../src/lib/core/json.ts';
import { countLeaves, diffJson } from '../../src/lib/admin/json-diff.ts';

// -0 and 0 are one number in JSON text.
const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

test('a value differs from itself nowhere, whatever the order of its keys', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(diffJson(value, JSON.parse(canonicalJson(value)) as Json)).toEqual([]);
    }),
  );
});

test('two values have differences exactly when their canonical JSON differs, and these mirror each other', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const there = diffJson(a, b);
      expect(there.length === 0).toBe(canonicalJson(a) === canonicalJson(b));
      const back = diffJson(b, a).map(({ path, expected, found }) => ({ path, expected: found, found: expected }));
      const byPath = (x: { path: string }, y: { path: string }) => (x.path < y.path ? -1 : x.path > y.path ? 1 : 0);
      expect([...back].sort(byPath)).toEqual([...there].sort(byPath));
    }),
  );
});

test('differences are named as deep as they can be', () => {
  expect(diffJson({ a: { 'b/c~': [1, 2] }, d: 1 }, { a: { 'b/c~': [1, 3, 4] }, e: null })).toEqual([
    { path: '/a/b~1c~0/1', expected: 2, found: 3 },
    { path: '/a/b~1c~0/2', expected: undefined, found: 4 },
    { path: '/d', expected: 1, found: undefined },
    { path: '/e', expected: undefined, found: null },
  ]);
  expect(diffJson([], {})).toEqual([{ path: '', expected: [], found: {} }]);
  expect(diffJson({ toString: 1 }, {})).toEqual([{ path: '/toString', expected: 1, found: undefined }]);
});

test('sets have no order and name their members; with double members they are lists', () => {
  const options = { sets: new Set(['required']) };
  expect(diffJson({ required: ['a', 'b'] }, { required: ['b', 'a'] }, options)).toEqual([]);
  expect(diffJson({ other: ['a', 'b'] }, { other: ['b', 'a'] }, options)).toHaveLength(2);
  expect(diffJson({ required: ['a', 'b'] }, { required: ['b', 'c'] }, options)).toEqual([
    { path: '/required/a', expected: 'a', found: undefined },
    { path: '/required/c', expected: undefined, found: 'c' },
  ]);
  expect(diffJson({ required: ['a'] }, { required: ['a', 'a'] }, options)).toEqual([
    { path: '/required/1', expected: undefined, found: 'a' },
  ]);
});

test('leaves are counted', () => {
  expect(countLeaves({ a: [1, 2, []], b: {}, c: { d: null } })).toBe(5);
  expect(countLeaves('x')).toBe(1);
});
