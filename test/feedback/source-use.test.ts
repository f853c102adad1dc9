import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHAIN, type Caller, codeOf, freshKey, HOUR, MemoryWorld, refusal, sourcesOf } from './memory.ts';

/** `record_source_use`: feedback contract, sections 4, 5, 10 and 12. */

let world: MemoryWorld;
let ada: Caller;
let trace_id: string;
let sources: { alpha: string; beta: string; gamma: string };
beforeEach(async () => {
  world = await MemoryWorld.of(CHAIN);
  ada = world.as({ kind: 'local' });
  const answer = await ada.chain();
  trace_id = answer.trace_id;
  const id = sourcesOf(answer);
  sources = { alpha: id('Alpha'), beta: id('Beta'), gamma: id('Gamma') };
});
afterEach(() => world.remove());

const NOON = '2024-06-01T12:00:00.000Z';
const stageOf = async (source_id: string) =>
  (await ada.recall(trace_id)).sources.find((source) => source.source_id === source_id)?.stage;

describe('stages', () => {
  it('advance one at a time, each with its activation, and the receipt has the shape of the contract', async () => {
    const { alpha } = sources;
    expect(await stageOf(alpha)).toBe('retrieved');
    const selected = await ada.use({ trace_id, uses: [{ source_id: alpha, stage: 'selected' }] });
    expect(selected).toEqual({
      receipt_id: expect.stringMatching(/^rcp_[A-Za-z0-9_-]{22}$/),
      kind: 'source_use',
      trace_id,
      timestamp: NOON,
      uses: [
        {
          source_id: alpha,
          stage: 'selected',
          applied: true,
          activation: { retrieved: 0.1, usage: 0.2, total: 0.1 + 0.2, updated_at: NOON },
        },
      ],
    });
    expect(await stageOf(alpha)).toBe('selected');
    const validated = await ada.use({ trace_id, uses: [{ source_id: alpha, stage: 'validated' }] });
    expect(validated.uses[0]?.activation).toMatchObject({ retrieved: 0.1, usage: 0.7 });
    const used = await ada.use({ trace_id, uses: [{ source_id: alpha, stage: 'used' }] });
    expect(used.uses[0]?.activation).toMatchObject({ retrieved: 0.1, usage: 1.7 });
    expect(await stageOf(alpha)).toBe('used');
    expect((await ada.history()).traces?.[0]).toMatchObject({ source_count: 3, used_count: 1 });
  });

  it('of several sources may come mixed in one batch, several of one source in their order', async () => {
    const { alpha, gamma } = sources;
    const { uses } = await ada.use({
      trace_id,
      uses: [
        { source_id: alpha, stage: 'selected' },
        { source_id: gamma, stage: 'selected' },
        { source_id: alpha, stage: 'validated' },
        { source_id: alpha, stage: 'used' },
      ],
    });
    expect(uses.map(({ applied, activation }) => [applied, activation.usage])).toEqual([
      [true, 0.2],
      [true, 0.2],
      [true, 0.7],
      [true, 1.7],
    ]);
    expect([await stageOf(alpha), await stageOf(gamma), await stageOf(sources.beta)]).toEqual([
      'used',
      'selected',
      'retrieved',
    ]);
  });

  it('that are complete change nothing when they are sent again, and the receipt says so', async () => {
    const { alpha } = sources;
    await ada.useFully(trace_id, alpha);
    const before = JSON.stringify((await ada.recall(trace_id)).sources);
    const again = await ada.use({
      trace_id,
      uses: [
        { source_id: alpha, stage: 'selected' },
        { source_id: alpha, stage: 'used' },
      ],
    });
    expect(again.uses).toEqual(
      ['selected', 'used'].map((stage) => ({
        source_id: alpha,
        stage,
        applied: false,
        reason: 'already_recorded',
        activation: { retrieved: 0.1, usage: 1.7, total: 1.8, updated_at: NOON },
      })),
    );
    expect(JSON.stringify((await ada.recall(trace_id)).sources)).toBe(before);
    const twice = await ada.use({
      trace_id,
      uses: [
        { source_id: sources.beta, stage: 'selected' },
        { source_id: sources.beta, stage: 'selected' },
      ],
    });
    expect(twice.uses.map(({ applied, activation }) => [applied, activation.usage])).toEqual([
      [true, 0.2],
      [false, 0.2],
    ]);
  });

  it('belong to their trace; activation belongs to the source', async () => {
    await ada.useFully(trace_id, sources.alpha);
    const second = await ada.chain();
    expect(second.results[0]?.activation).toMatchObject({ retrieved: 0.2, usage: 1.7 });
    const refused = await codeOf(
      ada.use({ trace_id: second.trace_id, uses: [{ source_id: sources.alpha, stage: 'used' }] }),
    );
    expect(refused).toBe('stage_order');
    const { uses } = await ada.useFully(second.trace_id, sources.alpha);
    expect(uses.at(-1)?.activation).toMatchObject({ retrieved: 0.2, usage: 3.4 });
  });
});

describe('activation', () => {
  it('decays by half an hour-long half-life in both channels, is restamped by a use, and shown as of reading', async () => {
    const { alpha } = sources;
    await ada.useFully(trace_id, alpha);
    world.clock.ms += HOUR;
    const shown = { retrieved: 0.05, usage: 0.85, total: 0.05 + 0.85, updated_at: '2024-06-01T13:00:00.000Z' };
    expect((await ada.recall(trace_id)).sources[0]?.activation).toEqual(shown);
    const { uses } = await ada.use({ trace_id, uses: [{ source_id: alpha, stage: 'used' }] });
    expect(uses[0]?.activation).toEqual(shown);
    const second = await ada.chain();
    expect(second.results[0]?.activation).toEqual({
      retrieved: 0.05 + 0.1,
      usage: 0.85,
      total: 0.05 + 0.1 + 0.85,
      updated_at: '2024-06-01T13:00:00.000Z',
    });
  });

  it('stands still while the clock runs backwards, and its stamp never moves back', async () => {
    const { alpha } = sources;
    world.clock.ms -= 5 * HOUR;
    const { uses, timestamp } = await ada.use({ trace_id, uses: [{ source_id: alpha, stage: 'selected' }] });
    expect(timestamp).toBe('2024-06-01T07:00:00.000Z');
    expect(uses[0]?.activation).toEqual({ retrieved: 0.1, usage: 0.2, total: 0.1 + 0.2, updated_at: NOON });
    world.clock.ms += 6 * HOUR;
    expect((await ada.recall(trace_id)).sources[0]?.activation).toMatchObject({ retrieved: 0.05, usage: 0.1 });
  });

  it('is capped at 10 a channel', async () => {
    for (let n = 0; n < 8; n += 1) {
      const { trace_id: each } = await ada.chain();
      await ada.useFully(each, sources.alpha);
    }
    const [source] = (await ada.recall(trace_id)).sources;
    expect(source?.activation.usage).toBe(10);
    for (let n = 0; n < 95; n += 1) await ada.chain();
    expect((await ada.chain()).results[0]?.activation).toMatchObject({ retrieved: 10, usage: 10, total: 20 });
  });
});

describe('a batch with one bad entry writes nothing at all', () => {
  it.each([
    ['that skips a stage', 'stage_order', { stage: 'validated' as const }, 'uses[2].stage: validated must follow'],
    ['of an unknown source', 'unknown_source', { source_id: 'src_unknown' }, 'uses[2].source_id: is no source of'],
  ])('%s', async (_name, code, bad, said) => {
    const before = await world.dump();
    const { alpha, beta, gamma } = sources;
    const uses = [
      { source_id: alpha, stage: 'selected' as const },
      { source_id: alpha, stage: 'validated' as const },
      { source_id: gamma, stage: 'selected' as const, ...bad },
      { source_id: beta, stage: 'selected' as const },
    ];
    const idempotency_key = freshKey();
    const refused = await refusal(ada.use({ trace_id, idempotency_key, uses }));
    expect(refused.code).toBe(code);
    expect(refused.message).toContain(said);
    expect(refused.hint).toBeDefined();
    expect(await world.dump()).toBe(before);
    // The refused call did not consume its key.
    const { uses: recorded } = await ada.use({ trace_id, idempotency_key, uses: uses.slice(0, 2) });
    expect(recorded.map(({ applied }) => applied)).toEqual([true, true]);
  });

  it('of a source that another trace returned', async () => {
    await world.index(CHAIN.map((page) => ({ ...page, version: '2024-03-03T00:00:00Z' })));
    const other = await ada.chain();
    const before = await world.dump();
    const uses = [{ source_id: sourcesOf(other)('Alpha'), stage: 'selected' as const }];
    expect(await codeOf(ada.use({ trace_id, uses }))).toBe('unknown_source');
    expect(await world.dump()).toBe(before);
  });
});

describe('input', () => {
  const use = (fields: object) =>
    refusal(
      ada.use({
        trace_id,
        uses: [{ source_id: sources.alpha, stage: 'selected' }],
        ...fields,
      }),
    );
  const many = (count: number) =>
    Array.from({ length: count }, () => ({ source_id: sources.alpha, stage: 'selected' }));

  it.each<[string, () => object, string]>([
    ['claims retrieved', () => ({ uses: [{ source_id: sources.alpha, stage: 'retrieved' }] }), 'uses[0].stage'],
    ['has no uses', () => ({ uses: [] }), 'uses'],
    ['has 101 uses', () => ({ uses: many(101) }), 'uses'],
    ['has a key of no character', () => ({ idempotency_key: '' }), 'idempotency_key'],
    ['has a key of 129 characters', () => ({ idempotency_key: 'k'.repeat(129) }), 'idempotency_key'],
    ['has a key with a space', () => ({ idempotency_key: 'a b' }), 'idempotency_key'],
    ['has a key with a line end', () => ({ idempotency_key: 'a\n' }), 'idempotency_key'],
    ['has a key that is not ASCII', () => ({ idempotency_key: 'clé' }), 'idempotency_key'],
    ['has a trace_id that is no text', () => ({ trace_id: 7 }), 'trace_id'],
    ['has a trace_id of a lone surrogate', () => ({ trace_id: 'trc_\uD800' }), 'trace_id'],
    ['names a user', () => ({ user_id: 7 }), 'user_id'],
    [
      'has a source_id of a lone surrogate',
      () => ({ uses: [{ source_id: '\uDC00', stage: 'used' }] }),
      'uses[0].source_id',
    ],
  ])('that %s is invalid_input and names the field', async (_name, fields, field) => {
    const before = await world.dump();
    const { code, message } = await use(fields());
    expect(code).toBe('invalid_input');
    expect(message).toContain(field);
    expect(await world.dump()).toBe(before);
  });

  it('may have 100 uses and a key of 128 characters', async () => {
    const { uses } = await ada.use({
      trace_id,
      idempotency_key: '!'.repeat(127) + '~',
      uses: many(100).map((each) => ({ ...each, stage: 'selected' as const })),
    });
    expect(uses).toHaveLength(100);
    expect(uses.filter(({ applied }) => applied)).toHaveLength(1);
  });
});
