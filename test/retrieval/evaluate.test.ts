import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Failure } from '../../src/lib/core/failure.ts';
import { allowedBy } from '../../src/lib/engine/allow-list.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
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
    issue(4, { repo: 'Acme/Other', title: 'Kettle leaks' }),
  ]);
  folder = temporaryDirectory();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await project.test.remove();
});

async function run(lines: readonly (object | string)[], input: object = {}, parts: Partial<Engine> = {}) {
  const gold = join(folder, 'gold.jsonl');
  writeFileSync(gold, lines.map(textOf).join('\n'));
  const database = new CountingDatabase(project.test.database);
  const output = await invoke(evaluate, testEngine(project.test, { database, ...parts }), {
    gold,
    repo: 'acme/app',
    ...input,
  });
  return { output, writes: database.writes };
}

const WITHOUT_VECTORS = 'measured without a part of search: no embedder is configured';

const textOf = (line: object | string) => (typeof line === 'string' ? line : JSON.stringify(line));

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
    { id: 'f', kind: 'none', query: 'zzz', relevant: [{ number: 1 }] },
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

const answered = (answer: object) => ({ query: 'offset', relevant: [answer] });

test.each<[string, readonly (object | string)[], object, RegExp]>([
  [
    'a line that is no JSON',
    [{ query: 'a', relevant: [{ number: 1 }] }, '{'],
    {},
    /^line 2 of .*gold\.jsonl is no JSON$/,
  ],
  ['a line without answers', [{ query: 'a', relevant: [] }], {}, /^line 1 .*: relevant must not be empty$/],
  [
    'a reference that is none',
    [{ query: 'a', relevant: [{ reference: 'nothing' }] }],
    {},
    /: reference of item 1 of relevant must be such as owner\/name#12$/,
  ],
  ['null', ['null'], {}, /^line 1 of .* is no question: it is no JSON object$/],
  ['a list', ['[]'], {}, /^line 1 of .* is no question: it is no JSON object$/],
  ['an answer without a name', [answered({})], {}, /: item 1 of relevant has neither number nor reference$/],
  [
    'an answer with two names',
    [answered({ number: 1, reference: 'acme/app#2' })],
    {},
    /: item 1 of relevant has both number and reference; give one of them$/,
  ],
  [
    'a reference beside a repository',
    [answered({ reference: 'acme/app#2', repo: 'acme/app' })],
    {},
    /: item 1 of relevant has a repo beside its reference, which names one$/,
  ],
  [
    'a repository of an answer that is none',
    [answered({ number: 1 }), answered({ number: 8, repo: 'a' })],
    {},
    /^line 2 of .*: repo of item 1 of relevant must be owner\/name$/,
  ],
  ['a question that is a number', [{ ...answered({ number: 1 }), query: 7 }], {}, /: query must be a text, not 7$/],
  ['a line without a question', [{ relevant: [{ number: 1 }] }], {}, /: query is missing$/],
  [
    'a number that is a text',
    [{ query: 'a', relevant: [{ number: 1 }, { number: '8' }] }],
    {},
    /: number of item 2 of relevant must be a number, not a text$/,
  ],
  [
    'a number that no thread has',
    [{ ...answered({ number: 1 }), exclude_numbers: [0] }],
    {},
    /: item 1 of exclude_numbers must be at least 1$/,
  ],
  [
    'a question that search does not take',
    [{ ...answered({ number: 1 }), query: 'a'.repeat(4097) }],
    {},
    /^line 1 of .* is no question: query has more than 4096 characters$/,
  ],
  [
    'more exclusions than search can look past',
    [{ ...answered({ number: 1 }), exclude_numbers: Array.from({ length: 41 }, (_, at) => at + 1) }],
    {},
    /: exclude_numbers has more than 40 items$/,
  ],
  [
    'an id that comes twice',
    [{ id: '2', ...answered({ number: 1 }) }, answered({ number: 1 })],
    {},
    /^line 2 of .* has the same id as line 1$/,
  ],
  [
    'a repository of a line that is not indexed',
    [answered({ number: 1 }), { repo: 'acme/ap', ...answered({ number: 1 }) }],
    {},
    /^line 2 of .* names a repo that is not indexed: acme\/ap$/,
  ],
  [
    'a line without a repository where several are indexed',
    [answered({ number: 1 })],
    { repo: undefined },
    /^line 1 of .* names no repo, and 2 are indexed$/,
  ],
  [
    'a file of another index',
    [answered({ number: 98 }), answered({ number: 99 })],
    {},
    /^gold: no question has an answer that is indexed and may be found$/,
  ],
  ['an empty file', [''], {}, /holds no question$/],
  ['a blank question', [{ query: ' ', relevant: [{ number: 1 }] }], {}, /^line 1 .*: query must not be blank$/],
  [
    'a repository that is not indexed',
    [{ query: 'a', relevant: [{ number: 1 }] }],
    { repo: 'acme/ap' },
    /^repo: acme\/ap is not indexed$/,
  ],
])('%s is an error that says so', async (_, lines, input, message) => {
  await expect(run(lines, input)).rejects.toThrow(message);
});

test('the form of a line is told where it is another', async () => {
  const hintOf = (lines: readonly (object | string)[]) =>
    run(lines, { repo: undefined }).then(
      () => undefined,
      (error: unknown) => (error instanceof Failure ? error.hint : undefined),
    );
  const inApp = { repo: 'acme/app', ...answered({ number: 1 }) };
  expect(await hintOf(['{'])).toMatch(/^A line is /);
  expect(await hintOf([{ id: '2', ...inApp }, inApp])).toMatch(/^Give each question an id of its own/);
  expect(await hintOf([answered({ number: 1 })])).toMatch(/^Name it in the line, or with --repo/);
});

test('a repository is taken as the index spells it, wherever it is named', async () => {
  const asked = { query: 'acknowledged offset', exclude_numbers: [1] };
  const { output } = await run(
    [
      { repo: 'ACME/App', query: 'old prices', relevant: [{ reference: 'Acme/app/wiki/On-call' }] },
      { repo: 'ACME/App', ...asked, relevant: [{ number: 2 }] },
      { ...asked, relevant: [{ reference: 'Acme/APP#2' }] },
      { ...asked, relevant: [{ number: 2, repo: 'ACME/app' }] },
      { query: 'at least once', relevant: [{ reference: 'aCME/app:docs/sync.md' }] },
      { repo: 'acme/other', query: 'kettle', relevant: [{ reference: 'acme/OTHER#4' }] },
    ],
    { repo: 'acme/APP' },
  );
  expect(output.ranks.map(({ ranks }) => ranks.search)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(output.problems).toEqual([WITHOUT_VECTORS]);
});

test('answers that no ranking can hold are named and not measured, and so are questions without others', async () => {
  const found = { query: 'acknowledged offset', exclude_numbers: [1] };
  const { output } = await run([
    { id: 'both', ...found, relevant: [{ number: 2 }, { number: 99 }, { reference: 'acme/app/wiki/Gone' }] },
    { id: 'absent', kind: 'lost', ...found, relevant: [{ number: 99 }] },
    { id: 'excluded', ...found, relevant: [{ number: 1 }] },
    { id: 'elsewhere', ...found, relevant: [{ number: 4, repo: 'acme/other' }] },
    { id: 'whole', ...found, relevant: [{ number: 2 }] },
  ]);
  expect(output.problems).toEqual([
    WITHOUT_VECTORS,
    'question both is measured without one of its answers: acme/app#99 is not indexed, and 1 more of its answers cannot be found',
    'question absent is left out: acme/app#99 is not indexed',
    'question excluded is left out: acme/app#1 is in exclude_numbers',
    'question elsewhere is left out: Acme/Other#4 is not of acme/app',
  ]);
  expect(output).toMatchObject({ questions: 2, left_out: 3 });
  expect(output.configurations[0]?.all).toMatchObject({ mrr_10: 1, recall_10: 1 });
  expect(output.ranks.map(({ id }) => id)).toEqual(['both', 'whole']);
  expect(Object.keys(output.configurations[0]?.kinds ?? {})).toEqual(['all']);
});

test('of many problems the first are told', async () => {
  const lost = Array.from({ length: 25 }, (_, at) => answered({ number: 100 + at }));
  const { output } = await run([answered({ number: 2 }), ...lost]);
  expect(output).toMatchObject({ questions: 1, left_out: 25 });
  expect(output.problems.slice(20)).toEqual([
    'question 21 is left out: acme/app#119 is not indexed',
    '5 more questions like these',
  ]);
});

test('what the configuration does not allow is not indexed', async () => {
  const allowed = allowedBy(['acme/app']);
  const elsewhere = { query: 'kettle', relevant: [{ reference: 'Acme/Other#4' }] };
  const { output } = await run([answered({ number: 2 }), elsewhere], {}, { allowed });
  expect(output.problems).toEqual([WITHOUT_VECTORS, 'question 2 is left out: Acme/Other#4 is not of acme/app']);
  await expect(run([{ repo: 'acme/other', ...elsewhere }], {}, { allowed })).rejects.toThrow(
    /line 1 of .* names a repo that/,
  );
});

test('an empty index says so', async () => {
  const empty = await TestProject.of([]);
  try {
    await expect(
      run([answered({ number: 1 })], { repo: undefined }, { database: empty.test.database }),
    ).rejects.toThrow(/^nothing is indexed$/);
  } finally {
    await empty.test.remove();
  }
});
