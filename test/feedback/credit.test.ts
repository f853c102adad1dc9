import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Contribution, creditFor, edgeStrength, presentDelta } from '../../src/lib/feedback/credit.ts';
import { HOUR } from './memory.ts';

const time = fc.integer({ min: 0, max: 200 * HOUR });
const contribution: fc.Arbitrary<Contribution> = fc.record({
  delta: fc.double({ min: 0, max: 0.25, noNaN: true }),
  at: time,
});
/** Too few to reach the cap. */
const contributions = fc.array(contribution, { maxLength: 20 });
const quarters = (count: number, at: number): Contribution[] =>
  Array.from({ length: count }, () => ({ delta: 0.25, at }));

describe('the strength of an edge', () => {
  it('is 0 without contributions, and the decayed sum of those it has', () => {
    expect(edgeStrength([], 0)).toBe(0);
    const two = [
      { delta: 0.25, at: 0 },
      { delta: 0.25, at: HOUR },
    ];
    expect(edgeStrength(two, HOUR)).toBe(0.375);
    expect(edgeStrength(two, 2 * HOUR)).toBe(0.1875);
  });

  it('does not decay under a clock that runs backwards', () => {
    const one = [{ delta: 0.25, at: 5 * HOUR }];
    expect(edgeStrength(one, 0)).toBe(0.25);
    expect(edgeStrength(one, 5 * HOUR)).toBe(0.25);
    expect(edgeStrength(one, 6 * HOUR)).toBe(0.125);
  });

  it('is what is left of each contribution, none of which knows of another', () => {
    fc.assert(
      fc.property(contributions, time, (all, now) => {
        const alone = all.map((each) => edgeStrength([each], now));
        expect(alone).toEqual(all.map((each) => presentDelta(each, now)));
        expect(edgeStrength(all, now)).toBe(alone.reduce((sum, each) => sum + each, 0));
      }),
    );
  });

  it('loses by the removal of contributions exactly what was left of them, whatever the clock did', () => {
    fc.assert(
      fc.property(contributions, time, fc.infiniteStream(fc.boolean()), (all, now, keeps) => {
        const kept = all.filter(() => keeps.next().value);
        const gone = all.filter((each) => !kept.includes(each));
        const taken = gone.reduce((sum, each) => sum + presentDelta(each, now), 0);
        expect(edgeStrength(kept, now)).toBeCloseTo(edgeStrength(all, now) - taken, 12);
      }),
    );
  });
});

describe('the credit of a confirmation', () => {
  it('is a quarter while there is room', () => {
    expect(creditFor([], 0)).toBe(0.25);
    expect(creditFor(quarters(19, 0), 0)).toBe(0.25);
  });

  it('is what is left under the cap of 5, possibly nothing', () => {
    expect(creditFor(quarters(20, 0), 0)).toBe(0);
    expect(creditFor([...quarters(19, 0), { delta: 0.15, at: 0 }], 0)).toBe(5 - (4.75 + 0.15));
    // Decay makes room again.
    expect(creditFor(quarters(20, 0), HOUR)).toBe(0.25);
  });

  it('never lifts an edge above 5, and never takes anything from it', () => {
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 60 }), (times) => {
        const given: Contribution[] = [];
        for (const at of times) {
          const delta = creditFor(given, at);
          expect(delta).toBeGreaterThanOrEqual(0);
          expect(delta).toBeLessThanOrEqual(0.25);
          given.push({ delta, at });
          expect(edgeStrength(given, at)).toBeLessThanOrEqual(5);
        }
      }),
    );
  });

  it('is nothing where a clock that ran backwards lifts what was given above 5', () => {
    const filledTwice = [...quarters(20, 0), ...quarters(10, HOUR)];
    expect(edgeStrength(filledTwice, HOUR)).toBe(5);
    expect(edgeStrength(filledTwice, 0)).toBe(5);
    expect(creditFor(filledTwice, 0)).toBe(0);
  });

  it('keeps an edge at 5 however often it is confirmed at once', () => {
    const given: Contribution[] = [];
    for (let n = 0; n < 30; n += 1) given.push({ delta: creditFor(given, 0), at: 0 });
    expect(edgeStrength(given, 0)).toBe(5);
    expect(given.slice(20).every(({ delta }) => delta === 0)).toBe(true);
  });
});
