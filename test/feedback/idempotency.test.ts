import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Caller, codeOf, github, MemoryWorld, refusal, sourcesOf, THREADS } from './memory.ts';

/** Idempotency keys and the order of checks: feedback contract, section 8. */

let world: MemoryWorld;
let ada: Caller;
let trace_id: string;
let id: (reference: string) => string;
beforeEach(async () => {
  world = await MemoryWorld.of(THREADS);
  ada = world.as(github(1));
  const answer = await ada.threads();
  trace_id = answer.trace_id;
  id = sourcesOf(answer);
});
afterEach(() => world.remove());

const step = (reference: string, stage: 'selected' | 'validated' | 'used') => ({ source_id: id(reference), stage });
const key = { idempotency_key: 'the-key' };

describe('the same key with the same payload', () => {
  it('returns the receipt of a use as it was issued, byte for byte, and changes nothing', async () => {
    const call = { trace_id, ...key, uses: [step('acme/app#2', 'selected')] };
    const issued = JSON.stringify(await ada.use(call));
    await ada.use({ trace_id, uses: [step('acme/app#2', 'validated')] });
    const before = await world.dump();
    world.clock.ms += 1000;
    expect(JSON.stringify(await ada.use(call))).toBe(issued);
    expect(await world.dump()).toBe(before);
  });

  it('returns the receipt of a confirmation as it was issued, also after its credit was reversed', async () => {
    await ada.useFully(trace_id, id('acme/app#3'));
    const confirmation = await ada.confirm(trace_id, [id('acme/app#3')], key);
    const reversal = await ada.reverse(confirmation, { idempotency_key: 'another' });
    const before = await world.dump();
    const again = await ada.confirm(trace_id, [id('acme/app#3')], key);
    expect(JSON.stringify(again)).toBe(JSON.stringify(confirmation));
    expect(again.credits.map(({ state }) => state)).toEqual(['active', 'active']);
    expect(JSON.stringify(await ada.reverse(confirmation, { idempotency_key: 'another' }))).toBe(
      JSON.stringify(reversal),
    );
    expect(await world.dump()).toBe(before);
    // What is true now is for history to show.
    const shown = (await ada.recall(trace_id)).receipts.find(({ kind }) => kind === 'confirmation');
    expect(shown?.kind === 'confirmation' && shown.credits.map(({ state }) => state)).toEqual(['reversed', 'reversed']);
  });

  it('does not depend on the order of fields', async () => {
    const uses = [step('acme/app#2', 'selected'), step('acme/app#3', 'selected')];
    const issued = await ada.use({ trace_id, ...key, uses });
    const turned = uses.map(({ source_id, stage }) => ({ stage, source_id }));
    expect(await ada.use({ uses: turned, ...key, trace_id })).toEqual(issued);
  });
});

describe('the same key with another payload is idempotency_conflict, and nothing is written', () => {
  beforeEach(async () => {
    await ada.useFully(trace_id, id('acme/app#2'), id('acme/app#3'));
  });

  it('for another order of a list', async () => {
    const uses = [step('acme/app#4', 'selected'), step('acme/lib#7', 'selected')];
    await ada.use({ trace_id, ...key, uses });
    const before = await world.dump();
    expect(await codeOf(ada.use({ trace_id, ...key, uses: [...uses].reverse() }))).toBe('idempotency_conflict');
    expect(await world.dump()).toBe(before);
  });

  it('for anything else that is different, across tools and traces', async () => {
    const ids = [id('acme/app#2'), id('acme/app#3')];
    const confirmation = await ada.confirm(trace_id, ids, { ...key, reason: 'It held.' });
    const other = await ada.threads();
    const before = await world.dump();
    const calls = [
      ada.confirm(trace_id, ids, { ...key, reason: 'It held' }),
      ada.confirm(trace_id, [...ids].reverse(), key),
      ada.confirm(trace_id, ids.slice(1), key),
      ada.confirm(other.trace_id, ids, key),
      ada.confirm('trc_unknown', ids, key),
      ada.use({ trace_id, ...key, uses: [step('acme/app#2', 'used')] }),
      ada.use({ trace_id: 'trc_unknown', ...key, uses: [{ source_id: 'src_unknown', stage: 'used' }] }),
      ada.reverse(confirmation, key),
      ada.reverse({ trace_id, confirmation_id: 'rcp_unknown' }, key),
    ];
    for (const call of calls) {
      expect(await refusal(call)).toEqual({
        code: 'idempotency_conflict',
        message: 'idempotency_key: was used before with another payload',
        hint: 'Use a new key for a new operation.',
      });
    }
    expect(await world.dump()).toBe(before);
  });

  it('for another outcome of a reversal', async () => {
    const confirmation = await ada.confirm(trace_id, [id('acme/app#2')]);
    await ada.reverse(confirmation, { ...key, outcome: 'corrected' });
    expect(await codeOf(ada.reverse(confirmation, { ...key, outcome: 'rolled_back' }))).toBe('idempotency_conflict');
  });
});

describe('checks come in their order', () => {
  it('input before key', async () => {
    await ada.use({ trace_id, ...key, uses: [step('acme/app#2', 'selected')] });
    expect(await codeOf(ada.use({ trace_id, ...key, uses: [] }))).toBe('invalid_input');
    expect(await codeOf(ada.confirm(trace_id, ['src_a', 'src_a'], key))).toBe('invalid_input');
  });

  it('key before owner, owner before membership', async () => {
    await ada.use({ trace_id, ...key, uses: [step('acme/app#2', 'selected')] });
    const uses = [{ source_id: 'src_unknown', stage: 'used' as const }];
    expect(await codeOf(ada.use({ trace_id: 'trc_unknown', ...key, uses }))).toBe('idempotency_conflict');
    expect(await codeOf(ada.use({ trace_id: 'trc_unknown', uses }))).toBe('unknown_trace');
    expect(await codeOf(ada.use({ trace_id, uses }))).toBe('unknown_source');
  });
});

it('a refused call does not consume its key, whatever it was refused for', async () => {
  const refused = [
    ['unknown_trace', () => ada.use({ trace_id: 'trc_unknown', ...key, uses: [step('acme/app#2', 'selected')] })],
    ['unknown_source', () => ada.use({ trace_id, ...key, uses: [{ source_id: 'src_unknown', stage: 'selected' }] })],
    ['stage_order', () => ada.use({ trace_id, ...key, uses: [step('acme/app#2', 'used')] })],
    ['not_used', () => ada.confirm(trace_id, [id('acme/app#2')], key)],
    ['unknown_confirmation', () => ada.reverse({ trace_id, confirmation_id: 'rcp_unknown' }, key)],
    ['invalid_input', () => ada.use({ trace_id, ...key, uses: [] })],
  ] as const;
  for (const [code, call] of refused) expect(await codeOf(call())).toBe(code);
  const { uses } = await ada.use({ trace_id, ...key, uses: [step('acme/app#2', 'selected')] });
  expect(uses).toMatchObject([{ applied: true }]);
});

it('a key is a principal’s own: another one’s use of it is neither seen nor hindered', async () => {
  const grace = world.as(github(2));
  const hers = await grace.threads();
  const first = await ada.use({ trace_id, ...key, uses: [step('acme/app#2', 'selected')] });
  const second = await grace.use({ trace_id: hers.trace_id, ...key, uses: [step('acme/app#3', 'selected')] });
  expect(second.receipt_id).not.toBe(first.receipt_id);
  expect(second.uses).toMatchObject([{ applied: true, source_id: id('acme/app#3') }]);
});

it('of simultaneous calls with one key one applies, and all receive its receipt', async () => {
  const uses = [step('acme/app#2', 'selected')];
  const calls = Array.from({ length: 12 }, () => ada.use({ trace_id, ...key, uses }));
  const other = codeOf(ada.use({ trace_id, ...key, uses: [step('acme/app#3', 'selected')] }));
  const receipts = await Promise.all(calls);
  expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1);
  expect(await other).toBe('idempotency_conflict');
  expect(await world.rows('SELECT count(*) AS n FROM receipts')).toEqual([{ n: 1 }]);
  const [source] = (await ada.recall(trace_id)).sources.filter(({ source_id }) => source_id === id('acme/app#2'));
  expect(source).toMatchObject({ stage: 'selected', activation: { usage: 0.2 } });
});

it('every key of 1 to 128 visible characters is taken, is exact, and no other is', async () => {
  const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
  const uses = [step('acme/app#2', 'selected')];
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: character, minLength: 1, maxLength: 128 }), async (idempotency_key) => {
      const { receipt_id } = await ada.use({ trace_id, idempotency_key, uses });
      expect((await ada.use({ trace_id, idempotency_key, uses })).receipt_id).toBe(receipt_id);
      const swapped = [...idempotency_key].map((each) =>
        /[a-z]/.test(each) ? each.toUpperCase() : each.toLowerCase(),
      );
      if (swapped.join('') === idempotency_key) return;
      const other = await ada.use({ trace_id, idempotency_key: swapped.join(''), uses });
      expect(other.receipt_id).not.toBe(receipt_id);
    }),
    { numRuns: 50 },
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 140 }), async (idempotency_key) => {
      fc.pre(!/^[!-~]{1,128}$/.test(idempotency_key));
      expect(await codeOf(ada.use({ trace_id, idempotency_key, uses }))).toBe('invalid_input');
    }),
    { numRuns: 100 },
  );
});
