import fc from 'fast-check';
import Database from 'libsql';
import { afterAll, expect, test } from 'vitest';
import { normalizeText } from '../../src/lib/core/text.ts';
import type { Document, Passage } from '../../src/lib/corpus/document.ts';
import type { DocumentTypeName } from '../../src/lib/corpus/document-types.ts';
import { PIECE_SIZE } from '../../src/lib/indexing/paragraphs.ts';
import { MOST_PASSAGES, passagesOf } from '../../src/lib/indexing/passages.ts';

const db = new Database(':memory:');
db.exec('CREATE TABLE bodies (body TEXT NOT NULL) STRICT');
afterAll(() => {
  db.close();
});

function documentOf(type: DocumentTypeName, body: string, path: string | null = null): Document {
  const none = { number: 1, commentId: null, reviewId: null, tag: null, commit: null, line: null, inReplyTo: null };
  const meta = { state: null, labels: [], milestone: null, assignees: [], author: null, url: null, blob: null };
  const times = { createdAt: 0, updatedAt: 0, version: 'v1', versionIsKnown: true };
  return { repo: 'octo/app', type, title: 'Title', preface: '', path, body, ...none, ...meta, ...times };
}

function pathsOf(passages: readonly Passage[]): string[] {
  return passages.map((passage) => passage.headingPath.join(' > '));
}

const part = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('# A\n', '## B\n', '### C\n', 'Under\n===\n', '\n\n', 'Some words. ', 'line\n'),
  },
  fc.constantFrom(
    '```\n# no\n',
    '```\n',
    '> # q\n',
    '- i\n',
    '<!--\n',
    '-->\n',
    '---\n',
    '\u{1f600}\u{20000}',
    '日本語の文。',
  ),
  fc.constantFrom('@@ -1,3 +1,3 @@ f\n', '+a\n', '-b\n', ' c\n', '@@ -0,0 +1 @@\n'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const body = fc
  .array(fc.tuple(part, fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, fc.nat(60))), { maxLength: 40 })
  .map((parts) => normalizeText(parts.map(([part, times]) => part.repeat(times)).join('')));
const kind = fc.constantFrom<[DocumentTypeName, string | null]>(
  ['issue', null],
  ['doc', 'docs/a.md'],
  ['doc', 'docs/a.mdx'],
  ['doc', 'docs/a.rst'],
  ['wiki_doc', '1.-Model'],
  ['diff', 'src/a.ts'],
);

test('passages cover every body in order, are its substrings in SQLite, and have exact lines', () => {
  const insert = db.prepare(
    'INSERT INTO bodies (rowid, body) VALUES (1, ?) ON CONFLICT (rowid) DO UPDATE SET body = excluded.body',
  );
  const substr = db.prepare('SELECT substr(body, ? + 1, ?) AS text, length(body) AS length FROM bodies');
  fc.assert(
    fc.property(body, kind, (body, [type, path]) => {
      const passages = passagesOf(documentOf(type, body, path));
      expect(passages).toEqual(passagesOf(documentOf(type, body, path)));
      expect(passages.map((passage) => passage.ordinal)).toEqual(passages.map((_, index) => index));
      insert.run([body]);
      const codePoints = Array.from(body);
      const newlinesBefore = [0];
      for (const character of codePoints)
        newlinesBefore.push((newlinesBefore.at(-1) ?? 0) + Number(character === '\n'));
      let covered = 0;
      for (const { offset, length, text, lines, headingPath } of passages) {
        const row = substr.get([BigInt(offset), BigInt(length)]) as { text: string; length: number };
        expect(row).toMatchObject({ text, length: codePoints.length });
        expect(offset).toBeLessThanOrEqual(covered);
        expect(offset + length).toBeGreaterThanOrEqual(covered);
        covered = offset + length;
        for (const heading of headingPath) expect(heading.trim()).toBe(heading);
        if (type === 'diff') continue;
        expect(length).toBeLessThanOrEqual(PIECE_SIZE.max);
        const start = (newlinesBefore[offset] ?? 0) + 1;
        expect(lines).toEqual(length === 0 ? null : { start, end: (newlinesBefore[offset + length - 1] ?? 0) + 1 });
      }
      expect(covered).toBe(codePoints.length);
    }),
    { numRuns: 80 },
  );
});

test('an empty body is one passage of length 0 without lines', () => {
  for (const [type, path] of [
    ['issue', null],
    ['doc', 'a.md'],
    ['doc', 'a.txt'],
    ['wiki_doc', 'Home'],
    ['diff', 'a.ts'],
  ] as const) {
    expect(passagesOf(documentOf(type, '', path))).toEqual([
      { ordinal: 0, headingPath: [], offset: 0, length: 0, lines: null, text: '' },
    ]);
  }
});

test('a short issue is one passage, a long one is cut at its headings, its tiny answers together', () => {
  const form = '### Browser\n\nOne\n\n### System\n\nTwo\n\n';
  expect(pathsOf(passagesOf(documentOf('issue', `## What\n\nShort.\n\n${form}`)))).toEqual(['']);
  const long = `Intro.\n\n## What\n\n${'It fails each time. '.repeat(110)}\n\n${form}## Log\n\n\`\`\`\n# no\n\`\`\`\n`;
  const passages = passagesOf(documentOf('issue', long));
  expect(pathsOf(passages)).toEqual(['', 'What', 'What', 'What', 'Log']);
  expect(passages.at(-2)?.text).toBe(form);
});

test('documents are cut by what their name says', () => {
  const text = '# One\n\nText\n\n## Two\n\nText\n';
  for (const path of ['README.md', 'a/b.MDX', 'x.markdown']) {
    expect(pathsOf(passagesOf(documentOf('doc', text, path)))).toEqual(['One', 'One > Two']);
  }
  for (const path of ['notes.txt', 'a.rst', 'b.adoc'])
    expect(pathsOf(passagesOf(documentOf('doc', text, path)))).toEqual(['']);
  expect(pathsOf(passagesOf(documentOf('wiki_doc', text, '1.-Set-up')))).toEqual(['One', 'One > Two']);
  expect(pathsOf(passagesOf(documentOf('wiki_doc', text, 'Old.rst')))).toEqual(['']);
});

test('a long section keeps its heading path in every piece', () => {
  const passages = passagesOf(
    documentOf('doc', `# A\n\n## B\n\n${'A sentence of it. '.repeat(300)}\n\n## C\n\nEnd\n`, 'a.md'),
  );
  expect(passages.length).toBeGreaterThan(5);
  expect(new Set(pathsOf(passages.slice(1, -1)))).toEqual(new Set(['A > B']));
  expect(passages.at(-1)).toMatchObject({ headingPath: ['A', 'C'], lines: { start: 7, end: 9 } });
});

test('no document has more passages than the limit; the last one holds the rest', () => {
  const body = `# Log\n\n${Array.from({ length: MOST_PASSAGES + 500 }, (_, i) => `## v${String(i)}\n`).join('')}`;
  const passages = passagesOf(documentOf('doc', body, 'CHANGES.md'));
  expect(passages).toHaveLength(MOST_PASSAGES);
  const last = passages.at(-1);
  expect(last?.headingPath).toEqual(['Log']);
  expect(body.endsWith(last?.text ?? '?')).toBe(true);
  expect(last?.text.startsWith(`## v${String(MOST_PASSAGES - 2)}\n`)).toBe(true);
  expect(last?.lines).toEqual({ start: MOST_PASSAGES + 1, end: MOST_PASSAGES + 502 });
});

test('issue bodies of a usual length cost next to nothing', () => {
  const issue = documentOf('issue', '## Steps\n\n1. Open it\n2. See `error`\n\n```\nlog\n```\n'.repeat(20));
  const started = process.cpuUsage();
  for (let i = 0; i < 5000; i += 1) passagesOf(issue);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000);
});
