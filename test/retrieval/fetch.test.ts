import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../src/lib/core/failure.ts';
import type { Document } from '../../src/lib/corpus/document.ts';
import { query } from '../../src/lib/engine/database.ts';
import {
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

const SHA = 'ab'.repeat(20);
const SHA256 = 'cd'.repeat(32);
const ODD_PATH = 'docs/a b#1 ?%@abcdef1:同期.md';

const documents: readonly Document[] = [
  issue(12, { body: 'The whole body.\r\n\r\nWith two paragraphs.'.replaceAll('\r', '') }),
  pull(13),
  comment(12, '345', { body: 'A comment of the thread.' }),
  comment(12, '9007199254740993', { body: 'A comment with a long id.' }),
  comment(12, null, { body: 'A comment without an id.' }),
  review(13, '346', { body: 'A review of the thread.' }),
  inlineComment(13, '347', { body: 'An inline comment.', path: 'src/x.ts', line: 3, commit: SHA }),
  doc('docs/a.md', { body: '# Title\n\nFirst.\n\n## Second\n\nMore.' }),
  doc(ODD_PATH, { body: 'An odd path.' }),
  wiki('Release-Notes/2024', { body: 'A wiki page.' }),
  release('pkg/v1.2.0+build#7', { body: 'Notes.' }),
  diff('ab', 'src/x.ts', { body: '@@ -1 +1 @@\n-a\n+b\n', preface: 'Fix it\n\nBecause.' }),
  { ...diff('ab', ODD_PATH, { body: '+odd' }), commit: SHA256 },
  diff('ac', 'src/x.ts', { body: '+c' }),
  diff('aba', 'src/y.ts', { body: '+d' }),
];

let project: TestProject;
beforeAll(async () => {
  project = await TestProject.of(documents);
});
afterAll(() => project.test.remove());

test.each<[string, string]>([
  ['acme/app#12', 'The whole body.\n\nWith two paragraphs.'],
  ['acme/app#13', 'It stalls after an hour and needs a restart.'],
  ['acme/app#12/comment/345', 'A comment of the thread.'],
  ['acme/app#12/comment/9007199254740993', 'A comment with a long id.'],
  ['acme/app#13/review/346', 'A review of the thread.'],
  ['acme/app#13/review_comment/347', 'An inline comment.'],
  ['acme/app:docs/a.md', '# Title\n\nFirst.\n\n## Second\n\nMore.'],
  [`acme/app:${ODD_PATH}`, 'An odd path.'],
  ['acme/app/wiki/Release-Notes/2024', 'A wiki page.'],
  ['acme/app/release/pkg/v1.2.0+build#7', 'Notes.'],
  [`acme/app@${SHA}:src/x.ts`, 'Fix it\n\nBecause.\n\n@@ -1 +1 @@\n-a\n+b\n'],
  [`acme/app@${SHA256}:${ODD_PATH}`, 'Change the file\n\n+odd'],
])('%s is fetched by reference, by source id, and in other letters', async (reference, content) => {
  const answer = await project.lasting({ sources: [reference] });
  expect(answer).toMatchObject({ mode: 'fetch', count: 1, truncated: false, sparse_candidates: 0 });
  const [result] = answer.results;
  expect(result).toMatchObject({ reference, content, content_source: 'index' });
  expect(result?.index_updated_at).toBe(new Date(project.test.clock.now()).toISOString());
  const sources = [result?.source_id ?? '', reference.replace('acme/app', 'AcMe/APP')];
  const again = await project.lasting({ sources });
  expect(again.results).toEqual([result, result]);
});

test('commits may be abbreviated and in capitals', async () => {
  const full = await project.lasting({ sources: [`acme/app@${SHA}:src/x.ts`] });
  for (const digits of [SHA.slice(0, 7), SHA.slice(0, 20).toUpperCase(), SHA.slice(0, 39)]) {
    expect((await project.lasting({ sources: [`acme/app@${digits}:src/x.ts`] })).results).toEqual(full.results);
  }
  const long = await project.search({ sources: [`acme/app@${SHA256.slice(0, 50)}:${ODD_PATH}`] });
  expect(long.results[0]?.commit_sha).toBe(SHA256);
});

test('results come in the order asked, each with its whole body', async () => {
  const sources = ['acme/app:docs/a.md', 'acme/app#13', 'acme/app#12', 'acme/app/release/pkg/v1.2.0+build#7'];
  const { results } = await project.search({ sources });
  expect(results.map((result) => result.reference)).toEqual(sources);
  expect(results.every((result) => result.content !== undefined && result.score === null)).toBe(true);
});

test('twenty are fetched in two round trips', async () => {
  const { count } = await project.search({ sources: Array.from({ length: 20 }, () => 'acme/app#12') });
  expect(count).toBe(20);
});

async function failure(source: string, others: string[] = []): Promise<Failure> {
  try {
    await project.search({ sources: [...others, source] });
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new TypeError('nothing failed');
}

describe('what is not there', () => {
  test('fails and names the reference', async () => {
    for (const source of ['acme/app#99', 'acme/none#12', 'acme/app:docs/A.md', 'acme/app@abababc:src/x.ts']) {
      expect(await failure(source)).toMatchObject({
        code: 'unknown_source',
        message: `sources[0] ${source}: no such source in this index`,
      });
    }
  });

  test('fails without repeating a handle, or what does not fit on a line', async () => {
    const handle = `src_${'A'.repeat(43)}`;
    const unknown = await failure(handle, ['acme/app#12']);
    expect(unknown).toMatchObject({ code: 'unknown_source', message: 'sources[1]: no such source in this index' });
    expect(JSON.stringify([unknown.message, unknown.hint])).not.toContain('src_');
    for (const source of [
      'acme/app:a\nb',
      'acme/app:a\u001b[31mb',
      'acme/app:a\u202eb',
      `acme/app:${'x'.repeat(900)}`,
    ]) {
      expect((await failure(source)).message).toBe('sources[0]: no such source in this index');
    }
  });

  test('is not found for a comment whose identity is not known', async () => {
    expect((await failure('acme/app#12/comment/0')).code).toBe('unknown_source');
    const { results } = await project.search({ query: 'comment without an id' });
    const [unresolved] = results;
    expect(unresolved).toMatchObject({ type: 'issue_comment', number: 12 });
    for (const field of ['source_id', 'provenance', 'reference', 'comment_id'])
      expect(unresolved).not.toHaveProperty(field);
  });
});

test('digits that several commits begin with are refused', async () => {
  await project.add([{ ...diff('ab', 'src/x.ts'), commit: `${SHA.slice(0, 39)}c` }]);
  const message = 'sources[0] acme/app@abababa:src/x.ts: several commits begin like this';
  expect(await failure('acme/app@abababa:src/x.ts')).toMatchObject({ code: 'invalid_input', message });
  expect((await project.search({ sources: [`acme/app@${SHA}:src/x.ts`] })).count).toBe(1);
});

test.each([
  'acme',
  'acme/app',
  'acme/app#',
  'acme/app#one',
  'src_short',
  `src_${'A'.repeat(44)}`,
  'https://github.com/acme/app/issues/1',
  '\0',
  '\ud800',
  "acme/app#1' OR 1=1",
  '%',
])('%j is no source', async (source) => {
  const refused = await failure(source, ['acme/app#12']);
  expect(refused.code).toBe('invalid_input');
  expect(refused.message).toBe('sources[1]: is neither a source id nor a reference');
});

test.each([
  'acme/app:\0',
  'acme/app:\ud800',
  "acme/app:' OR 1=1 --",
  'acme/app:"',
  'acme/app:%',
  'acme/app#99999999999999999999999999',
])('%j is a source that is not there', async (source) => {
  expect((await failure(source)).code).toBe('unknown_source');
});

test('ids are the same in a rebuilt index, and in one of another order', async () => {
  const ids = async ({ test: { database } }: TestProject): Promise<unknown[]> => {
    const [rows] = await database.read([
      query('SELECT key, source_id FROM documents ORDER BY key', [], (row) => ({ ...row })),
    ]);
    return rows;
  };
  const rebuilt = await TestProject.of(documents);
  const reversed = await TestProject.of([...documents].reverse());
  const expected = await ids(rebuilt);
  expect(expected).toHaveLength(documents.length);
  expect(expected).toContainEqual({ key: 'acme/app#12', source_id: 'src_aqboFujXiGS8-wG7KE92vBwf2MnSW1ZCXGzUFZWEYzQ' });
  expect(await ids(reversed)).toEqual(expected);
  await Promise.all([rebuilt.test.remove(), reversed.test.remove()]);
});
