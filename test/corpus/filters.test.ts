import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { documentPredicate, type Filters, Parameters } from '../../src/lib/corpus/filters.ts';
import { documentKey } from '../../src/lib/corpus/store.ts';
import { query } from '../../src/lib/engine/database.ts';
import { type Asked, comment, diff, doc, issue, pull, release, TestProject } from '../support/project.ts';

const NAMES = ['ada', 'Ada', 'ADA-L', 'grace', "o'neil", 'ça', '%', '_'];
const LABELS = ['bug', 'Bug', 'help wanted', '"quoted"', '50%', 'ünï', '[]', 'a_b', '1'];
const PATHS = [
  'docs/a.md',
  'docs/ab.md',
  'docs_x/a.md',
  'docs%/a.md',
  'Docs/a.md',
  "d'q/a.md",
  '文書/計画.md',
  'docs/a.md/b',
];
const REPOS = ['acme/app', 'acme/app-two', 'Other/App'];
const TYPES = ['issue', 'pull_request', 'issue_comment', 'doc', 'diff', 'release'] as const;
const STATES = ['open', 'closed', 'merged'] as const;
const TIMES = [0, 1, 999, 1000, 1001, 5000];

const some = <Item>(...items: readonly Item[]) => fc.constantFrom(...items);
const fields = fc.record({
  repo: some(...REPOS),
  state: some(...STATES, null),
  labels: fc.uniqueArray(some(...LABELS), { maxLength: 3 }),
  milestone: some('v1', 'V1', 'v1 (%)', null),
  assignees: fc.uniqueArray(some(...NAMES), { maxLength: 2 }),
  author: some(...NAMES, null),
  updatedAt: some(...TIMES),
});

/** 300 documents whose fields repeat themselves, so that filters leave some of them. */
function randomDocuments(): Document[] {
  return fc
    .sample(fc.tuple(fields, some(...TYPES), some(...PATHS)), { numRuns: 300, seed: 20240601 })
    .map(([each, type, path], at) => {
      switch (type) {
        case 'issue':
          return issue(at + 1, each);
        case 'pull_request':
          return pull(at + 1, each);
        case 'issue_comment':
          return comment(at + 1, String(at + 1), each);
        case 'doc':
          return doc(`${path}/${String(at)}`, each);
        case 'diff':
          return diff(String(at + 1000), path, each);
        default:
          return release(`v${String(at)}`, each);
      }
    });
}

/** As SQLite's NOCASE: ASCII letters only. */
const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const same = (a: string | null, b: string): boolean => a !== null && fold(a) === fold(b);

/** What the filters mean, written without SQL. */
function passes(document: Document, filters: Filters): boolean {
  const { repo, type, state, labels, milestone, assignee, author, path, since, until } = filters;
  return (
    (repo === undefined || repo.some((slug) => same(document.repo, slug))) &&
    (type === undefined || type.includes(document.type)) &&
    (state === undefined || document.state === state || (state === 'closed' && document.state === 'merged')) &&
    (labels === undefined || labels.every((wanted) => document.labels.some((label) => same(label, wanted)))) &&
    (milestone === undefined || same(document.milestone, milestone)) &&
    (assignee === undefined || document.assignees.some((login) => same(login, assignee))) &&
    (author === undefined || same(document.author, author)) &&
    (path === undefined || document.path?.startsWith(path) === true) &&
    (since === undefined || document.updatedAt >= since) &&
    (until === undefined || document.updatedAt < until)
  );
}

const name = some(...NAMES, 'aDA', 'nobody', 'ÇA', "' OR 1=1 --", '');
const filters: fc.Arbitrary<Filters> = fc.record(
  {
    repo: fc.array(some(...REPOS, 'ACME/app', 'acme/a%', 'no/where'), { minLength: 1, maxLength: 3 }),
    type: fc.array(some(...TYPES, 'wiki_doc' as const), { minLength: 1, maxLength: 3 }),
    state: some(...STATES, 'approved'),
    labels: fc.array(some(...LABELS, 'BUG', 'Help Wanted', 'none'), { minLength: 1, maxLength: 3 }),
    milestone: some('v1', 'v1 (%)', 'v2', '%'),
    assignee: name,
    author: name,
    path: some('d', 'docs', 'docs/', 'docs_', 'docs%', 'doc_', '%', 'docs/a.md', "d'", '文', 'D', '', 'docs/a.md\0'),
    since: some(...TIMES),
    until: some(...TIMES),
  },
  { requiredKeys: [] },
);

describe('filters', () => {
  const documents = randomDocuments();
  let project: TestProject;

  beforeAll(async () => {
    project = await TestProject.of(documents);
  });
  afterAll(() => project.test.remove());

  const matching = async (given: Filters): Promise<unknown[]> => {
    const parameters = new Parameters();
    const predicate = documentPredicate(given, 'all', parameters);
    const sql = `SELECT d.key FROM documents d WHERE ${predicate} ORDER BY d.id`;
    const [keys] = await project.test.database.read([query(sql, parameters.values, (row) => row.key)]);
    return keys;
  };

  test('let through what they say, alone and together', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (given) => {
        const expected = documents.filter((document) => passes(document, given)).map(documentKey);
        expect(await matching(given)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('hold in a search too, before any cut', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async ({ since: _since, until: _until, assignee, author, path, ...rest }) => {
        // The input takes no empty strings.
        const texts = Object.fromEntries(
          Object.entries({ assignee, author, path }).filter(([, text]) => text !== undefined && text !== ''),
        );
        const given = { ...rest, ...texts };
        const expected = documents.filter((document) => passes(document, given)).map(documentKey);
        // Every body has both words; titles of comments are empty.
        const asked = { query: 'stalls restart', top_k: 50, ...given } as Asked;
        const { results, filters_unmatched } = await project.search(asked);
        const found = results.flatMap((result) => [result, ...(result.same_entity?.others ?? [])]);
        for (const { reference } of found) expect(expected).toContain(reference);
        if (expected.length <= 50) expect(results.length > 0).toBe(expected.length > 0);
        if (expected.length > 0) expect(filters_unmatched).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
