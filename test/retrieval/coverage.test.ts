import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coverageOf } from '../../src/lib/retrieval/coverage.ts';

const word = fc.constantFrom(
  'kettle',
  'kettles',
  'boiling',
  'scheduler',
  'starves',
  'the',
  'of',
  '水壶',
  'naïve',
  'NAIVE',
);
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));

describe('coverage', () => {
  test('is a share of the question: all of it is 1, none of it 0', () => {
    const texts = ['The kettle boils over', 'A scheduler starves', 'Kettles', ''];
    const [whole = 0, other, part = 0, nothing] = coverageOf('boiling kettle', texts);
    expect(whole).toBeCloseTo(1, 12);
    expect(other).toBe(0);
    expect(part).toBeGreaterThan(0);
    expect(part).toBeLessThan(1);
    expect(nothing).toBe(0);
  });

  test('weighs a word that few texts hold above one that many hold', () => {
    const many = Array.from({ length: 9 }, () => 'a kettle');
    const coverage = coverageOf('kettle scheduler', [...many, 'the scheduler']);
    expect(coverage.at(-1)).toBeGreaterThan(0.9);
    expect(coverage[0]).toBeLessThan(0.1);
  });

  test('asks nobody for a word that no text holds, and nothing of a question of function words', () => {
    expect(coverageOf('kettle unheardof', ['kettle', 'other'])[0]).toBeCloseTo(1, 12);
    expect(coverageOf('what is the', ['what is the', ''])).toEqual([0, 0]);
    expect(coverageOf('', ['kettle'])).toEqual([0]);
    expect(coverageOf('kettle', [])).toEqual([]);
  });

  test('lies between 0 and 1, does not depend on the order of texts, and grows with a text', () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 6 }), (question, texts) => {
        const coverage = coverageOf(question, texts);
        expect(coverage).toHaveLength(texts.length);
        for (const share of coverage) expect(share >= 0 && share <= 1 + 1e-12).toBe(true);
        expect(coverageOf(question, texts.toReversed())).toEqual(coverage.toReversed());
        const [joined = 0, ...parts] = coverageOf(question, [texts.join(' '), ...texts]);
        for (const part of parts) expect(part).toBeLessThanOrEqual(joined + 1e-12);
      }),
    );
  });
});
