import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Failure } from '../../src/lib/core/failure.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import { searchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { comment, diff, doc, issue, TestProject, wiki } from '../support/project.ts';

let project: TestProject;
beforeAll(async () => {
  project = await TestProject.of([
    issue(1, { title: 'AND OR NOT', body: 'title: body NEAR the cache "quoted" * ^ (x)' }),
    comment(1, '5'),
    doc('docs/a.md', { body: '# Plain\n\nThe text.' }),
    wiki('Home'),
    diff('ab', 'src/x.ts', { body: '+a && b || c' }),
  ]);
});
afterAll(() => project.test.remove());

async function failureOf(raw: object): Promise<Failure> {
  try {
    await invoke(search, project.engine, raw);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new TypeError('nothing failed');
}

test.each<[object, string]>([
  [{ query: 'x'.repeat(100_000) }, 'query: must be at most 4096 characters long'],
  [{ query: 5 }, 'query: must be of type string'],
  [{ query: 'x', top_k: 0 }, 'top_k: must be at least 1'],
  [{ query: 'x', top_k: 51 }, 'top_k: must be at most 50'],
  [{ query: 'x', top_k: 1.5 }, 'top_k: must be of type int'],
  [{ query: 'x', top_k: '5' }, 'top_k: must be of type number'],
  [{ query: 'x', sort: 'newest' }, 'sort: must be one of relevance, updated_desc, created_desc'],
  [{ query: 'x', fusion: 'both' }, 'fusion: must be one of rrf, dense_only, sparse_only'],
  [
    { query: 'x', state: 'done' },
    'state: must be one of open, closed, merged, approved, changes_requested, commented, dismissed',
  ],
  [{ query: 'x', repo: '' }, 'repo: must be at least 1 characters long'],
  [{ query: 'x', repo: [] }, 'repo: must be a list of at least 1 entries'],
  [{ query: 'x', labels: ['a', 'b'.repeat(257)] }, 'labels[1]: must be at most 256 characters long'],
  [{ query: 'x', author: 'a'.repeat(257) }, 'author: must be at most 256 characters long'],
  [{ query: 'x', limit: 3 }, 'unknown field: limit'],
  [{ sources: [] }, 'sources: must be a list of at least 1 entries'],
  [{ sources: Array.from({ length: 21 }, () => 'acme/app#1') }, 'sources: must be a list of at most 20 entries'],
  [{ sources: ['acme/app#1', 'x'.repeat(1001)] }, 'sources[1]: must be at most 1000 characters long'],
  [{ since: 'yesterday' }, 'since: must be a time such as 2024-05-01T10:00:00Z, a date, or an age such as 7d'],
  [{ until: '2024-02-30' }, 'until: must be a time such as 2024-05-01T10:00:00Z, a date, or an age such as 7d'],
  [{ query: 'x', since: '2024-05-02', until: '2024-05-01' }, 'since: must not be later than until'],
])('%.60j is refused, and the field is named', async (raw, message) => {
  expect(await failureOf(raw)).toMatchObject({ code: 'invalid_input', message });
});

test('a wrong type names the known ones, and never the value', async () => {
  const { message } = await failureOf({ query: 'x', type: 'ticket' });
  expect(message).toMatch(/^type: must be one of issue, pull_request, /);
  expect(message).not.toContain('ticket');
});

test.each<[string, string]>([
  ['NUL', '\0'],
  ['NUL within', 'cache\0text'],
  ['lone surrogates', '\ud800 cache \udfff'],
  ['punctuation', '?!.,;:-_()[]{}<>/\\|@#$%^&*+=~`\'"'],
  ['stop words', 'the of and to a in is it'],
  ['operators', 'AND OR NOT NEAR(a b, 2) title:x -y ^z "unclosed * {title body}: (('],
  ['500 terms', Array.from({ length: 500 }, (_, i) => `t${String(i)}`).join(' ')],
  ['4096 characters of one word', 'x'.repeat(4096)],
  ['4096 ideographs', '検索'.repeat(2048)],
  ['emoji', '👩‍👩‍👧 🏳️‍🌈'],
  ['bidirectional controls', '\u202Ecache\u202C \u200B\uFEFF'],
  ['SQL', "'; DROP TABLE documents; --"],
])('a query of %s is answered', async (_what, query) => {
  for (const more of [
    {},
    { sort: 'updated_desc', repo: 'acme/app' },
    { type: 'diff' },
    { author: query.slice(0, 50) },
  ]) {
    expect(searchOutput.parse(await invoke(search, project.engine, { query, ...more }))).toMatchObject({
      mode: 'search',
    });
  }
  expect((await project.search({ query: 'cache' })).count).toBe(1);
});

test('only punctuation finds nothing, only stop words find what has them', async () => {
  expect((await project.search({ query: '?! --' })).count).toBe(0);
  expect(await project.found({ query: 'the' })).toContain('acme/app:docs/a.md');
});

test('any text is a query and a value of a filter', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc
      .array(fc.constantFrom('"', "'", '*', 'NEAR', ':', '-', '%', '_', '\0', '\ud83d', '検索', 'cache', ' '), {
        minLength: 1,
      })
      .map((x) => x.join('').slice(0, 200)),
  );
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom('author', 'assignee', 'milestone', 'path', 'labels', 'repo'),
      async (given, field) => {
        searchOutput.parse(await invoke(search, project.engine, { query: given }));
        const { results, filters_unmatched } = await invoke(search, project.engine, { query: 'cache', [field]: given });
        // A filter that nothing satisfies is named; here none satisfies any but by chance.
        expect(results.length > 0 ? filters_unmatched : []).toEqual([]);
        if (field === 'repo') expect(filters_unmatched).toEqual(['repo']);
      },
    ),
    { numRuns: 60 },
  );
});
