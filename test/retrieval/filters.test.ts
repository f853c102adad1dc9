import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import {
  type Asked,
  comment,
  diff,
  doc,
  inlineComment,
  issue,
  pull,
  release,
  review,
  TestProject,
  wiki,
} from '../support/project.ts';

const DAY = 86_400_000;
const NOON = Date.UTC(2024, 5, 1, 12);

const documents: readonly Document[] = [
  issue(1, { labels: ['Bug', 'good first issue'], milestone: 'Spring 2024', assignees: ['grace'], author: 'Ada' }),
  issue(2, { state: 'closed', labels: ['bug'], author: 'grace' }),
  pull(3, { state: 'merged', labels: ['feature'] }),
  comment(1, '101', { author: 'linus' }),
  review(3, '301', { state: 'changes_requested' }),
  inlineComment(3, '302', { path: 'src/sync_queue.ts', line: 4 }),
  release('v1.0.0'),
  doc('docs/sync.md', { body: '# Sync\n\nIt stalls after an hour and needs a restart.' }),
  wiki('Sync-Guide'),
  diff('ab', 'src/sync.ts', { body: '@@ -1 +1 @@\n-stalls\n+stalls, restart\n' }),
  issue(1, { repo: 'acme/other', title: 'Another sync stalls' }),
].map((document, at) => ({ ...document, updatedAt: NOON - (at + 1) * 3_600_000 }));

let project: TestProject;
beforeAll(async () => {
  project = await TestProject.of(documents);
  project.test.clock.ms = NOON;
});
afterAll(() => project.test.remove());

/** Each mode over everything; with a filter they must all leave the same. */
const modes: readonly Asked[] = [
  { query: 'stalls restart', top_k: 50 },
  { top_k: 50 },
  {
    sources: [
      ...['#1', '#2', '#3', '#1/comment/101', '#3/review/301', '#3/review_comment/302', '/release/v1.0.0'],
      ...[':docs/sync.md', '/wiki/Sync-Guide', `@${'ab'.repeat(20)}:src/sync.ts`],
    ]
      .map((rest) => `acme/app${rest}`)
      .concat('acme/other#1'),
  },
];

/** All rows of an answer, folded ones too. */
async function rows(asked: Asked): Promise<string[]> {
  const { results } = await project.search(asked);
  return results
    .flatMap((result) => [result, ...(result.same_entity?.others ?? [])])
    .map(({ reference }) => reference?.replace('acme/app', '') ?? '')
    .sort();
}

const COMMENTS = ['#1/comment/101', '#3/review/301', '#3/review_comment/302'];
const FILES = [':docs/sync.md', `@${'ab'.repeat(20)}:src/sync.ts`];

test.each<[string, Asked, string[]]>([
  ['a repository', { repo: 'acme/other' }, ['acme/other#1']],
  ['a repository in other letters', { repo: 'ACME/Other' }, ['acme/other#1']],
  ['several repositories', { repo: ['acme/other', 'no/such'] }, ['acme/other#1']],
  ['a type', { type: 'issue_comment' }, ['#1/comment/101']],
  ['several types', { type: ['doc', 'diff'] }, FILES],
  ['open', { state: 'open', repo: 'acme/app', type: 'issue' }, ['#1']],
  ['closed, which is merged too', { state: 'closed' }, ['#2', '#3']],
  ['merged', { state: 'merged' }, ['#3']],
  ['a state of reviews', { state: 'changes_requested' }, ['#3/review/301']],
  ['a label in any case', { labels: 'BUG' }, ['#1', '#2']],
  ['all of several labels', { labels: ['bug', 'Good First Issue'] }, ['#1']],
  ['a milestone', { milestone: 'spring 2024' }, ['#1']],
  ['an assignee', { assignee: 'Grace' }, ['#1']],
  ['an author', { author: 'GRACE' }, ['#2']],
  ['a path', { path: 'src/sync.ts' }, [`@${'ab'.repeat(20)}:src/sync.ts`]],
  ['the beginning of a path', { path: 'src/' }, ['#3/review_comment/302', `@${'ab'.repeat(20)}:src/sync.ts`]],
  ['a path where _ is itself', { path: 'src/sync_' }, ['#3/review_comment/302']],
  ['since', { since: new Date(NOON - 2 * 3_600_000).toISOString() }, ['#1', '#2']],
  [
    'since and until',
    { since: '2024-06-01T08:00:00Z', until: '2024-06-01T10:00:00Z' },
    [...COMMENTS.slice(0, 1), '#3'],
  ],
  [
    'times with an offset',
    { since: '2024-06-01T10:00:00+02:00', until: '2024-06-01T05:30:00-04:30' },
    ['#1/comment/101', '#3'],
  ],
  ['an age', { since: '90m' }, ['#1']],
  ['a combination', { repo: 'acme/app', state: 'closed', labels: 'bug', author: 'grace', since: '1d' }, ['#2']],
  ['what is never there together', { state: 'merged', labels: 'bug' }, []],
])('%s is the same in every mode', async (_what, filter, expected) => {
  for (const mode of modes) {
    expect({ mode, rows: await rows({ ...mode, ...filter }) }).toEqual({ mode, rows: [...expected].sort() });
  }
});

test('the window is half open', async () => {
  const at = new Date(NOON - 3_600_000).toISOString();
  for (const mode of modes) {
    expect(await rows({ ...mode, since: at, type: 'issue' })).toEqual(['#1']);
    expect(await rows({ ...mode, until: at, type: 'issue' })).toEqual(['#2', 'acme/other#1']);
    expect(await rows({ ...mode, since: at, until: at })).toEqual([]);
  }
});

describe('filters that nothing at all satisfies', () => {
  test.each<[string, Asked]>([
    ['repo', { repo: 'acme/ap' }],
    ['state', { state: 'dismissed' }],
    ['labels', { labels: ['bug', 'feature'] }],
    ['milestone', { milestone: 'Spring' }],
    ['assignee', { assignee: 'ada' }],
    ['author', { author: 'gr%' }],
    ['path', { path: 'SRC/' }],
    ['since', { since: '2025-01-01' }],
    ['until', { until: '2020-01-01' }],
  ])('%s is named in every mode', async (name, filter) => {
    for (const mode of modes) {
      const { count, filters_unmatched } = await project.search({ ...mode, ...filter });
      expect({ mode, count, filters_unmatched }).toEqual({ mode, count: 0, filters_unmatched: [name] });
    }
  });

  test('type too', async () => {
    const small = await TestProject.of([issue(1)]);
    const { filters_unmatched } = await small.search({ query: 'sync', type: ['wiki_doc', 'doc'] });
    expect(filters_unmatched).toEqual(['type']);
    await small.test.remove();
  });

  test('all of them are named, and none that only its company empties', async () => {
    const asked: Asked = {
      query: 'stalls',
      repo: 'x/y',
      author: 'nobody',
      labels: 'bug',
      state: 'merged',
      until: '10y',
    };
    expect((await project.search(asked)).filters_unmatched).toEqual(['repo', 'author', 'until']);
    const together = await project.search({ query: 'stalls', labels: 'bug', state: 'merged' });
    expect(together).toMatchObject({ count: 0, filters_unmatched: [] });
    expect(together.nearest_repos).toBeUndefined();
  });

  test('a true zero is none', async () => {
    const answer = await project.search({ query: 'xylophone', repo: 'acme/app' });
    expect(answer).toMatchObject({ count: 0, filters_unmatched: [] });
  });

  test('the window of a scan that nobody asked for is no filter', async () => {
    project.test.clock.ms = NOON + 30 * DAY;
    const answer = await project.search({});
    expect(answer).toMatchObject({ count: 0, filters_unmatched: [] });
    expect(answer).not.toHaveProperty('nearest_repos');
    project.test.clock.ms = NOON;
  });

  test('a wrong repository comes with the nearest known', async () => {
    expect((await project.search({ query: 'stalls', repo: 'acme/ap' })).nearest_repos?.[0]).toBe('acme/app');
    expect((await project.search({ repo: 'other' })).nearest_repos).toEqual(['acme/other']);
    expect((await project.search({ query: 'stalls', repo: 'zzz/unlike-anything' })).nearest_repos).toEqual([]);
  });
});

test('a filter acts before any cut: the lowest of 10,000 is found, by a search and by a scan', async () => {
  const best = 'stalls stalls stalls';
  const many = Array.from({ length: 10_000 }, (_, i) => issue(i + 1, { title: best, body: best, updatedAt: NOON - i }));
  const needle = 9_999;
  const haystack = many.map((each) =>
    each.number === needle
      ? {
          ...each,
          title: 'Other',
          body: `${'Something else. '.repeat(60)} It stalls.`,
          labels: ['rare'],
          author: 'eve',
        }
      : each,
  );
  const large = await TestProject.of(haystack);
  const reference = `acme/app#${String(needle)}`;
  expect(await large.found({ query: 'stalls', labels: 'rare', top_k: 1 })).toEqual([reference]);
  expect(await large.found({ query: 'stalls restart', author: 'eve', top_k: 1 })).toEqual([reference]);
  expect(await large.found({ since: '1d', labels: 'rare', top_k: 1 })).toEqual([reference]);
  // A question of which it only has the words that all have: they are beyond the budget of the relaxed tier.
  const question = 'which thing stalls other something else 1 2 3';
  expect(await large.found({ query: `${question} absent`, author: 'eve' })).toEqual([reference]);
  expect((await large.search({ query: 'stalls', top_k: 50 })).count).toBe(50);
  await large.test.remove();
});
