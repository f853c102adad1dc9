import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimedSequence, encodeCursor, isGenuine } from '../../src/lib/feedback/cursor.ts';

const KEY = 'a1'.repeat(32);
const scope = fc.record({
  principal: fc.oneof(
    fc.nat().map((id) => `github:${String(id)}`),
    fc.uuid().map((id) => `local:${id}`),
  ),
  traceId: fc.option(fc.base64String({ minLength: 1, maxLength: 30 })),
});
const sequence = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const ada = { principal: 'github:1', traceId: null };

describe('a cursor', () => {
  it('carries its sequence number and is genuine for its own scope alone', () => {
    fc.assert(
      fc.property(scope, scope, sequence, (own, other, seq) => {
        const cursor = encodeCursor(KEY, own, seq);
        expect(claimedSequence(cursor)).toBe(seq);
        expect(isGenuine(KEY, own, cursor)).toBe(true);
        const same = own.principal === other.principal && own.traceId === other.traceId;
        expect(isGenuine(KEY, other, cursor)).toBe(same);
        expect(isGenuine('b2'.repeat(32), own, cursor)).toBe(false);
      }),
    );
  });

  it('of a list of traces is none of a trace that is called as the list is', () => {
    const cursor = encodeCursor(KEY, ada, 5);
    expect(isGenuine(KEY, { ...ada, traceId: 'null' }, cursor)).toBe(false);
    expect(isGenuine(KEY, { ...ada, traceId: '' }, cursor)).toBe(false);
  });

  it('is refused with any one character changed, taken away or added', () => {
    const alphabet = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ');
    fc.assert(
      fc.property(sequence, fc.nat(31), alphabet, (seq, at, character) => {
        const cursor = encodeCursor(KEY, ada, seq);
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        if (changed !== cursor) expect(isGenuine(KEY, ada, changed)).toBe(false);
        expect(isGenuine(KEY, ada, cursor.slice(0, at) + cursor.slice(at + 1))).toBe(false);
        expect(isGenuine(KEY, ada, cursor.slice(0, at) + character + cursor.slice(at))).toBe(false);
      }),
    );
  });

  it('cannot be made of another one by exchanging its number', () => {
    const [first, second] = [encodeCursor(KEY, ada, 1), encodeCursor(KEY, ada, 2)];
    const forged = Buffer.concat([
      Buffer.from(first, 'base64url').subarray(0, 8),
      Buffer.from(second, 'base64url').subarray(8),
    ]).toString('base64url');
    expect(claimedSequence(forged)).toBe(1);
    expect(isGenuine(KEY, ada, forged)).toBe(false);
  });

  it('is refused, not decoded, when it is some other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 64 }), (text) => {
        expect(isGenuine(KEY, ada, text)).toBe(false);
        if (!/^[A-Za-z0-9_-]{32}$/.test(text)) expect(claimedSequence(text)).toBeUndefined();
      }),
    );
    // A number that SQLite or JavaScript could not hold is none.
    expect(claimedSequence('_'.repeat(32))).toBeUndefined();
  });
});
