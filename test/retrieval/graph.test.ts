import { afterEach, describe, expect, it } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { github, MemoryWorld } from '../feedback/memory.ts';
import { CountingDatabase } from '../support/database.ts';
import { type Asked, comment, diff, doc, issue, pull, release, wiki } from '../support/project.ts';

const opened: MemoryWorld[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((world) => world.remove()));
});

async function world(documents: readonly Document[]): Promise<MemoryWorld> {
  const made = await MemoryWorld.of(documents);
  opened.push(made);
  return made;
}

/** The answer to a search of `documents` for the word `needle`. */
async function found(documents: readonly Document[], asked: Asked = {}): Promise<SearchOutput> {
  const caller = (await world(documents)).as(github(1));
  return caller.search({ query: 'needle', graph_expand: true, ...asked });
}

const names = (answer: SearchOutput): unknown[] => answer.graph_results.map((row) => row.reference);

/** Each row of the graph axis as `hop from: path`, an edge as `src -kind> dst` or, walked backwards, `dst <kind- src`. */
function paths({ graph_results }: SearchOutput): string[] {
  return graph_results.map(({ graph_hop, graph_from, graph_path }) => {
    const edges = graph_path.map(({ src_slug, dst_slug, edge_kind, direction }) =>
      direction === 'forward' ? `${src_slug} -${edge_kind}> ${dst_slug}` : `${dst_slug} <${edge_kind}- ${src_slug}`,
    );
    return `${String(graph_hop)} ${graph_from}: ${edges.join(', ')}`;
  });
}

describe('the graph axis', () => {
  const around: readonly Document[] = [
    issue(1, { body: 'The needle. See #2.' }),
    issue(2, { body: 'Compare #4.' }),
    pull(3, { body: 'Closes #1.' }),
    issue(4, { body: 'Nothing.' }),
    issue(5, { body: 'As in #3, and once more #1.' }),
    issue(6, { body: 'Far away, see #4.' }),
  ];

  it('holds what the results state and what is stated of them, one hop away', async () => {
    const answer = await found(around);
    expect(answer.results.map((row) => row.reference)).toEqual(['acme/app#1']);
    expect(paths(answer)).toEqual([
      '1 acme/app#1: #1 -reference> #2',
      '1 acme/app#1: #1 <closes- #3',
      '1 acme/app#1: #1 <reference- #5',
    ]);
    expect(names(answer)).toEqual(['acme/app#2', 'acme/app#3', 'acme/app#5']);
  });

  it('goes two hops breadth first, to each node once, on the first path that reaches it', async () => {
    expect(paths(await found(around, { graph_hops: 2 }))).toEqual([
      '1 acme/app#1: #1 -reference> #2',
      '1 acme/app#1: #1 <closes- #3',
      '1 acme/app#1: #1 <reference- #5',
      '2 acme/app#1: #1 -reference> #2, #2 -reference> #4',
    ]);
  });

  it('names edges by the repository that states them, and nodes of another by their own slug', async () => {
    const answer = await found(
      [
        issue(1, { body: 'The needle. See acme/lib#7.' }),
        issue(7, { repo: 'acme/lib', body: 'Nothing.' }),
        issue(8, { repo: 'acme/lib', body: 'See #7 and acme/app#1.' }),
      ],
      { graph_hops: 2 },
    );
    expect(answer.graph_results.map((row) => row.graph_path)).toEqual([
      [
        {
          repo: 'acme/app',
          src_slug: '#1',
          dst_slug: 'acme/lib#7',
          edge_kind: 'reference',
          direction: 'forward',
        },
      ],
      [
        {
          repo: 'acme/lib',
          src_slug: '#8',
          dst_slug: 'acme/app#1',
          edge_kind: 'reference',
          direction: 'backward',
        },
      ],
    ]);
  });

  it('begins at the entity of a result, whichever of its documents was found', async () => {
    const thread = [issue(1, { title: 'Other', body: 'See #2.' }), issue(2, { title: 'Other', body: 'Nothing.' })];
    const answer = await found([...thread, comment(1, '5', { body: 'The needle is here.' })]);
    expect(answer.results[0]?.reference).toBe('acme/app#1/comment/5');
    expect(paths(answer)).toEqual(['1 acme/app#1: #1 -reference> #2']);
  });

  it('begins in the order of the results', async () => {
    const answer = await found(
      [
        issue(1, { title: 'Needle', body: 'A needle, a needle. See #3.' }),
        issue(2, { title: 'Other', body: 'Some words around a needle that say little. See #4.' }),
        issue(3, { body: 'Nothing.' }),
        issue(4, { body: 'Nothing.' }),
      ],
      { repo: 'acme/app' },
    );
    const order = answer.results.map((row) => row.reference);
    expect(answer.graph_results.map((row) => row.graph_from)).toEqual(order);
  });

  it.each([
    [1, 2],
    [10, 20],
    [15, 30],
    [50, 30],
  ])('with top_k %i holds at most %i', async (top_k, most) => {
    const near = Array.from({ length: 40 }, (_, at) => issue(at + 2, { body: 'Nothing.' }));
    const all = near.map((each) => `#${String(each.number)}`).join(' ');
    const answer = await found([issue(1, { body: `The needle. ${all}` }), ...near], { top_k });
    expect(answer.graph_results).toHaveLength(most);
  });

  it('follows every kind of edge', async () => {
    const answer = await found(
      [
        issue(1, { body: 'The needle.' }),
        pull(2, { body: 'Fixes #1.' }),
        doc('docs/a.md', { body: 'About #1; see [b](b.md).' }),
        doc('docs/b.md', { body: 'Nothing.' }),
        wiki('Home', { body: 'See #1 and Set-Up.' }),
        wiki('Set-Up', { body: 'Nothing.' }),
        release('v1', { body: 'Thanks to #1.' }),
        diff('a1', 'src/a.ts', { preface: 'Mend it\n\nSee #1.' }),
        diff('a1', 'src/b.ts'),
      ],
      { graph_hops: 2 },
    );
    const sha = 'a1'.repeat(20);
    expect(paths(answer).map((path) => path.slice(path.indexOf(':') + 2))).toEqual([
      '#1 <closes- #2',
      `#1 <reference- @${sha}`,
      '#1 <reference- :docs/a.md',
      '#1 <reference- release/v1',
      '#1 <reference- wiki/Home',
      `#1 <reference- @${sha}, @${sha} -touches> :src/b.ts`,
      '#1 <reference- :docs/a.md, :docs/a.md -link> :docs/b.md',
      '#1 <reference- wiki/Home, wiki/Home -mention> wiki/Set-Up',
    ]);
  });

  it('also follows the results of a scan and of a fetch', async () => {
    const caller = (await world(around)).as(github(1));
    const fetched = await caller.search({ sources: ['acme/app#4'], graph_expand: true });
    expect(names(fetched)).toEqual(['acme/app#2', 'acme/app#6']);
    const scanned = await caller.search({ since: '2020-01-01', top_k: 2, graph_expand: true });
    expect(scanned.mode).toBe('scan');
    expect(scanned.graph_results.length).toBeGreaterThan(0);
  });

  it('costs one round trip', async () => {
    const index = await world(around);
    const trips = async (asked: Asked): Promise<number> => {
      const database = new CountingDatabase(index.test.database);
      await index.as(github(1), { database }).search({ query: 'needle', ...asked });
      return database.trips;
    };
    expect(await trips({})).toBe(3);
    expect(await trips({ graph_expand: true, graph_hops: 2, use_memory: true })).toBe(4);
  });

  it('has no scores', async () => {
    const { graph_results } = await found(around);
    for (const row of graph_results) {
      expect([row.score, row.sparse_score, row.sparse_rank, row.rerank_score]).toEqual([null, null, null, null]);
      expect(row).not.toHaveProperty('learned_strength');
    }
  });
});

describe('what is folded into a result', () => {
  it('is never among the graph results: the comments of its thread, the diffs of its file', async () => {
    const file = doc('docs/a.md', { body: 'The needle. See #2.' });
    const answer = await found(
      [
        file,
        diff('a1', 'docs/a.md', { preface: 'Explain it\n\nSee #3.' }),
        diff('b2', 'docs/a.md', { preface: 'Explain more' }),
        diff('b2', 'src/z.ts', { preface: 'Explain more' }),
        issue(2, { body: 'Nothing.' }),
        issue(3, { body: 'Nothing.' }),
        comment(2, '5', { body: 'Look at docs again: #2' }),
      ],
      { graph_hops: 2 },
    );
    const [a1, b2] = ['a1', 'b2'].map((digits) => digits.repeat(20));
    // The commit a1 has no other file to show, but leads on; b2 is shown by the file that is no result.
    expect(names(answer)).toEqual(['acme/app#2', `acme/app@${String(b2)}:src/z.ts`, 'acme/app#3']);
    expect(paths(answer)[2]).toBe(
      `2 acme/app:docs/a.md: :docs/a.md <touches- @${String(a1)}, @${String(a1)} -reference> #3`,
    );
    expect(answer.graph_results.every((row) => row.graph_feedback_available !== false)).toBe(true);
  });

  it('counts as an origin: a diff is its commit and its file', async () => {
    const answer = await found([
      diff('a1', 'src/needle.ts', { preface: 'Mend it\n\nSee #2.' }),
      diff('a1', 'src/other.ts', { preface: 'Mend it\n\nSee #2.' }),
      issue(2, { body: 'Nothing.' }),
    ]);
    const from = `acme/app@${'a1'.repeat(20)}`;
    expect(paths(answer)).toEqual([
      `1 ${from}: @${'a1'.repeat(20)} -reference> #2`,
      `1 ${from}: @${'a1'.repeat(20)} -touches> :src/other.ts`,
    ]);
  });
});

describe('the document that stands for a node', () => {
  it('of a thread is the newest that is indexed where the issue itself is not', async () => {
    const answer = await found([
      issue(1, { body: 'The needle. See #2.' }),
      comment(2, '5', { body: 'An older one.', updatedAt: Date.UTC(2024, 1, 1) }),
      comment(2, '6', { body: 'The newest one.', updatedAt: Date.UTC(2024, 1, 2) }),
    ]);
    expect(names(answer)).toEqual(['acme/app#2/comment/6']);
  });

  it('of a file that is no doc is its newest diff, and comes once even where its commit is reached too', async () => {
    const [sha, newer] = ['a1', 'b2'].map((digits) => digits.repeat(20));
    const answer = await found(
      [
        issue(1, { body: `The needle came with ${String(sha)} and ${String(newer)}.` }),
        diff('a1', 'src/a.ts', { updatedAt: Date.UTC(2024, 1, 1) }),
        diff('b2', 'src/a.ts', { updatedAt: Date.UTC(2024, 1, 2) }),
      ],
      { graph_hops: 2 },
    );
    expect(names(answer)).toEqual([`acme/app@${String(sha)}:src/a.ts`, `acme/app@${String(newer)}:src/a.ts`]);
  });
});
