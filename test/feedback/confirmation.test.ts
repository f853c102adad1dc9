import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfirmationReceipt } from '../../src/lib/feedback/receipts.ts';
import { doc, issue } from '../support/project.ts';
import { type Caller, codeOf, freshKey, HOUR, MemoryWorld, refusal, sourcesOf, THREADS } from './memory.ts';

/** `record_outcome` with confirmed: feedback contract, sections 6, 7, 10 and 12. */

const edge = (src_slug: string, dst_slug: string) => ({ repo: 'acme/app', src_slug, dst_slug, edge_kind: 'reference' });

let world: MemoryWorld;
let ada: Caller;
beforeEach(async () => {
  world = await MemoryWorld.of(THREADS);
  ada = world.as({ kind: 'local' });
});
afterEach(() => world.remove());

/** A trace of the threads of which some are used. */
async function used(...references: readonly string[]) {
  const answer = await ada.threads();
  const id = sourcesOf(answer);
  const sourceIds = references.map(id);
  await ada.useFully(answer.trace_id, ...sourceIds);
  return { trace_id: answer.trace_id, id, sourceIds };
}

const shortly = ({ credits }: ConfirmationReceipt) =>
  credits.map(({ edge: credited, applied_delta, reason }) => [
    credited === null ? null : `${credited.src_slug} ${credited.dst_slug}`,
    applied_delta,
    ...(reason === undefined ? [] : [reason]),
  ]);

describe('a confirmation', () => {
  it('credits the edges that were travelled to each source, and has the shape of the contract', async () => {
    const { trace_id, sourceIds } = await used('acme/app#3', 'acme/lib#7');
    const [third, lib] = sourceIds;
    const receipt = await ada.confirm(trace_id, sourceIds, { reason: 'Fixed the leak.' });
    const credit = { applied_delta: 0.25, strength: 0.25, state: 'active' };
    expect(receipt).toEqual({
      receipt_id: expect.stringMatching(/^rcp_[A-Za-z0-9_-]{22}$/),
      kind: 'confirmation',
      confirmation_id: receipt.receipt_id,
      trace_id,
      timestamp: '2024-06-01T12:00:00.000Z',
      outcome: 'confirmed',
      reason: 'Fixed the leak.',
      sources: [
        {
          source_id: third,
          path: [
            { ...edge('#1', '#2'), direction: 'forward' },
            { ...edge('#2', '#3'), direction: 'forward' },
          ],
        },
        { source_id: lib, path: [{ ...edge('#1', 'acme/lib#7'), direction: 'forward' }] },
      ],
      credits: [
        { source_id: third, edge: edge('#1', '#2'), ...credit },
        { source_id: third, edge: edge('#2', '#3'), ...credit },
        { source_id: lib, edge: edge('#1', 'acme/lib#7'), ...credit },
      ],
    });
  });

  it('strengthens no shortcut from the origin to the end, and nothing but the path', async () => {
    const { trace_id, sourceIds } = await used('acme/app#3');
    await ada.confirm(trace_id, sourceIds);
    const rows = await world.rows('SELECT src_slug, dst_slug FROM credits ORDER BY seq');
    expect(rows).toEqual([
      { src_slug: '#1', dst_slug: '#2' },
      { src_slug: '#2', dst_slug: '#3' },
    ]);
    const { graph_results } = await ada.threads({ use_memory: true });
    expect(graph_results.map((row) => [row.reference, row.learned_strength])).toEqual([
      ['acme/app#2', 0.25],
      ['acme/lib#7', 0],
      ['acme/app#3', 0.5],
      ['acme/app#4', 0.25],
      ['acme/app#5', null],
    ]);
  });

  it('credits an edge walked backwards under the same identity', async () => {
    // Only the second issue holds this word, so its edge from the first is walked against its direction.
    const answer = await ada.retrieve({ query: 'compare', graph_expand: true });
    const first = sourcesOf(answer)('acme/app#1');
    await ada.useFully(answer.trace_id, first);
    const { sources, credits } = await ada.confirm(answer.trace_id, [first]);
    expect(sources[0]?.path).toEqual([{ ...edge('#1', '#2'), direction: 'backward' }]);
    expect(credits[0]).toMatchObject({ edge: edge('#1', '#2'), strength: 0.25 });
    const { trace_id, sourceIds } = await used('acme/app#2');
    expect((await ada.confirm(trace_id, sourceIds)).credits[0]).toMatchObject({
      edge: edge('#1', '#2'),
      strength: 0.5,
    });
  });

  it('tells edges apart by each of both ends', async () => {
    await world.index([issue(10, { body: 'After #1.' }), issue(11, { body: 'After #1.' })]);
    const { trace_id, sourceIds } = await used('acme/app#10', 'acme/app#11', 'acme/app#2');
    expect(shortly(await ada.confirm(trace_id, sourceIds))).toEqual([
      ['#10 #1', 0.25],
      ['#11 #1', 0.25],
      ['#1 #2', 0.25],
    ]);
  });

  it('tells edges apart by their repository', async () => {
    const lib = (number: number, body: string) => issue(number, { repo: 'acme/lib', body });
    await world.index([lib(1, 'A kettle, too. See #2.'), lib(2, 'Nothing.')]);
    const { trace_id, sourceIds } = await used('acme/app#2', 'acme/lib#2');
    const { credits } = await ada.confirm(trace_id, sourceIds);
    expect(credits.map((credit) => [credit.edge, credit.applied_delta])).toEqual([
      [edge('#1', '#2'), 0.25],
      [{ ...edge('#1', '#2'), repo: 'acme/lib' }, 0.25],
    ]);
  });

  it('tells edges apart by their kind', async () => {
    const page = (body: string, version: string) => doc('docs/a.md', { body: `The samovar. ${body}`, version });
    const learn = async () => {
      const { trace_id, ...answer } = await ada.retrieve({ query: 'samovar', graph_expand: true });
      const id = sourcesOf(answer)('acme/app:docs/b.md');
      await ada.useFully(trace_id, id);
      return (await ada.confirm(trace_id, [id])).credits.map((credit) => [credit.edge?.edge_kind, credit.strength]);
    };
    const [linked, named] = ['[b](b.md)', 'https://github.com/acme/app/blob/main/docs/b.md'];
    await world.index([page(linked, '1'), doc('docs/b.md', { body: 'Nothing.' })]);
    expect(await learn()).toEqual([['link', 0.25]]);
    await world.index([page(named, '2')]);
    expect(await learn()).toEqual([['reference', 0.25]]);
    expect(await learn()).toEqual([['reference', 0.5]]);
    const strength = async () => {
      const { graph_results } = await ada.retrieve({ query: 'samovar', graph_expand: true, use_memory: true });
      return graph_results.map((row) => row.learned_strength);
    };
    expect(await strength()).toEqual([0.5]);
    await world.index([page(linked, '3')]);
    expect(await strength()).toEqual([0.25]);
  });

  it('gives nothing where there is no verified path: found by words, or behind what is not indexed', async () => {
    const { trace_id, sourceIds, id } = await used('acme/app#1', 'acme/app#5');
    const answer = await ada.threads();
    const unverified = answer.graph_results.find((row) => row.source_id === id('acme/app#5'));
    expect(unverified).toMatchObject({
      graph_feedback_available: false,
      graph_feedback_exclusion_reason: 'unverifiable_graph_path',
      graph_hop: 2,
      graph_path: [
        { ...edge('#1', '#99'), direction: 'forward' },
        { ...edge('#5', '#99'), direction: 'backward' },
      ],
    });
    const receipt = await ada.confirm(trace_id, sourceIds);
    const nothing = { edge: null, applied_delta: 0, strength: 0, state: 'active', reason: 'no_graph_path' };
    expect(receipt.sources.map(({ path }) => path)).toEqual([[], []]);
    expect(receipt.credits).toEqual(sourceIds.map((source_id) => ({ source_id, ...nothing })));
    expect(await world.rows('SELECT * FROM credits')).toEqual([]);
    expect((await ada.recall(trace_id)).memory_recording).toMatchObject({
      status: 'partial',
      excluded_graph_paths: 1,
      graph_exclusions: [{ location: 'graph_results[4]', reason: 'unverifiable_graph_path' }],
    });
  });

  it('credits an edge that two of its sources share once', async () => {
    const { trace_id, sourceIds } = await used('acme/app#3', 'acme/app#4');
    const receipt = await ada.confirm(trace_id, sourceIds);
    expect(shortly(receipt)).toEqual([
      ['#1 #2', 0.25],
      ['#2 #3', 0.25],
      ['#1 #2', 0, 'duplicate_trace_edge'],
      ['#2 #4', 0.25],
    ]);
    expect(receipt.credits.map(({ strength }) => strength)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it('repeated in its trace credits nothing, not even after its credit was reversed', async () => {
    const { trace_id, sourceIds } = await used('acme/app#2', 'acme/app#3');
    const first = await ada.confirm(trace_id, sourceIds.slice(0, 1));
    expect(shortly(await ada.confirm(trace_id, sourceIds.slice(0, 1)))).toEqual([['#1 #2', 0, 'duplicate_trace_edge']]);
    await ada.reverse(first);
    const third = await ada.confirm(trace_id, sourceIds);
    expect(shortly(third)).toEqual([
      ['#1 #2', 0, 'already_reversed'],
      ['#1 #2', 0, 'already_reversed'],
      ['#2 #3', 0.25],
    ]);
    expect(third.credits.map(({ strength, state }) => [strength, state])).toEqual([
      [0, 'active'],
      [0, 'active'],
      [0.25, 'active'],
    ]);
  });

  it('gives the headroom that is left under the cap of 5, and then nothing, which is this trace’s claim all the same', async () => {
    for (let n = 0; n < 20; n += 1) {
      const { trace_id, sourceIds } = await used('acme/app#2');
      expect((await ada.confirm(trace_id, sourceIds)).credits[0]?.strength).toBe(0.25 * (n + 1));
    }
    const full = await used('acme/app#2');
    const capped = await ada.confirm(full.trace_id, full.sourceIds);
    expect(capped.credits[0]).toMatchObject({ applied_delta: 0, strength: 5, state: 'active', reason: 'cap_reached' });

    const partial = await used('acme/app#2');
    world.clock.ms += HOUR / 100;
    const headroom = 5 - 20 * (0.25 * 0.5 ** 0.01);
    const [credit] = (await ada.confirm(partial.trace_id, partial.sourceIds)).credits;
    expect(credit?.applied_delta).toBeCloseTo(headroom, 12);
    expect(credit).toMatchObject({ strength: 5, state: 'active' });
    expect(credit).not.toHaveProperty('reason');

    world.clock.ms += HOUR;
    expect(shortly(await ada.confirm(full.trace_id, full.sourceIds))).toEqual([['#1 #2', 0, 'duplicate_trace_edge']]);
    const [reversed] = (await ada.reverse(capped)).reversals;
    expect(reversed).toEqual({
      edge: edge('#1', '#2'),
      applied_delta: 0,
      reversed_delta: 0,
      strength: 2.5,
      state: 'reversed',
    });
  });
});

describe('a confirmation is refused, and nothing is written', () => {
  it.each([
    ['retrieved', 0],
    ['selected', 1],
    ['validated', 2],
  ])('of a source that is only %s', async (_stage, steps) => {
    const { trace_id, id } = await used('acme/app#2');
    const source_id = id('acme/app#3');
    const uses = (['selected', 'validated'] as const).slice(0, steps).map((stage) => ({ source_id, stage }));
    if (steps > 0) await ada.use({ trace_id, uses });
    const before = await world.dump();
    const idempotency_key = freshKey();
    const refused = await refusal(ada.confirm(trace_id, [id('acme/app#2'), source_id], { idempotency_key }));
    expect(refused).toMatchObject({ code: 'not_used', message: expect.stringContaining('source_ids[1]') });
    expect(await world.dump()).toBe(before);
    await ada.useFully(trace_id, source_id);
    expect((await ada.confirm(trace_id, [source_id], { idempotency_key })).credits).toHaveLength(2);
  });

  it('of a source that is used in another trace only', async () => {
    const { id } = await used('acme/app#2');
    const other = await ada.threads();
    expect(await codeOf(ada.confirm(other.trace_id, [id('acme/app#2')]))).toBe('not_used');
  });

  it('of an unknown source', async () => {
    const { trace_id, id } = await used('acme/app#2');
    const before = await world.dump();
    const refused = await refusal(ada.confirm(trace_id, [id('acme/app#2'), 'src_unknown']));
    expect(refused).toMatchObject({ code: 'unknown_source', message: expect.stringContaining('source_ids[1]') });
    expect(await world.dump()).toBe(before);
  });
});

describe('input', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, n) => `src_${String(n)}`);

  it.each<[string, object, string]>([
    ['has no reason', { reason: '' }, 'reason'],
    ['has a reason of 1001 characters', { reason: 'r'.repeat(1001) }, 'reason'],
    ['has a reason of a lone surrogate', { reason: 'x \uD800' }, 'reason'],
    ['has no sources', { source_ids: [] }, 'source_ids'],
    ['leaves its sources out', { source_ids: undefined }, 'source_ids'],
    ['has 101 sources', { source_ids: ids(101) }, 'source_ids'],
    ['has a source twice', { source_ids: ['src_a', 'src_b', 'src_a'] }, 'source_ids'],
    ['has a confirmation_id', { confirmation_id: 'rcp_x' }, 'confirmation_id'],
    ['has an outcome of its own', { outcome: 'failed' }, 'outcome'],
    ['has a key of 129 characters', { idempotency_key: 'k'.repeat(129) }, 'idempotency_key'],
    ['names a user', { principal: 'github:7' }, 'principal'],
  ])('that %s is invalid_input and names the field', async (_name, fields, field) => {
    const { trace_id, sourceIds } = await used('acme/app#2');
    const before = await world.dump();
    const { code, message } = await refusal(ada.confirm(trace_id, sourceIds, fields));
    expect(code).toBe('invalid_input');
    expect(message).toContain(field);
    expect(await world.dump()).toBe(before);
  });

  it('may have a reason of 1000 characters in any script', async () => {
    const { trace_id, sourceIds } = await used('acme/app#2');
    const reason = '理'.repeat(999) + '\n';
    expect((await ada.confirm(trace_id, sourceIds, { reason })).reason).toBe(reason);
    expect((await ada.recall(trace_id)).receipts.at(-1)).toMatchObject({ reason });
  });
});
