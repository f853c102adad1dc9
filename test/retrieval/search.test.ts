import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { query } from '../../src/lib/engine/database.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import { searchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { CountingDatabase } from '../support/database.ts';
import { type Asked, comment, diff, doc, issue, pull, release, TestProject, wiki } from '../support/project.ts';

const SHA = 'ab12cd34ef'.repeat(4);

const documents: readonly Document[] = [
  issue(123, {
    title: 'Cache drops entries',
    body: 'SQLITE_BUSY: database is locked (code 5)\n\nat Object.<anonymous> in `openCache()`',
  }),
  issue(124, { title: 'Cache is slow', body: 'Reading takes a second. The worker pool waits for a lock.' }),
  pull(125, {
    title: 'Drop the v1 cache',
    body: 'Closes #123. We removed the first version of it because of the outage.',
  }),
  issue(126, {
    title: '検索結果が空になる',
    body: '全文検索エンジンで日本語の文書を検索すると、結果が表示されません。',
  }),
  issue(127, { title: '搜索功能', body: '向量数据库的索引重建之后，搜索结果为空。' }),
  issue(128, { title: 'ค้นหาไม่พบ', body: 'ระบบค้นหาข้อความภาษาไทยไม่พบผลลัพธ์หลังจากสร้างดัชนีใหม่' }),
  doc('docs/guide/install.md', {
    body: '# Install\n\nRun the installer.\n\n## On Windows\n\nError 0x80070005 means access denied.',
  }),
  wiki('Naming', { body: 'We use snake_case on the wire, e.g. `index_updated_at`.' }),
  release('v2.4.1', { body: 'The cache keeps its entries after a restart.' }),
  {
    ...diff('a', 'src/lib/cacheStore.ts'),
    commit: SHA,
    body: '@@ -1,2 +1,2 @@ class CacheStore\n-  getEntryOrThrow(key)\n+  std::vector<Entry> entries;\n',
    preface: 'Keep entries\n\nFixes the loss.',
  },
  diff('e', 'lib/other.ts', {
    body: '@@ -1 +1 @@\n-const limit = 10;\n+const limit = 20;\n',
    preface: 'Raise the limit',
  }),
];

let project: TestProject;
beforeAll(async () => {
  project = await TestProject.of(documents);
});
afterAll(() => project.test.remove());

test.each<[string, string]>([
  ['#123', 'acme/app#123'],
  ['SQLITE_BUSY', 'acme/app#123'],
  ['SQLITE_BUSY: database is locked (code 5)', 'acme/app#123'],
  ['openCache()', 'acme/app#123'],
  ['index_updated_at', 'acme/app/wiki/Naming'],
  ['0x80070005', 'acme/app:docs/guide/install.md'],
  ['docs/guide/install.md', 'acme/app:docs/guide/install.md'],
  ['install.md', 'acme/app:docs/guide/install.md'],
  ['v2.4.1', 'acme/app/release/v2.4.1'],
  [SHA, `acme/app@${SHA}:src/lib/cacheStore.ts`],
  [SHA.slice(0, 7), `acme/app@${SHA}:src/lib/cacheStore.ts`],
  [SHA.slice(0, 12).toUpperCase(), `acme/app@${SHA}:src/lib/cacheStore.ts`],
  ['getEntryOrThrow', `acme/app@${SHA}:src/lib/cacheStore.ts`],
  ['EntryOrThr', `acme/app@${SHA}:src/lib/cacheStore.ts`],
  ['std::vector<Entry>', `acme/app@${SHA}:src/lib/cacheStore.ts`],
  ['src/lib/cacheStore.ts', `acme/app@${SHA}:src/lib/cacheStore.ts`],
  ['cacheStore.ts', `acme/app@${SHA}:src/lib/cacheStore.ts`],
  ['Fixes the loss', `acme/app@${SHA}:src/lib/cacheStore.ts`],
  ['全文検索', 'acme/app#126'],
  ['日本語の文書', 'acme/app#126'],
  ['索引重建', 'acme/app#127'],
  ['数据库', 'acme/app#127'],
  ['ภาษาไทย', 'acme/app#128'],
  ['ค้นหา ผลลัพธ์', 'acme/app#128'],
  ['why did we drop the v1 cache?', 'acme/app#125'],
  [
    'Where does it say that access is denied on Windows when running the installer as another user?',
    'acme/app:docs/guide/install.md',
  ],
])('%s finds %s first', async (query, reference) => {
  expect((await project.found({ query }))[0]).toBe(reference);
});

test('strict hits come before relaxed ones, and a long question never falls to zero', async () => {
  const strict = await project.search({ query: 'cache entries' });
  const references = strict.results.map(({ reference }) => reference);
  expect(new Set(references.slice(0, 3))).toEqual(
    new Set(['acme/app#123', 'acme/app/release/v2.4.1', `acme/app@${SHA}:src/lib/cacheStore.ts`]),
  );
  // A short query loses nothing: what has only one of the words follows.
  expect(new Set(references.slice(3))).toEqual(new Set(['acme/app#124', 'acme/app#125']));
  const long = `${'unrelated words that nobody ever wrote about anything '.repeat(20)} outage`;
  expect(await project.found({ query: long })).toContain('acme/app#125');
  // Function words are asked for where there is nothing else to go by.
  expect(await project.found({ query: 'xyzzy of the plugh' })).toContain('acme/app#125');
  expect(await project.found({ query: 'xyzzy of the outage' })).toEqual(['acme/app#125']);
});

test('ranks count from 1 through prose and code together, and scores follow them', async () => {
  const { results, sparse_candidates, dense_candidates, embedder, rerank_applied } = await project.search({
    query: 'entries',
    rerank: false,
  });
  expect(new Set(results.map(({ type }) => type))).toEqual(new Set(['issue', 'release', 'diff']));
  expect(results.map(({ sparse_rank }) => sparse_rank)).toEqual([1, 2, 3]);
  results.forEach((result, at) => {
    expect(result.score).toBeCloseTo(1 / (61 + at), 6);
    expect(result.sparse_score).toBeGreaterThan(0);
    expect(result).toMatchObject({ dense_score: null, dense_rank: null, rerank_score: null });
  });
  expect({ sparse_candidates, dense_candidates, embedder, rerank_applied }).toEqual({
    sparse_candidates: 3,
    dense_candidates: 0,
    embedder: null,
    rerank_applied: false,
  });
});

test('without a dense side rrf equals sparse, and dense alone finds nothing', async () => {
  const rrf = await project.lasting({ query: 'cache' });
  const sparse = await project.lasting({ query: 'cache', fusion: 'sparse_only' });
  expect(sparse).toEqual({ ...rrf, fusion: 'sparse_only' });
  const dense = await project.search({ query: 'cache', fusion: 'dense_only', repo: 'acme/app' });
  expect(dense).toMatchObject({ count: 0, sparse_candidates: 0, filters_unmatched: [], results: [] });
});

test('the same question has the same answer, byte for byte', async () => {
  const twins = await TestProject.of(Array.from({ length: 40 }, (_, i) => issue(i + 1)));
  const ask = async (asked: object): Promise<string> => JSON.stringify(await twins.lasting({ ...asked, top_k: 20 }));
  for (const asked of [
    { query: 'stalls' },
    { query: 'stalls xyz' },
    { query: 'stalls', sort: 'updated_desc' },
    { since: '9y' },
  ]) {
    expect(await ask(asked)).toBe(await ask(asked));
  }
  const { results } = await twins.search({ query: 'stalls', top_k: 20 });
  expect(results.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  await twins.test.remove();
});

describe('time sorts', () => {
  // The older, the better the match; created in another order than updated.
  const many = Array.from({ length: 300 }, (_, i) =>
    issue(i + 1, {
      title: 'flaky '.repeat(1 + Math.floor((300 - i) / 60)).trim(),
      body: `A flaky test. ${'More words follow here. '.repeat(i % 7)}`,
      updatedAt: Date.UTC(2024, 0, 1) + i * 1000,
      createdAt: Date.UTC(2023, 0, 1) - i * 1000,
    }),
  );
  let flaky: TestProject;
  beforeAll(async () => {
    flaky = await TestProject.of([
      ...many,
      issue(999, { title: 'A test', body: 'unrelated', updatedAt: Date.UTC(2024, 4, 1) }),
    ]);
  });
  afterAll(() => flaky.test.remove());
  const numbers = async (asked: Asked): Promise<unknown[]> =>
    (await flaky.search(asked)).results.map(({ number }) => number);

  test('override ranking: the newest of all that match, however low they rank', async () => {
    expect(await numbers({ query: 'flaky test', sort: 'updated_desc', top_k: 3 })).toEqual([300, 299, 298]);
    expect(await numbers({ query: 'flaky test', sort: 'created_desc', top_k: 3 })).toEqual([1, 2, 3]);
    const { results } = await flaky.search({ query: 'flaky test', sort: 'updated_desc' });
    expect(results.every(({ sparse_rank }) => sparse_rank !== null)).toBe(true);
  });

  test('take relaxed hits where the strict ones do not fill the answer', async () => {
    const relaxed = await numbers({ query: 'unrelated test', sort: 'updated_desc', top_k: 4 });
    expect(relaxed[0]).toBe(999);
    expect(relaxed).toHaveLength(4);
    expect(relaxed.slice(1)).toEqual(relaxed.slice(1).sort((a, b) => Number(b) - Number(a)));
  });

  test('order a scan by the time of creation', async () => {
    const asked = { since: '2024-01-01', top_k: 2 } as const;
    expect(await numbers(asked)).toEqual([999, 300]);
    expect(await numbers({ ...asked, sort: 'updated_desc' })).toEqual([999, 300]);
    expect(await numbers({ ...asked, sort: 'created_desc', until: '2024-04-01' })).toEqual([1, 2]);
  });
});

describe('a crowd', () => {
  const talk = Array.from({ length: 150 }, (_, i) =>
    comment(1, String(i + 1), { body: 'gadget gadget gadget', updatedAt: Date.UTC(2024, 4, 2) + i }),
  );
  const sections = Array.from({ length: 120 }, (_, i) => `## Gadget ${String(i)}\n\n${'gadget '.repeat(90)}`).join(
    '\n\n',
  );
  const few = Array.from({ length: 12 }, (_, i) =>
    issue(i + 10, { title: 'Other', body: `${'long text '.repeat(40)} gadget` }),
  );
  let crowd: TestProject;
  beforeAll(async () => {
    crowd = await TestProject.of([
      issue(1, { title: 'gadget' }),
      ...talk,
      doc('GADGETS.md', { body: `# Gadgets\n\n${sections}` }),
      ...few,
    ]);
  });
  afterAll(() => crowd.test.remove());

  test.each(['relevance', 'updated_desc'] as const)(
    'of rows of one entity takes no room from others (%s)',
    async (sort) => {
      const answer = await crowd.search({ query: 'gadget', sort });
      expect(answer.count).toBe(10);
      expect(new Set(answer.results.map(({ reference, number }) => number ?? reference)).size).toBe(10);
      if (sort === 'relevance') expect(answer.sparse_candidates).toBeLessThanOrEqual(60);
      expect((await crowd.search({ query: 'gadget', sort, top_k: 50 })).count).toBe(14);
      const type = ['issue', 'issue_comment'] as const;
      expect((await crowd.search({ query: 'gadget absent', sort, top_k: 13, type: [...type] })).count).toBe(13);
    },
  );

  test('in a scan is counted whole and named in part', async () => {
    const { results } = await crowd.search({ since: '2024-05-01' });
    expect(results).toHaveLength(1);
    const [{ same_entity: same, comment_id } = {}] = results;
    expect(comment_id).toBe(150);
    expect(same?.count).toBe(149);
    expect(same?.others.map(({ url }) => url).slice(0, 2)).toEqual([
      'https://github.com/acme/app/issues/1#issuecomment-149',
      'https://github.com/acme/app/issues/1#issuecomment-148',
    ]);
    expect(same?.others.length).toBeLessThan(20);
  });
});

test('an empty index answers every mode but a name', async () => {
  const empty = await TestProject.of([]);
  for (const asked of [{ query: 'anything' }, {}, { query: 'x', repo: 'acme/app' }]) {
    const answer = await empty.search(asked);
    expect(searchOutput.parse(answer)).toMatchObject({ count: 0, results: [], repos: [], truncated: false });
  }
  expect(await empty.search({ repo: 'acme/app' })).toMatchObject({ filters_unmatched: ['repo'], index_empty: true });
  await expect(empty.search({ sources: ['acme/app#1'] })).rejects.toMatchObject({ code: 'unknown_source' });
  await empty.test.remove();
});

test.each<[string, Asked]>([
  ['a search', { query: 'cache entries', include_content: true }],
  [
    'a search with filters',
    { query: 'cache', repo: 'acme/app', type: 'issue', state: 'open', since: '9y', until: '2030-01-01' },
  ],
  ['a search without hits', { query: 'xylophone', repo: 'no/where', author: 'nobody' }],
  ['a search of nothing', { query: '?!' }],
  ['a scan', { since: '9y', include_content: true }],
  ['an empty scan', {}],
  ['a fetch', { sources: ['acme/app#123', 'acme/app:docs/guide/install.md'] }],
])('%s reads at most twice, and writes nothing but its trace', async (_what, asked) => {
  const corpus = 'SELECT group_concat(key || content_hash) AS corpus FROM documents';
  const stored = (): Promise<unknown> => project.test.database.read([query(corpus, [], (row) => row.corpus)]);
  const before = await stored();
  const database = new CountingDatabase(project.engine.database);
  await invoke(search, { ...project.engine, database }, asked);
  expect(database.reads).toBeLessThanOrEqual(2);
  expect(database.writes).toBeLessThanOrEqual(1);
  expect(await stored()).toEqual(before);
});
