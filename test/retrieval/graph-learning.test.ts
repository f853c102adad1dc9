import { afterEach, describe, expect, it } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { type Caller, github, HOUR, MemoryWorld, sourcesOf } from '../feedback/memory.ts';
import { type Asked, issue } from '../support/project.ts';

const opened: MemoryWorld[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((world) => world.remove()));
});

async function world(documents: readonly Document[]): Promise<MemoryWorld> {
  const made = await MemoryWorld.of(documents);
  opened.push(made);
  return made;
}

const names = ({ graph_results }: Pick<SearchOutput, 'graph_results'>): unknown[] =>
  graph_results.map((row) => row.reference);

/** A hub with its neighbours, the next numbers; behind the first of them there is #900. */
function hub(neighbours: number, number = 1): Document[] {
  const numbers = Array.from({ length: neighbours }, (_, at) => at + number + 1);
  return [
    issue(number, { body: `The needle. See ${numbers.map((each) => `#${String(each)}`).join(', ')}.` }),
    ...numbers.map((each) => issue(each, { body: each === number + 1 ? 'And #900.' : 'Nothing.' })),
    issue(900, { body: 'Behind.' }),
  ];
}

/** Neighbours of the hub in the order in which they are reached. */
const inOrder = (neighbours: number, number = 1): string[] =>
  Array.from({ length: neighbours }, (_, at) => `acme/app#${String(at + number + 1)}`).sort();

/** Confirms what lies between a neighbour and the hub: found from the neighbour, the hub was right. */
async function learn(caller: Caller, neighbour: string, from = 'acme/app#1') {
  const answer = await caller.retrieve({ sources: [neighbour], graph_expand: true });
  const source = sourcesOf(answer)(from);
  await caller.useFully(answer.trace_id, source);
  const receipt = await caller.confirm(answer.trace_id, [source]);
  expect(receipt.credits.map((credit) => credit.applied_delta)).toEqual([0.25]);
  return receipt;
}

const ask = (caller: Caller, asked: Asked = {}) =>
  caller.retrieve({ query: 'needle', graph_expand: true, use_memory: true, ...asked });

describe('learned strength', () => {
  it('brings in a candidate from outside the cut, and pushes out the last', async () => {
    const caller = (await world(hub(60))).as(github(1));
    const order = inOrder(60);
    expect(names(await ask(caller, { top_k: 5 }))).toEqual(order.slice(0, 10));
    await learn(caller, 'acme/app#55');
    expect(order.indexOf('acme/app#55')).toBeGreaterThan(10);
    const learned = await ask(caller, { top_k: 5 });
    expect(names(learned)).toEqual(['acme/app#55', ...order.slice(0, 9)]);
    expect(learned.graph_results.map((row) => row.learned_strength)).toEqual([
      0.25,
      ...Array.from({ length: 9 }, () => 0),
    ]);
    expect(names(await ask(caller, { top_k: 5, use_memory: false }))).toEqual(order.slice(0, 10));
  });

  it('reaches as far as the 200th candidate, not the next', async () => {
    const caller = (await world([...hub(110), ...hub(110, 500)])).as(github(1));
    const [first, second] = (await ask(caller)).results.map((row) => row.reference);
    expect([first, second].sort()).toEqual(['acme/app#1', 'acme/app#500']);
    const order = [1, 500]
      .toSorted((a) => (first === `acme/app#${String(a)}` ? -1 : 1))
      .flatMap((hubs) => inOrder(110, hubs));
    const [within = '', beyond = ''] = order.slice(199);
    await learn(caller, beyond, second);
    expect(names(await ask(caller))).toEqual(order.slice(0, 20));
    await learn(caller, within, second);
    expect(names(await ask(caller))).toEqual([within, ...order.slice(0, 19)]);
  });

  it('orders within a hop only', async () => {
    const caller = (await world(hub(3))).as(github(1));
    const answer = await ask(caller, { graph_hops: 2 });
    expect(names(answer)).toEqual(['acme/app#2', 'acme/app#3', 'acme/app#4', 'acme/app#900']);
    const far = sourcesOf(answer)('acme/app#900');
    await caller.useFully(answer.trace_id, far);
    await caller.confirm(answer.trace_id, [far]);
    await learn(caller, 'acme/app#4');
    await learn(caller, 'acme/app#4');
    const learned = await ask(caller, { graph_hops: 2 });
    expect(learned.graph_results.map((row) => [row.reference, row.learned_strength])).toEqual([
      ['acme/app#4', 0.5],
      ['acme/app#2', 0.25],
      ['acme/app#3', 0],
      ['acme/app#900', 0.5],
    ]);
  });

  it('decays, and goes with the confirmation that is taken back', async () => {
    const index = await world(hub(3));
    const caller = index.as(github(1));
    const first = await learn(caller, 'acme/app#3');
    index.clock.ms += HOUR;
    await learn(caller, 'acme/app#4');
    const strengths = async () => (await ask(caller)).graph_results.map((row) => [row.reference, row.learned_strength]);
    expect(await strengths()).toEqual([
      ['acme/app#4', 0.25],
      ['acme/app#3', 0.125],
      ['acme/app#2', 0],
    ]);
    await caller.reverse(first);
    expect(await strengths()).toEqual([
      ['acme/app#4', 0.25],
      ['acme/app#2', 0],
      ['acme/app#3', 0],
    ]);
    // Nothing that a number could hold is left, and nothing of it is read any more.
    index.clock.ms += 1200 * HOUR;
    expect(await strengths()).toEqual([
      ['acme/app#2', 0],
      ['acme/app#3', 0],
      ['acme/app#4', 0],
    ]);
  });

  it('is the caller’s own', async () => {
    const index = await world(hub(3));
    await learn(index.as(github(1)), 'acme/app#4');
    const other = await ask(index.as(github(2)));
    expect(other.graph_results.map((row) => [row.reference, row.learned_strength])).toEqual([
      ['acme/app#2', 0],
      ['acme/app#3', 0],
      ['acme/app#4', 0],
    ]);
  });

  it('is null for a path that cannot be verified, which keeps its place', async () => {
    const index = await world([
      issue(1, { body: 'The needle. See #2, #3, #99.' }),
      issue(2, { body: 'See #5.' }),
      issue(3, { body: 'See #6.' }),
      ...[4, 7].map((number) => issue(number, { body: 'As in #99.' })),
      issue(5, { body: 'Nothing.' }),
      issue(6, { body: 'Nothing.' }),
    ]);
    const answer = await ask(index.as(github(1)), { graph_hops: 2 });
    expect(answer.graph_results.map((row) => [row.reference, row.learned_strength])).toEqual([
      ['acme/app#2', 0],
      ['acme/app#3', 0],
      ['acme/app#5', 0],
      ['acme/app#6', 0],
      ['acme/app#4', null],
      ['acme/app#7', null],
    ]);
  });
});

describe('with use_memory and nothing learned', () => {
  it('rows and order are those without it', async () => {
    const caller = (await world(hub(60))).as(github(1));
    for (const asked of [{ top_k: 3 }, { top_k: 20, graph_hops: 2 }]) {
      const [plain, learned] = [await ask(caller, { ...asked, use_memory: false }), await ask(caller, asked)];
      const rows = learned.graph_results.map(({ learned_strength, activation: _, ...row }) => {
        expect(learned_strength).toBe(0);
        return row;
      });
      expect(rows).toEqual(plain.graph_results.map(({ activation: _, ...row }) => row));
    }
  });

  it('a scan or a fetch knows no learned strength', async () => {
    const caller = (await world(hub(3))).as(github(1));
    await learn(caller, 'acme/app#4');
    for (const asked of [
      { query: '', since: '2020-01-01', top_k: 1 },
      { query: '', sources: ['acme/app#1'] },
    ]) {
      const { graph_results } = await ask(caller, asked);
      expect(graph_results.length).toBeGreaterThan(0);
      expect(graph_results.every((row) => !('learned_strength' in row))).toBe(true);
    }
  });
});

it('learning changes nothing of the results, nor of the graph results without use_memory', async () => {
  const index = await world(hub(30));
  const caller = index.as(github(1));
  const shown = async (asked: Asked): Promise<string> => {
    const { results, graph_results } = await ask(caller, asked);
    const text = JSON.stringify({ results, graph_results: asked.use_memory === false ? graph_results : [] });
    // What the caller did with a source is no part of its rank.
    return text.replace(/"activation":\{[^}]*\},?/g, '');
  };
  const asked: Asked[] = [{ use_memory: false }, { use_memory: true }, { query: 'needle nothing', use_memory: false }];
  const before = [];
  for (const each of asked) before.push(await shown(each));
  for (const neighbour of ['acme/app#30', 'acme/app#7', 'acme/app#30']) await learn(caller, neighbour);
  const after = [];
  for (const each of asked) after.push(await shown(each));
  expect(after).toEqual(before);
});

it('indexing again leaves what was learned alone, also where an edge was gone in between', async () => {
  const index = await world(hub(5));
  const caller = index.as(github(1));
  await learn(caller, 'acme/app#6');
  const before = await index.rows('SELECT * FROM credits');
  await index.index([issue(1, { body: 'The needle. See #2.' })]);
  expect(names(await ask(caller))).toEqual(['acme/app#2']);
  await index.index([issue(1, { body: 'A needle after all: #4, #5, #6.', version: '2024-03-01T00:00:00Z' })]);
  expect(await index.rows('SELECT * FROM credits')).toEqual(before);
  expect((await ask(caller)).graph_results.map((row) => [row.reference, row.learned_strength])).toEqual([
    ['acme/app#6', 0.25],
    ['acme/app#4', 0],
    ['acme/app#5', 0],
  ]);
});
