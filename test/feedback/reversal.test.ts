import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Caller, codeOf, freshKey, HOUR, MemoryWorld, refusal, sourcesOf, THREADS } from './memory.ts';

/** `record_outcome` with corrected and rolled_back: feedback contract, sections 5, 6 and 12. */

let world: MemoryWorld;
let ada: Caller;
beforeEach(async () => {
  world = await MemoryWorld.of(THREADS);
  ada = world.as({ kind: 'local' });
});
afterEach(() => world.remove());

async function confirmed(...references: readonly string[]) {
  const answer = await ada.threads();
  const sourceIds = references.map(sourcesOf(answer));
  await ada.useFully(answer.trace_id, ...sourceIds);
  return ada.confirm(answer.trace_id, sourceIds);
}

/** Learned strength of the paths to #2, #3 and #4, of which the first edge is one. */
const strengths = async () => {
  const { graph_results } = await ada.threads({ use_memory: true });
  return ['#2', '#3', '#4'].map(
    (thread) => graph_results.find((row) => row.reference === `acme/app${thread}`)?.learned_strength,
  );
};

describe('a reversal', () => {
  it('has the shape of the contract and a receipt of its own; the original stays, its credits reversed', async () => {
    const confirmation = await confirmed('acme/app#2');
    world.clock.ms += HOUR;
    const reversal = await ada.reverse(confirmation, { outcome: 'rolled_back', reason: 'Reverted.' });
    const { trace_id, confirmation_id } = confirmation;
    const edge = { repo: 'acme/app', src_slug: '#1', dst_slug: '#2', edge_kind: 'reference' };
    expect(reversal).toEqual({
      receipt_id: expect.stringMatching(/^rcp_[A-Za-z0-9_-]{22}$/),
      kind: 'reversal',
      confirmation_id,
      trace_id,
      timestamp: '2024-06-01T13:00:00.000Z',
      outcome: 'rolled_back',
      reason: 'Reverted.',
      reversals: [{ edge, applied_delta: 0.25, reversed_delta: 0.125, strength: 0, state: 'reversed' }],
    });
    expect(reversal.receipt_id).not.toBe(confirmation_id);
    const { receipts } = await ada.recall(trace_id);
    const [credit] = confirmation.credits;
    expect(receipts.slice(1)).toEqual([{ ...confirmation, credits: [{ ...credit, state: 'reversed' }] }, reversal]);
    expect((await ada.history({ limit: 1 })).traces?.[0]).toMatchObject({ confirmation_count: 1, reversal_count: 1 });
  });

  it('leaves what was confirmed independently, before and after', async () => {
    await confirmed('acme/app#3');
    world.clock.ms += HOUR;
    const second = await confirmed('acme/app#3');
    world.clock.ms += HOUR;
    await confirmed('acme/app#4');
    const [shared, third, fourth] = [0.0625 + 0.125 + 0.25, 0.0625 + 0.125, 0.25];
    expect(await strengths()).toEqual([shared, shared + third, shared + fourth]);
    const { reversals } = await ada.reverse(second);
    expect(reversals.map(({ reversed_delta, strength }) => [reversed_delta, strength])).toEqual([
      [0.125, 0.0625 + 0.25],
      [0.125, 0.0625],
    ]);
    expect(await strengths()).toEqual([0.3125, 0.3125 + 0.0625, 0.3125 + 0.25]);
  });

  it('takes back exactly what is left also when the clock ran backwards between the confirmations', async () => {
    const first = await confirmed('acme/app#2');
    world.clock.ms -= HOUR;
    const second = await confirmed('acme/app#2');
    expect(second.credits[0]?.strength).toBe(0.5);
    world.clock.ms += HOUR;
    const [before] = await strengths();
    const [reversed] = (await ada.reverse(first)).reversals;
    expect(reversed).toMatchObject({ reversed_delta: 0.25, strength: 0.125 });
    expect(before).toBe(0.25 + 0.125);
    expect(await strengths()).toEqual([0.125, 0.125, 0.125]);
  });

  it('of a reversed confirmation with a new key applies nothing and says so', async () => {
    const confirmation = await confirmed('acme/app#3');
    const other = await confirmed('acme/app#2');
    await ada.reverse(confirmation);
    const again = await ada.reverse(confirmation, { outcome: 'rolled_back' });
    expect(
      again.reversals.map(({ applied_delta, reversed_delta, strength, state, reason }) => ({
        applied_delta,
        reversed_delta,
        strength,
        state,
        reason,
      })),
    ).toEqual([
      { applied_delta: 0.25, reversed_delta: 0, strength: 0.25, state: 'reversed', reason: 'already_reversed' },
      { applied_delta: 0.25, reversed_delta: 0, strength: 0, state: 'reversed', reason: 'already_reversed' },
    ]);
    expect(other.credits[0]?.strength).toBe(0.5);
    expect(await strengths()).toEqual([0.25, 0.25, 0.25]);
  });

  it('takes back only what that confirmation gave, not what an earlier one of its trace did', async () => {
    const first = await confirmed('acme/app#2', 'acme/app#3');
    const second = await ada.confirm(
      first.trace_id,
      first.sources.map(({ source_id }) => source_id),
    );
    expect(second.credits.map(({ reason }) => reason)).toEqual(Array(3).fill('duplicate_trace_edge'));
    expect((await ada.reverse(second)).reversals).toEqual([]);
    expect(await strengths()).toEqual([0.25, 0.5, 0.25]);
    expect((await ada.reverse(first)).reversals).toHaveLength(2);
    expect(await strengths()).toEqual([0, 0, 0]);
  });

  it('of a confirmation that gave nothing takes nothing back', async () => {
    expect((await ada.reverse(await confirmed('acme/app#1', 'acme/app#5'))).reversals).toEqual([]);
  });

  it('erases neither a recorded use nor its activation', async () => {
    const confirmation = await confirmed('acme/app#3');
    const before = (await ada.recall(confirmation.trace_id)).sources;
    await ada.reverse(confirmation);
    expect((await ada.recall(confirmation.trace_id)).sources).toEqual(before);
    expect(before.map(({ stage, activation }) => [stage, activation.usage]).at(-2)).toEqual(['retrieved', 0]);
    expect(before.find(({ stage }) => stage === 'used')?.activation.usage).toBe(1.7);
  });
});

describe('unknown_confirmation, and nothing is written', () => {
  it.each<[string, (world: MemoryWorld) => Promise<string>]>([
    ['one that never was', () => Promise.resolve('rcp_AAAAAAAAAAAAAAAAAAAAAA')],
    ['a confirmation of another trace', async () => (await confirmed('acme/app#3')).confirmation_id],
    [
      'the receipt of a use of this trace',
      async (its) => {
        const [row] = await its.rows("SELECT receipt_id FROM receipts WHERE kind = 'source_use' ORDER BY seq LIMIT 1");
        return String(row?.receipt_id);
      },
    ],
    [
      'the receipt of a reversal of this trace',
      async (its) => {
        const [row] = await its.rows("SELECT receipt_id, body FROM receipts WHERE kind = 'confirmation' ORDER BY seq");
        const { trace_id } = JSON.parse(String(row?.body)) as { trace_id: string };
        return (await ada.reverse({ trace_id, confirmation_id: String(row?.receipt_id) })).receipt_id;
      },
    ],
    ['the trace itself', async (its) => String((await its.rows('SELECT trace_id FROM traces LIMIT 1'))[0]?.trace_id)],
  ])('for %s', async (_name, handle) => {
    const { trace_id } = await confirmed('acme/app#2');
    const confirmation_id = await handle(world);
    const before = await world.dump();
    const idempotency_key = freshKey();
    const refused = await refusal(ada.reverse({ trace_id, confirmation_id }, { idempotency_key }));
    const never = await refusal(ada.reverse({ trace_id, confirmation_id: 'rcp_never' }));
    expect(refused).toEqual(never);
    expect(refused.code).toBe('unknown_confirmation');
    expect(await world.dump()).toBe(before);
  });

  it('and unknown_trace for a trace that never was', async () => {
    const { confirmation_id } = await confirmed('acme/app#2');
    expect(await codeOf(ada.reverse({ trace_id: 'trc_never', confirmation_id }))).toBe('unknown_trace');
  });
});

describe('input', () => {
  it.each<[string, object, string]>([
    ['has source_ids', { source_ids: ['src_a'] }, 'source_ids'],
    ['has empty source_ids', { source_ids: [] }, 'source_ids'],
    ['has no confirmation_id', { confirmation_id: undefined }, 'confirmation_id'],
    ['has an empty confirmation_id', { confirmation_id: '' }, 'confirmation_id'],
    ['has no reason', { reason: undefined }, 'reason'],
    ['has an empty reason', { reason: '' }, 'reason'],
    ['has a reason of 1001 characters', { reason: 'r'.repeat(1001) }, 'reason'],
  ])('that %s is invalid_input and names the field', async (_name, fields, field) => {
    const confirmation = await confirmed('acme/app#2');
    const before = await world.dump();
    for (const outcome of ['corrected', 'rolled_back']) {
      const { code, message } = await refusal(ada.reverse(confirmation, { outcome, ...fields }));
      expect(code).toBe('invalid_input');
      expect(message).toContain(field);
    }
    expect(await world.dump()).toBe(before);
  });
});
