import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { change } from '../../src/lib/engine/database.ts';
import { stepsQuery } from '../../src/lib/retrieval/graph-query.ts';
import { github, MemoryWorld } from '../feedback/memory.ts';
import { comment, diff, doc, issue, release, wiki } from '../support/project.ts';

const opened: MemoryWorld[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((world) => world.remove()));
});

async function world(...batches: readonly (readonly Document[])[]): Promise<MemoryWorld> {
  const made = await MemoryWorld.of([]);
  opened.push(made);
  for (const batch of batches) await made.index(batch);
  return made;
}

/** Adds `count` comments to a thread which all state the same, and `count` edges from other threads to it. */
async function crowd(index: MemoryWorld, number: number, count: number): Promise<void> {
  const thread = `thread:acme/app:${String(number)}`;
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(count)})`;
  await index.test.database.write([
    change(
      `INSERT INTO documents (repo_id, type, key, entity, source_id, version, number, comment_id, title, created_at, updated_at, content_hash)
       ${numbers} SELECT 1, 'issue_comment', 'acme/app#${String(number)}/comment/' || (?1 + i), ?2, 'src_' || (?1 + i), 'v', ?3, ?1 + i, '', 0, i, ''
       FROM n`,
      [number * 1_000_000, thread, number],
    ),
    change(
      `INSERT INTO edges (document_id, src, stated, kind, dst) SELECT id, entity, 'thread:acme/app:3', 'reference', 'thread:acme/app:3'
       FROM documents WHERE entity = ? AND type = 'issue_comment'`,
      [thread],
    ),
    change(
      `INSERT INTO edges (document_id, src, stated, kind, dst)
       ${numbers} SELECT (SELECT id FROM documents WHERE key = 'acme/app#3'), 'thread:acme/app:' || (i + 100000), ?1, 'reference', ?1 FROM n`,
      [thread],
    ),
  ]);
}

it('20,000 edges at a node cost no more than a few hundred', async () => {
  const index = await world(
    [1, 2, 3, 4].map((number) => issue(number, { body: number === 1 ? 'A needle: #2.' : 'No.' })),
  );
  await crowd(index, 1, 20_000);
  await crowd(index, 4, 250);
  const timed = async (node: string): Promise<number> => {
    const walk = stepsQuery(
      { nodes: [node], diffs: [] },
      { hops: 2, candidates: 200, shown: 40 },
      { principal: github(1), now: 0 },
      'all',
    );
    const samples = [];
    for (let round = 0; round < 9; round += 1) {
      const start = performance.now();
      await index.test.database.read([walk]);
      samples.push(performance.now() - start);
    }
    return Math.min(...samples);
  };
  const [busy, calm] = [await timed('thread:acme/app:1'), await timed('thread:acme/app:4')];
  // Were each edge looked at, it would be 80 times as much.
  expect(busy).toBeLessThan(calm * 8);
  const { graph_results } = await index.as(github(1)).search({ query: 'needle', graph_expand: true, graph_hops: 2 });
  // What it states is not crowded out by how often it is stated, nor by how much is stated of it.
  expect(graph_results.map((row) => row.reference)).toEqual(['acme/app#2', 'acme/app#3', 'acme/app#4']);
});

it('many results with many edges each are followed up to a bound, the first results first', async () => {
  const ends = (from: number): string => Array.from({ length: 250 }, (_, at) => `#${String(from + at)}`).join(' ');
  const index = await world(
    Array.from({ length: 5 }, (_, at) => issue(at + 1, { body: `A needle: ${ends(1000 * (at + 1))}` })),
    Array.from({ length: 250 }, (_, at) => issue(1000 + at, { body: 'Nothing.' })),
  );
  const nodes = [1, 2, 3, 4, 5].map((number) => `thread:acme/app:${String(number)}`);
  const walk = async (hops: number) => {
    const [steps] = await index.test.database.read([
      stepsQuery({ nodes, diffs: [] }, { hops, candidates: 200, shown: 200 }, null, 'all'),
    ]);
    return steps;
  };
  const steps = await walk(1);
  expect(steps).toHaveLength(200);
  expect(new Set(steps.map((step) => step.via))).toEqual(new Set(['thread:acme/app:1']));
  expect((await walk(2)).length).toBeLessThanOrEqual(420);
});

const PROJECT: readonly Document[] = [
  issue(1, { body: 'The needle. See #2, #3, #99, acme/lib#2 and a1a1a1a.' }),
  issue(2, { body: 'A needle, too: #3.' }),
  issue(3, { body: 'Nothing.' }),
  issue(4, { body: 'As in #99 and #3.' }),
  issue(2, { repo: 'acme/lib', body: 'See acme/app#4.' }),
  comment(6, '1', { body: 'One of two at a time: #1' }),
  comment(6, '2', { body: 'Two of two at a time: #1' }),
  diff('a1', 'src/a.ts', { preface: 'Mend it\n\nSee #4.' }),
  diff('a1', 'src/b.ts'),
  diff('b2', 'src/b.ts'),
  doc('docs/a.md', { body: 'The [needle](b.md) of #1.' }),
  doc('docs/b.md', { body: 'Nothing.' }),
  wiki('Home', { body: 'See Needle.' }),
  wiki('Needle', { body: 'Back Home.' }),
  release('v1', { body: 'Thanks to #1 and #4.' }),
];

it('the order is the same however the index came to be', async () => {
  const order = async (index: MemoryWorld) => {
    const references = ['acme/app#1', 'acme/app#2', 'acme/app:docs/a.md', 'acme/app/wiki/Needle'];
    const { graph_results } = await index
      .as(github(1))
      .search({ sources: references, graph_expand: true, graph_hops: 2, top_k: 50 });
    return graph_results.map(({ reference, graph_from, graph_hop, graph_path }) => [
      reference,
      graph_from,
      graph_hop,
      graph_path,
    ]);
  };
  const expected = await order(await world(PROJECT));
  expect(expected).toHaveLength(9);
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...PROJECT], { minLength: PROJECT.length }),
      fc.nat({ max: PROJECT.length }),
      async (documents, cut) => {
        expect(await order(await world(documents.slice(0, cut), documents.slice(cut)))).toEqual(expected);
      },
    ),
    { numRuns: 15 },
  );
});
