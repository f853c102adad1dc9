import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Activation, decayedTo, strengthened } from '../../src/lib/feedback/activation.ts';
import { wireActivation } from '../../src/lib/feedback/activation-store.ts';
import { decayFactor } from '../../src/lib/feedback/policy.ts';
import { HOUR } from './memory.ts';

const time = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
const channel = fc.double({ min: 0, max: 10, noNaN: true });
const activation: fc.Arbitrary<Activation> = fc.record({ retrieved: channel, usage: channel, updatedAt: time });
const addition = fc.record(
  { retrieved: fc.constantFrom(0.1), usage: fc.constantFrom(0.2, 0.5, 1) },
  { requiredKeys: [] },
);

describe('the factor of decay', () => {
  it('is a half after one half-life of 3600 s, a quarter after two, and 1 at once', () => {
    expect([0, 1, 2, 10].map((lives) => decayFactor(lives * HOUR))).toEqual([1, 0.5, 0.25, 2 ** -10]);
  });

  it('is 1 for a clock that ran backwards, and 0 in the end', () => {
    expect(decayFactor(-1)).toBe(1);
    expect(decayFactor(-1000 * HOUR)).toBe(1);
    expect(decayFactor(1100 * HOUR)).toBe(0);
  });

  it('never grows with time and stays between 0 and 1', () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        const [sooner, later] = [Math.min(a, b), Math.max(a, b)];
        expect(decayFactor(later)).toBeLessThanOrEqual(decayFactor(sooner));
        expect(decayFactor(sooner)).toBeLessThanOrEqual(1);
        expect(decayFactor(later)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('activation', () => {
  it('begins at nothing and is what was added', () => {
    expect(strengthened(undefined, { retrieved: 0.1 }, 5)).toEqual({ retrieved: 0.1, usage: 0, updatedAt: 5 });
    expect(strengthened(undefined, { usage: 0.5 }, 5)).toEqual({ retrieved: 0, usage: 0.5, updatedAt: 5 });
  });

  it('decays both channels with one stamp, whichever of them is added to', () => {
    const stored = { retrieved: 4, usage: 8, updatedAt: 1000 };
    expect(strengthened(stored, { usage: 1 }, 1000 + HOUR)).toEqual({ retrieved: 2, usage: 5, updatedAt: 1000 + HOUR });
    expect(strengthened(stored, { retrieved: 0.1 }, 1000 + HOUR)).toEqual({
      retrieved: 2.1,
      usage: 4,
      updatedAt: 1000 + HOUR,
    });
  });

  it('does not decay under a clock that runs backwards, and its stamp stays', () => {
    const stored = { retrieved: 4, usage: 8, updatedAt: 10 * HOUR };
    expect(decayedTo(stored, 2 * HOUR)).toEqual(stored);
    expect(strengthened(stored, { usage: 0.2 }, 2 * HOUR)).toEqual({ ...stored, usage: 8.2 });
    // Time that ran twice counts once.
    const again = strengthened(strengthened(stored, { usage: 0.2 }, 2 * HOUR), {}, 10 * HOUR);
    expect(again).toEqual({ ...stored, usage: 8.2 });
  });

  it('is capped at 10 a channel and 20 in all', () => {
    const full = { retrieved: 9.95, usage: 9.5, updatedAt: 0 };
    const more = strengthened(full, { retrieved: 0.1, usage: 1 }, 0);
    expect(more).toEqual({ retrieved: 10, usage: 10, updatedAt: 0 });
    expect(wireActivation(more)).toEqual({
      retrieved: 10,
      usage: 10,
      total: 20,
      updated_at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('is finite, within bounds, and its stamp never moves back, whatever the clock does', () => {
    fc.assert(
      fc.property(activation, fc.array(fc.tuple(addition, time), { maxLength: 30 }), (start, steps) => {
        let current = start;
        for (const [added, now] of steps) {
          const next = strengthened(current, added, now);
          expect(next.updatedAt).toBe(Math.max(current.updatedAt, now));
          for (const value of [next.retrieved, next.usage]) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(10);
          }
          expect(next.retrieved).toBeGreaterThanOrEqual(decayedTo(current, now).retrieved);
          current = next;
        }
      }),
    );
  });

  it('read twice is what it is read once later', () => {
    fc.assert(
      fc.property(activation, time, time, (start, a, b) => {
        const [sooner, later] = [Math.min(a, b), Math.max(a, b)];
        const inSteps = decayedTo(decayedTo(start, sooner), later);
        const atOnce = decayedTo(start, later);
        expect(inSteps.updatedAt).toBe(atOnce.updatedAt);
        expect(inSteps.retrieved).toBeCloseTo(atOnce.retrieved, 12);
        expect(inSteps.usage).toBeCloseTo(atOnce.usage, 12);
      }),
    );
  });
});
