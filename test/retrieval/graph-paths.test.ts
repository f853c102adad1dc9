import { afterEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/core/failure.ts';
import type { Document } from '../../src/lib/corpus/document.ts';
import { change, type Query, type Rows } from '../../src/lib/engine/database.ts';
import { type Caller, github, MemoryWorld, sourcesOf } from '../feedback/memory.ts';
import { CountingDatabase } from '../support/database.ts';
import { type Asked, comment, diff, issue } from '../support/project.ts';

const opened: MemoryWorld[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((world) => world.remove()));
});

async function world(documents: readonly Document[]): Promise<MemoryWorld> {
  const made = await MemoryWorld.of(documents);
  opened.push(made);
  return made;
}

const twoHops = (caller: Caller, asked: Asked = {}) =>
  caller.retrieve({ query: 'needle', graph_expand: true, graph_hops: 2, ...asked });

const UNVERIFIED = { graph_feedback_available: false, graph_feedback_exclusion_reason: 'unverifiable_graph_path' };

/** #1 leads to #5 by way of #99, which is not indexed. */
const THROUGH_NOTHING = [issue(1, { body: 'The needle. See #99 and #98.' }), issue(5, { body: 'As in #99.' })];

describe('a path through what is not indexed', () => {
  it('is returned with its row, and saved as no path at all', async () => {
    const caller = (await world(THROUGH_NOTHING)).as(github(1));
    const answer = await twoHops(caller);
    expect(answer.graph_results).toHaveLength(1);
    const [row] = answer.graph_results;
    expect(row).toMatchObject({ reference: 'acme/app#5', graph_hop: 2, ...UNVERIFIED });
    expect(row?.graph_path.map((edge) => edge.dst_slug)).toEqual(['#99', '#99']);
    expect(answer.memory_recording).toMatchObject({
      status: 'partial',
      excluded_sources: 0,
      excluded_graph_paths: 1,
      graph_exclusions: [{ location: 'graph_results[0]', reason: 'unverifiable_graph_path' }],
    });
    const { sources } = await caller.recall(answer.trace_id);
    expect(sources.map(({ axis, path }) => [axis, path])).toEqual([
      ['keyword', []],
      ['graph', []],
    ]);
  });

  it('can be used, and credits nothing', async () => {
    const index = await world(THROUGH_NOTHING);
    const caller = index.as(github(1));
    const answer = await twoHops(caller);
    const source = sourcesOf(answer)('acme/app#5');
    await caller.useFully(answer.trace_id, source);
    const { credits } = await caller.confirm(answer.trace_id, [source]);
    expect(credits).toEqual([
      { source_id: source, edge: null, applied_delta: 0, strength: 0, state: 'active', reason: 'no_graph_path' },
    ]);
    expect(await index.rows('SELECT * FROM credits')).toEqual([]);
  });

  it('becomes one that can be learned on when the thing between arrives', async () => {
    const index = await world(THROUGH_NOTHING);
    const caller = index.as(github(1));
    await index.index([issue(99, { body: 'Nothing.' })]);
    const answer = await twoHops(caller);
    expect(answer.graph_results.map((row) => [row.reference, row.graph_hop])).toEqual([
      ['acme/app#99', 1],
      ['acme/app#5', 2],
    ]);
    expect(answer.graph_results.some((row) => row.graph_feedback_available === false)).toBe(false);
    const { sources } = await caller.recall(answer.trace_id);
    expect(sources.map(({ path }) => path)).toEqual([[], ...answer.graph_results.map((row) => row.graph_path)]);
  });

  it('is one again when the thing between is gone', async () => {
    const index = await world([...THROUGH_NOTHING, issue(99, { body: 'Nothing.' })]);
    await index.index([], ['acme/app#99']);
    const { graph_results } = await twoHops(index.as(github(1)));
    expect(graph_results).toMatchObject([{ reference: 'acme/app#5', ...UNVERIFIED }]);
  });
});

it('an end that is not indexed is not returned, and is once it arrives', async () => {
  const index = await world([issue(1, { body: 'The needle. See #2 and acme/lib#3.' })]);
  const caller = index.as(github(1));
  expect((await twoHops(caller)).graph_results).toEqual([]);
  await index.index([issue(2, { body: 'Nothing.' }), issue(3, { repo: 'acme/lib', body: 'Nothing.' })]);
  expect((await twoHops(caller)).graph_results.map((row) => row.reference)).toEqual(['acme/app#2', 'acme/lib#3']);
});

describe('a node without a canonical identity', () => {
  /** A thread of which only a comment without an id is known. */
  const nameless = (number: number, body: string): Document => comment(number, null, { body });

  it('makes a path through it one that cannot be verified', async () => {
    const index = await world([
      issue(1, { body: 'The needle. See #2.' }),
      nameless(2, 'Some legacy words about #3.'),
      issue(3, { body: 'Nothing.' }),
    ]);
    const answer = await twoHops(index.as(github(1)));
    expect(answer.graph_results).toMatchObject([
      { type: 'issue_comment', feedback_available: false, ...UNVERIFIED },
      { reference: 'acme/app#3', ...UNVERIFIED },
    ]);
    expect(answer.memory_recording).toMatchObject({ excluded_sources: 1, excluded_graph_paths: 2 });
  });

  it('makes a path from it one that cannot be verified', async () => {
    const index = await world([nameless(1, 'The needle. See #2.'), issue(2, { body: 'Nothing.' })]);
    const { graph_results } = await twoHops(index.as(github(1)));
    expect(graph_results).toMatchObject([{ reference: 'acme/app#2', ...UNVERIFIED }]);
  });

  it('is none of a thread that is indexed itself', async () => {
    const index = await world([
      issue(1, { title: 'Other', body: 'See #2.' }),
      nameless(1, 'The needle is here.'),
      issue(2, { body: 'Nothing.' }),
    ]);
    const { graph_results } = await twoHops(index.as(github(1)));
    expect(graph_results[0]).not.toHaveProperty('graph_feedback_available');
  });
});

describe('what a reader may not see', () => {
  const documents = [
    issue(1, { body: 'The needle. See #2.' }),
    issue(2, { body: 'Nothing.' }),
    issue(3, { body: 'As in #2.' }),
    issue(4, { body: 'Because of #1.' }),
    diff('a1', 'src/a.ts', { preface: 'Mend #1' }),
  ];

  async function reached(...hidden: readonly string[]) {
    const index = await world(documents);
    await index.test.database.write([
      change("UPDATE documents SET visibility = 'hidden' WHERE key IN (SELECT value FROM json_each(?))", [
        JSON.stringify(hidden),
      ]),
    ]);
    const { graph_results } = await twoHops(index.as(github(1)));
    return graph_results.map((row) => [row.reference, row.graph_feedback_available ?? true]);
  }
  const commit = `acme/app@${'a1'.repeat(20)}:src/a.ts`;

  it('is neither returned nor followed', async () => {
    expect(await reached()).toEqual([
      ['acme/app#2', true],
      [commit, true],
      ['acme/app#4', true],
      ['acme/app#3', true],
    ]);
    expect(await reached('acme/app#4', commit)).toEqual([
      ['acme/app#2', true],
      ['acme/app#3', true],
    ]);
    expect(await reached('acme/app#3')).toEqual([
      ['acme/app#2', true],
      [commit, true],
      ['acme/app#4', true],
    ]);
  });

  it('counts as not indexed between two others', async () => {
    expect(await reached('acme/app#2', 'acme/app#4', commit)).toEqual([['acme/app#3', false]]);
  });

  it.each([
    [['acme/app#1/comment/7'], ['acme/app#2']],
    [['acme/app#1'], ['acme/app#2', 'acme/app#3']],
    [['acme/app#1', 'acme/app#1/comment/7'], []],
  ])('states nothing: %j', async (hidden, left) => {
    const index = await world([
      issue(1, { body: 'See #2.' }),
      comment(1, '7', { body: 'Once more about #2, and #3.' }),
      comment(1, '8', { body: 'The needle is here.' }),
      issue(2, { body: 'Nothing.' }),
      issue(3, { body: 'Nothing.' }),
    ]);
    await index.test.database.write([
      change("UPDATE documents SET visibility = 'hidden' WHERE key IN (SELECT value FROM json_each(?))", [
        JSON.stringify(hidden),
      ]),
    ]);
    const { graph_results } = await twoHops(index.as(github(1)));
    expect(graph_results.map((row) => row.reference)).toEqual(left);
  });
});

/** Remembers the statements that run over it, and may fail those that read edges. */
class WatchedDatabase extends CountingDatabase {
  readonly statements: string[] = [];
  failing = false;

  override read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
    this.statements.push(...queries.map((query) => query.sql));
    if (this.failing && queries.some((query) => query.sql.includes('edges'))) {
      throw new Failure('database_unavailable', 'the disk is gone');
    }
    return super.read(queries);
  }
}

describe('without graph_expand', () => {
  const documents = [...THROUGH_NOTHING, issue(2, { body: 'A needle: see #1, #5.' })];

  it.each<[string, Asked]>([
    ['search', { query: 'needle', use_memory: true, graph_hops: 2 }],
    ['scan', { since: '2020-01-01' }],
    ['fetch', { sources: ['acme/app#1'] }],
    ['search that finds nothing', { query: 'absent' }],
  ])('a %s reads nothing of the graph', async (_, asked) => {
    const index = await world(documents);
    const database = new WatchedDatabase(index.test.database);
    const answer = await index.as(github(1), { database }).retrieve(asked);
    expect(answer).toMatchObject({ graph_expanded: false, graph_results: [] });
    expect(database.statements.length).toBeGreaterThan(1);
    expect(database.statements.filter((sql) => /\bedges\b/.test(sql))).toEqual([]);
  });

  it('the results are the same to the last byte', async () => {
    const answers = [];
    for (const asked of [{}, { graph_expand: true }, { graph_expand: true, graph_hops: 2, use_memory: true }]) {
      const caller = (await world(documents)).as(github(1));
      answers.push(JSON.stringify((await caller.retrieve({ query: 'needle', ...asked })).results));
    }
    expect(answers[0]?.length).toBeGreaterThan(500);
    expect(new Set(answers).size).toBe(1);
  });
});

it('when the graph cannot be read the results come all the same, and no trace', async () => {
  const index = await world(THROUGH_NOTHING);
  const database = new WatchedDatabase(index.test.database);
  const caller = index.as(github(1), { database });
  const before = await twoHops(caller);
  database.failing = true;
  const answer = await caller.search({ query: 'needle', graph_expand: true });
  expect(answer.results.map((row) => row.reference)).toEqual(before.results.map((row) => row.reference));
  expect(answer).toMatchObject({
    graph_expanded: true,
    graph_results: [],
    feedback_available: false,
    memory_unavailable: true,
    memory_error: 'retrieval_incomplete',
  });
  expect(answer).not.toHaveProperty('trace_id');
  expect((await caller.history()).traces).toHaveLength(1);
});
