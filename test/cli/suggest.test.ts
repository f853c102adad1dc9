import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearestWords } from '../../src/lib/cli/suggest.ts';

const COMMANDS = ['index', 'search', 'show', 'history', 'use', 'confirm', 'rollback', 'status', 'serve', 'doctor'];

describe('nearestWords', () => {
  it.each([
    ['serach', 'search'],
    ['Search', 'search'],
    ['serv', 'serve'],
    ['hist', 'history'],
    ['stauts', 'status'],
    ['idnex', 'index'],
  ])('%s means %s', (typed, meant) => {
    expect(nearestWords(typed, COMMANDS)[0]).toBe(meant);
  });

  it('suggests nothing for a different word', () => {
    expect(nearestWords('frobnicate', COMMANDS)).toEqual([]);
    expect(nearestWords('', COMMANDS)).toEqual([]);
  });
});

describe('editDistance', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), maxLength: 8 });

  it('is symmetric, zero for equal words only, and no more than the longer word', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });

  it('counts each edit once', () => {
    fc.assert(
      fc.property(word, fc.nat(8), fc.constantFrom('x', 'y'), (text, at, letter) => {
        const place = Math.min(at, text.length);
        expect(editDistance(text, text.slice(0, place) + letter + text.slice(place))).toBe(1);
      }),
    );
    expect(editDistance('ab', 'ba')).toBe(1);
  });
});
