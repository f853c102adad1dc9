import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { permalink } from '../../src/lib/retrieval/permalink.ts';
import { comment, diff, doc, inlineComment, issue, pull, release, review, wiki } from '../support/project.ts';

const WEB = 'https://github.com/acme/app';
const SHA = 'ab'.repeat(20);

type Repo = { defaultBranch?: string | null; headCommit?: string | null };
const link = (document: Document, lines: [number, number] | null = null, repo: Repo = {}): string =>
  permalink(
    { defaultBranch: null, headCommit: null, ...repo, ...document },
    lines && { start: lines[0], end: lines[1] },
  );

test.each<[string, string]>([
  [link(issue(12)), `${WEB}/issues/12`],
  [link(pull(13)), `${WEB}/pull/13`],
  [link(comment(12, '345')), `${WEB}/issues/12#issuecomment-345`],
  [link(review(13, '346')), `${WEB}/pull/13#pullrequestreview-346`],
  [link(inlineComment(13, '347')), `${WEB}/pull/13#discussion_r347`],
  [link(comment(12, null)), `${WEB}/issues/12`],
  [link(review(13, null)), `${WEB}/pull/13`],
  [link(inlineComment(13, null)), `${WEB}/pull/13`],
  [link(release('v1.2.0')), `${WEB}/releases/tag/v1.2.0`],
  [link(release('pkg/v1 #2?')), `${WEB}/releases/tag/pkg/v1%20%232%3F`],
  [link(wiki('Home')), `${WEB}/wiki/Home`],
  [link(wiki('設計 ノート')), `${WEB}/wiki/%E8%A8%AD%E8%A8%88%20%E3%83%8E%E3%83%BC%E3%83%88`],
  [link(doc('docs/a.md')), `${WEB}/blob/HEAD/docs/a.md`],
  [link(doc('docs/a.md'), null, { defaultBranch: 'release/2.x' }), `${WEB}/blob/release/2.x/docs/a.md`],
  [
    link(doc('docs/a.md'), [3, 9], { defaultBranch: 'main', headCommit: SHA }),
    `${WEB}/blob/${SHA}/docs/a.md?plain=1#L3-L9`,
  ],
  [link(doc('docs/a.txt'), [3, 3], { defaultBranch: 'main' }), `${WEB}/blob/main/docs/a.txt#L3`],
  [link(doc('a b/#1/50%?/é.MD'), [1, 2]), `${WEB}/blob/HEAD/a%20b/%231/50%25%3F/%C3%A9.MD?plain=1#L1-L2`],
  // The anchor is the SHA-256 of the path, computed apart from this program.
  [
    link(diff('ab', 'docs/a b#1.md'), [4, 7]),
    `${WEB}/commit/${SHA}#diff-c78a68c87edf6bce6d0af7ffe1aacb7ecf983d8e308432c4f044bcb56e960dc0R4-R7`,
  ],
  [
    link(diff('ab', 'docs/a b#1.md')),
    `${WEB}/commit/${SHA}#diff-c78a68c87edf6bce6d0af7ffe1aacb7ecf983d8e308432c4f044bcb56e960dc0`,
  ],
])('%s', (found, expected) => {
  expect(found).toBe(expected);
});

describe('a recorded page', () => {
  test('is used where it is a web page', () => {
    const url = 'https://git.example.org/acme/app/issues/12#issuecomment-1';
    expect(link(issue(12, { url }))).toBe(url);
    expect(link(release('v1', { url: 'HTTPS://Example.org/a b' }))).toBe('https://example.org/a%20b');
  });

  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>1</script>',
    'file:///etc/passwd',
    'vbscript:x',
    '//evil.example/',
    'https://user:secret@example.org/',
    'https://',
    'x',
    '',
  ])('%j is not', (url) => {
    for (const document of [
      issue(12, { url }),
      comment(12, '1', { url }),
      wiki('Home', { url }),
      release('v1', { url }),
    ]) {
      expect(link(document)).toMatch(/^https:\/\/github\.com\/acme\/app\//);
    }
  });

  test('never gets a control character or another scheme out', () => {
    const url = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: 'binary' }),
      fc
        .tuple(fc.constantFrom('http://', 'https:', 'javascript:', 'ftp://x/'), fc.string({ unit: 'binary' }))
        .map((x) => x.join('')),
    );
    fc.assert(
      fc.property(url, (given) => {
        expect(link(issue(1, { url: given }))).toMatch(/^https?:\/\/[^\s\u0000-\u0020\u007F-\uFFFF]+$/);
      }),
    );
  });
});

test('any path gives a link that leads back to it', () => {
  const path = fc
    .array(
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((s) => !s.includes('/') && !/^\.{1,2}$/.test(s)),
      { minLength: 1 },
    )
    .map((parts) => parts.join('/'));
  fc.assert(
    fc.property(path, (given) => {
      const { pathname, search, hash } = new URL(link(doc(given)));
      expect(decodeURIComponent(pathname)).toBe(`/acme/app/blob/HEAD/${given}`);
      expect(search + hash).toBe('');
    }),
  );
});
