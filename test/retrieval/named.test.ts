import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowedBy } from '../../src/lib/engine/allow-list.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { testEngine } from '../support/engine.ts';
import { type Asked, comment, issue, pull, TestProject } from '../support/project.ts';

/** Many texts hold the number 14, and none of them is thread 14. */
const DOCUMENTS = [
  ...Array.from({ length: 30 }, (_, at) =>
    issue(100 + at, { title: `Take 14 of 14`, body: 'PR 14, issue 14: 14 times #14.' }),
  ),
  issue(14, { title: 'The kettle drips', body: 'Nothing else.' }),
  comment(14, '141', { body: 'It drips since 14 days, 14 times a day: #14, issue 14, PR 14.' }),
  pull(15, { title: 'Seal the spout', body: 'A gasket.' }),
  issue(14, { repo: 'acme/lib', title: 'Locks', body: 'A mutex.' }),
];

let project: TestProject;
beforeAll(async () => {
  project = await TestProject.of(DOCUMENTS);
  await embedIndex(testEngine(project.test, { embedder: 'lsa' }));
});
afterAll(() => project.test.remove());

const ask = (asked: Asked, parts = {}): Promise<SearchOutput> =>
  invoke(search, testEngine(project.test, { embedder: 'lsa', ...parts }), asked);
const found = async (asked: Asked, parts = {}) => (await ask(asked, parts)).results.map(({ reference }) => reference);

describe('a thread that the question names', () => {
  const ways = ['#14', '14', 'issue 14', 'PR #14', 'acme/app#14', 'app#14', 'what came of #14?'];
  test.each([...ways, 'https://github.com/acme/app/issues/14'])('%s comes first', async (query) => {
    for (const more of [{}, { rerank: false }, { fusion: 'sparse_only' }] as const) {
      const { results } = await ask({ query, repo: 'acme/app', ...more });
      expect(results[0]?.reference).toBe('acme/app#14');
      expect(results[0]?.sparse_rank).toBe(1);
      expect(results.length).toBeGreaterThan(1);
    }
  });

  test('in each repository that has one, where none is said, and each of those that are named', async () => {
    expect(new Set((await found({ query: '#14' })).slice(0, 2))).toEqual(new Set(['acme/app#14', 'acme/lib#14']));
    expect((await found({ query: 'lib#14' }))[0]).toBe('acme/lib#14');
    expect(new Set((await found({ query: '#14 and #15', repo: 'acme/app' })).slice(0, 2))).toEqual(
      new Set(['acme/app#14', 'acme/app#15']),
    );
  });

  test('is held to the filters and to what is allowed, and a time sort keeps to time', async () => {
    expect(await found({ query: '#14', state: 'closed' })).not.toContain('acme/app#14');
    expect(await found({ query: '#14', type: 'issue_comment' })).toEqual(['acme/app#14/comment/141']);
    expect(await found({ query: 'acme/lib#14' }, { allowed: allowedBy(['acme/app']) })).not.toContain('acme/lib#14');
    const { results } = await ask({ query: '#14', repo: 'acme/app', sort: 'created_desc', top_k: 50 });
    const times = results.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(results.map(({ reference }) => reference)).toContain('acme/app#14');
  });

  test('shows its passage with the words, and a full name is never crowded out', async () => {
    const { results } = await ask({ query: '#14 drips', repo: 'acme/app' });
    expect(results[0]?.reference).toBe('acme/app#14');
    expect(results[0]?.sparse_score).toBeGreaterThan(0);
    const many = '#101 #102 #103 #104 acme/lib#14';
    expect((await found({ query: many }))[0]).toBe('acme/lib#14');
  });

  test('that is not indexed changes nothing', async () => {
    expect(await found({ query: '#4711' })).toEqual([]);
  });
});
