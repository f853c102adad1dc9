import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { evaluate } from '../../src/lib/retrieval/evaluate.ts';
import { CountingDatabase } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';
import { comment, doc, issue, pull, release, TestProject, wiki } from '../support/project.ts';
import { temporaryDirectory } from '../support/repository.ts';

let project: TestProject;
let folder: string;
beforeAll(async () => {
  project = await TestProject.of([
    issue(1, { title: 'Sync stalls', body: 'The second store never catches up after a dropped connection.' }),
    comment(1, '11', { body: 'It resumes from the offset that was sent, not from the acknowledged one.' }),
    pull(2, { title: 'Resume from the acknowledged offset', body: 'Fixes the sync.' }),
    doc('docs/sync.md', { body: '# Sync\n\nAt least once on the wire.' }),
    wiki('On-call', { body: 'What to do when prices look old.' }),
    release('v2', { body: 'The ttl key has another name.' }),
  ]);
  folder = temporaryDirectory();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await project.test.remove();
});

async function run(lines: readonly (object | string)[], input: object = {}) {
  const gold = join(folder, 'gold.jsonl');
  writeFileSync(gold, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const database = new CountingDatabase(project.test.database);
  const output = await invoke(evaluate, testEngine(project.test, { database }), { gold, ...input });
  return { output, writes: database.writes };
}

/** Ranks of a question that words alone answer: without an embedder vectors find nothing. */
function ranksOf(rank: number | null) {
  return { search: rank, no_rerank: rank, sparse_only: rank, dense_only: null, bm25: rank };
}

test('answers are found by number and by reference, measured by kind, and nothing is written', async () => {
  const { output, writes } = await run([
    {
      id: 'a',
      kind: 'thread',
      query: 'acknowledged offset',
      exclude_numbers: [1],
      relevant: [{ type: 'pull_request', number: 2 }],
    },
    { id: 'b', kind: 'thread', query: 'acknowledged offset', exclude_numbers: [2], relevant: [{ number: 1 }] },
    { id: 'c', kind: 'page', query: 'old prices', relevant: [{ reference: 'acme/app/wiki/On-call' }] },
    { id: 'd', kind: 'page', query: 'at least once', relevant: [{ reference: 'acme/app:docs/sync.md' }] },
    '',
    { id: 'e', kind: 'page', query: 'ttl key', relevant: [{ reference: 'acme/app/release/v2' }] },
    { id: 'f', kind: 'none', query: 'zzz', relevant: [{ number: 99 }] },
    { id: 'g', kind: 'none', query: '…', relevant: [{ reference: 'acme/app#1/comment/11' }] },
  ]);
  expect(writes).toBe(0);
  expect(output.ranks).toEqual(
    ['a', 'b', 'c', 'd', 'e']
      .map((id) => ({ id, kind: 'ab'.includes(id) ? 'thread' : 'page', ranks: ranksOf(1) }))
      .concat(['f', 'g'].map((id) => ({ id, kind: 'none', ranks: ranksOf(null) }))),
  );
  expect(output).toMatchObject({ questions: 7, wins: 0, losses: 0, ties: 7 });
  const [search] = output.configurations;
  expect(search?.all.mrr_10).toBeCloseTo(5 / 7, 12);
  expect(search?.kinds).toMatchObject({ thread: { questions: 2, mrr_10: 1 }, none: { questions: 2, hits_3: 0 } });
  expect(output.differences).toContainEqual({
    configuration: 'search',
    baseline: 'bm25',
    measure: 'mrr_10',
    mean: 0,
    low: 0,
    high: 0,
  });
});

test('a question of more words than an answer has is answered better than by plain BM25 or as well', async () => {
  const { output } = await run([{ query: 'why does the sync stall when the line drops', relevant: [{ number: 1 }] }]);
  expect(output.ranks).toMatchObject([{ id: '1', ranks: { search: 1 } }]);
});

test.each<[string, readonly (object | string)[], object, RegExp]>([
  ['a line that is no JSON', [{ query: 'a', relevant: [{ number: 1 }] }, '{'], {}, /^gold: line 2 of .* is no JSON$/],
  ['a line without answers', [{ query: 'a', relevant: [] }], {}, /^gold: line 1 .*relevant/],
  ['a reference that is none', [{ query: 'a', relevant: [{ reference: 'nothing' }] }], {}, /no reference$/],
  ['an empty file', [''], {}, /holds no question$/],
  ['a blank question', [{ query: ' ', relevant: [{ number: 1 }] }], {}, /^gold: line 1 .*query/],
  [
    'a repository that is not indexed',
    [{ query: 'a', relevant: [{ number: 1 }] }],
    { repo: 'acme/ap' },
    /^repo: acme\/ap is not indexed$/,
  ],
])('%s is an error that says so', async (_, lines, input, message) => {
  await expect(run(lines, input)).rejects.toThrow(message);
});

test('a repository is taken as the index spells it', async () => {
  const { output } = await run([
    { repo: 'ACME/App', query: 'old prices', relevant: [{ reference: 'acme/app/wiki/On-call' }] },
  ]);
  expect(output.ranks).toMatchObject([{ ranks: { search: 1 } }]);
});
