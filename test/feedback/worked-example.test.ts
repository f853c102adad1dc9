import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHAIN, type Caller, HOUR, MemoryWorld, sourcesOf } from './memory.ts';
import { wiki } from '../support/project.ts';

/** The worked example of the feedback contract, section 6, through the real search over real pages. */

const ALPHA_BETA = { repo: 'acme/app', src_slug: 'wiki/Alpha', dst_slug: 'wiki/Beta', edge_kind: 'mention' };
const BETA_GAMMA = { repo: 'acme/app', src_slug: 'wiki/Beta', dst_slug: 'wiki/Gamma', edge_kind: 'mention' };

let world: MemoryWorld;
let ada: Caller;
beforeEach(async () => {
  world = await MemoryWorld.of(CHAIN);
  ada = world.as({ kind: 'local' });
});
afterEach(() => world.remove());

/** Searches, uses the last page of the chain and confirms it. */
async function confirmGamma() {
  const answer = await ada.chain();
  const gamma = sourcesOf(answer)('Gamma');
  await ada.useFully(answer.trace_id, gamma);
  return ada.confirm(answer.trace_id, [gamma]);
}

/** Learned strength of the paths to Beta and Gamma. */
async function learned(): Promise<(number | null | undefined)[]> {
  const { graph_results } = await ada.chain({ use_memory: true });
  expect(graph_results.map((row) => row.wiki_path)).toEqual(['Beta', 'Gamma']);
  return graph_results.map((row) => row.learned_strength);
}

describe('a path a -> b -> c that is confirmed', () => {
  it('gets a quarter on each edge, halves, gets another quarter, and gives back exactly the first', async () => {
    expect(await learned()).toEqual([0, 0]);
    const first = await confirmGamma();
    expect(first.credits.map(({ edge, applied_delta, strength }) => ({ edge, applied_delta, strength }))).toEqual([
      { edge: ALPHA_BETA, applied_delta: 0.25, strength: 0.25 },
      { edge: BETA_GAMMA, applied_delta: 0.25, strength: 0.25 },
    ]);
    expect(await learned()).toEqual([0.25, 0.5]);

    world.clock.ms += HOUR;
    expect(await learned()).toEqual([0.125, 0.25]);
    const second = await confirmGamma();
    expect(second.credits.map(({ applied_delta, strength }) => [applied_delta, strength])).toEqual([
      [0.25, 0.125 + 0.25],
      [0.25, 0.125 + 0.25],
    ]);
    expect(await learned()).toEqual([0.375, 0.75]);

    const reversal = await ada.reverse(first);
    expect(reversal.reversals).toEqual([
      { edge: ALPHA_BETA, applied_delta: 0.25, reversed_delta: 0.125, strength: 0.25, state: 'reversed' },
      { edge: BETA_GAMMA, applied_delta: 0.25, reversed_delta: 0.125, strength: 0.25, state: 'reversed' },
    ]);
    expect(await learned()).toEqual([0.25, 0.5]);

    await ada.reverse(second, { outcome: 'rolled_back' });
    expect(await learned()).toEqual([0, 0]);
  });

  it('keeps its strength when its documents are indexed again, also at another version', async () => {
    const first = await confirmGamma();
    const ids = sourcesOf(await ada.chain());
    const newer = { updatedAt: Date.UTC(2024, 4, 1), version: '2024-05-01T00:00:00Z' };
    await world.index([
      wiki('Beta', { body: 'Told anew on Gamma.', ...newer }),
      wiki('Gamma', { body: 'It is blunt now.', ...newer }),
    ]);
    const again = await ada.chain({ use_memory: true });
    expect(again.graph_results.map((row) => row.learned_strength)).toEqual([0.25, 0.5]);
    expect(sourcesOf(again)('Gamma')).not.toBe(ids('Gamma'));
    expect(sourcesOf(again)('Alpha')).toBe(ids('Alpha'));
    expect((await ada.reverse(first)).reversals.map(({ reversed_delta }) => reversed_delta)).toEqual([0.25, 0.25]);
    expect(await learned()).toEqual([0, 0]);
  });

  it('is not travelled once an edge of it is gone, and can still be seen and taken back', async () => {
    const first = await confirmGamma();
    await world.index([wiki('Beta', { body: 'It means nothing any more.', version: '2024-05-02T00:00:00Z' })]);
    const { graph_results } = await ada.chain({ use_memory: true });
    expect(graph_results.map((row) => [row.wiki_path, row.learned_strength])).toEqual([['Beta', 0.25]]);

    const recalled = await ada.recall(first.trace_id);
    const path = [
      { ...ALPHA_BETA, direction: 'forward' },
      { ...BETA_GAMMA, direction: 'forward' },
    ];
    expect(recalled.sources.map((source) => source.path)).toEqual([[], path.slice(0, 1), path]);
    expect((await ada.reverse(first)).reversals.map(({ edge, reversed_delta }) => [edge, reversed_delta])).toEqual([
      [ALPHA_BETA, 0.25],
      [BETA_GAMMA, 0.25],
    ]);
    // The edge comes back, its strength does not.
    await world.index(CHAIN);
    expect(await learned()).toEqual([0, 0]);
  });

  it('can be confirmed although the edge is gone since the search: the trace knows what was travelled', async () => {
    const answer = await ada.chain();
    const gamma = sourcesOf(answer)('Gamma');
    await ada.useFully(answer.trace_id, gamma);
    await world.index([], ['acme/app/wiki/Beta']);
    const { credits } = await ada.confirm(answer.trace_id, [gamma]);
    expect(credits.map(({ edge, applied_delta }) => [edge, applied_delta])).toEqual([
      [ALPHA_BETA, 0.25],
      [BETA_GAMMA, 0.25],
    ]);
    await world.index(CHAIN);
    expect(await learned()).toEqual([0.25, 0.5]);
  });

  it('changes nothing in the answers of others, nor in the keyword axis and the graph without use_memory', async () => {
    const ranks = async (caller: Caller, use_memory: boolean) => {
      const { results, graph_results } = await caller.chain({ use_memory });
      const rows = JSON.stringify([results, graph_results]);
      return JSON.parse(rows, (key, value: unknown) => (key === 'activation' ? undefined : value)) as unknown;
    };
    const before = await ranks(ada, false);
    await confirmGamma();
    expect(await ranks(ada, false)).toEqual(before);
    const grace = world.as({ kind: 'github', userId: 7 });
    expect(await ranks(grace, false)).toEqual(before);
    const { graph_results } = await grace.chain({ use_memory: true });
    expect(graph_results.map((row) => row.learned_strength)).toEqual([0, 0]);
  });
});

it('a learned candidate from outside the old cut enters, by hop first, then by strength', async () => {
  const pages = Array.from({ length: 8 }, (_, n) => wiki(`Page${String(n)}`, { body: 'Nothing.' }));
  const hub = wiki('Hub', { body: `The thimble. ${pages.map((page) => String(page.path)).join(', ')}` });
  await world.index([...pages, hub]);
  const ask = { query: 'thimble', graph_expand: true, top_k: 2 } as const;
  const names = ({ graph_results }: Awaited<ReturnType<Caller['search']>>) => graph_results.map((row) => row.wiki_path);
  expect(names(await ada.search(ask))).toEqual(['Page0', 'Page1', 'Page2', 'Page3']);
  expect(names(await ada.search({ ...ask, use_memory: true }))).toEqual(['Page0', 'Page1', 'Page2', 'Page3']);

  const wide = await ada.retrieve({ ...ask, top_k: 10 });
  const last = sourcesOf(wide)('Page7');
  await ada.useFully(wide.trace_id, last);
  await ada.confirm(wide.trace_id, [last]);
  const learnedAnswer = await ada.search({ ...ask, use_memory: true });
  expect(names(learnedAnswer)).toEqual(['Page7', 'Page0', 'Page1', 'Page2']);
  expect(learnedAnswer.graph_results.map((row) => row.learned_strength)).toEqual([0.25, 0, 0, 0]);
  expect(names(await ada.search(ask))).toEqual(['Page0', 'Page1', 'Page2', 'Page3']);
});

it.each([{ since: '9y' }, { sources: ['acme/app/wiki/Alpha'] }])('%j is not ordered by memory', async (asked) => {
  await confirmGamma();
  const { graph_results } = await ada.retrieve({ ...asked, graph_expand: true, graph_hops: 2, use_memory: true });
  for (const row of graph_results) expect(row).not.toHaveProperty('learned_strength');
  expect((await ada.recall((await ada.chain({ use_memory: true })).trace_id)).request).toMatchObject({
    controls: { use_memory: true },
  });
});
