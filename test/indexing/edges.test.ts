import { expect, test } from 'vitest';
import type { EdgeSource } from '../../src/lib/corpus/edge.ts';
import { edgesOf } from '../../src/lib/indexing/edges.ts';

const SHA = '0123456789abcdef0123456789abcdef01234567';
const ISSUE: EdgeSource = {
  repo: 'acme/engine',
  type: 'issue',
  number: 1,
  path: null,
  tag: null,
  commit: null,
  title: '',
  body: '',
  preface: '',
};

/** Edges of a document as `kind destination`. */
function edges(document: Partial<EdgeSource>, wikiSlugs: readonly string[] = []): string[] {
  return edgesOf({ ...ISSUE, ...document }, { wikiSlugs: new Set(wikiSlugs) }).map(({ kind, dst }) => `${kind} ${dst}`);
}

/** What an issue with this body refers to. */
function references(body: string): string[] {
  return edges({ body }).map((edge) => edge.replace(/^reference /, ''));
}

test.each<[string, Partial<EdgeSource>, string | undefined]>([
  ['issue', { type: 'issue', number: 7 }, '#7'],
  ['pull request', { type: 'pull_request', number: 7 }, '#7'],
  ['comment', { type: 'issue_comment', number: 7 }, '#7'],
  ['review', { type: 'pr_review', number: 7 }, '#7'],
  ['inline comment', { type: 'pr_review_comment', number: 7, path: 'a.ts', commit: SHA }, '#7'],
  ['doc', { type: 'doc', number: null, path: 'docs/a b.md' }, ':docs/a b.md'],
  ['wiki page', { type: 'wiki_doc', number: null, path: '2.-Plan' }, 'wiki/2.-Plan'],
  ['release', { type: 'release', number: null, tag: 'v1' }, 'release/v1'],
  ['diff', { type: 'diff', number: null, path: null, commit: SHA, preface: '#99' }, `@${SHA}`],
  ['document without identity', { number: null }, undefined],
])('the edges of a %s start at its node', (_, document, src) => {
  const found = edgesOf({ ...ISSUE, body: '#99', ...document }, { wikiSlugs: new Set() });
  expect(found).toEqual(src === undefined ? [] : [{ src, dst: '#99', kind: 'reference' }]);
});

test.each<[string, string[]]>([
  ['see #12, (#13) and "#14".', ['#12', '#13', '#14']],
  ['GH-12 but not gh-13, xGH-14, GH-15a, a/GH-16', ['#12']],
  ['#12 at the start, and # 13 is a heading', ['#12']],
  ['# 13', []],
  ['## About #13', ['#13']],
  ['*#12* **#13** ~~#14~~ _#15_', ['#12', '#13', '#14']],
  ['issue#12 #12abc #12_3 page.md#12 x/#12 ?id=#12 &#39; &#x27; ##12', []],
  ['\\#12', []],
  ['#0 #007 #2147483648 #99999999999999999999 #2147483647', ['#2147483647']],
  ['#12-introduction, v#1.5', []],
  ['#12-#15, #16/#17, #18. #19- #20: #21; #22!', ['#12', '#15', '#16', '#17', '#18', '#19', '#20', '#21', '#22']],
  ['課題#12を参照', ['#12']],
  ['é#12', []],
  ['#fff #a1b2c3d4 `color: #123`', []],
  ['color: #123456; background-color:#123; fill="#444444"', []],
  ['fixed in #123456', ['#123456']],
])('numbers: %s', (body, expected) => {
  expect(references(body)).toEqual([...expected].sort());
});

test.each<[string, string[]]>([
  ['acme/engine#12 ACME/Engine#13', ['#12', '#13']],
  ['other/Repo.js#12', ['other/Repo.js#12']],
  ['(other/repo#12)', ['other/repo#12']],
  ['other/repo alone', []],
  ['mona_acme/app#12 mona_acme/app@abc1234', ['mona_acme/app#12', 'mona_acme/app@abc1234']],
  ['mona_acme/app, a_b/c and a_b/c:12 alone', []],
  ['the_old_parser/rules#12 a__b/c#12 _a_b/c#12 a_/b#12 x/a_b/c#12 lib_a/x.md#12', []],
  ['a/b/c#12 ./a/b#12 @scope/pkg#12 me@host/x#12', []],
  ['docs/setup.md#12 site/index.html#3', []],
  ['other/repo#12abc other/repo#0', []],
  ['wiki/x#12 release/y#3', []],
  [`other/repo@abc1234 acme/engine@ABC1234`, ['@abc1234', 'other/repo@abc1234']],
  ['other/repo@v1.2.3 other/repo@deadbeef', []],
])('names of repositories: %s', (body, expected) => {
  expect(references(body)).toEqual(expected);
});

test.each<[string, string[]]>([
  ['abc1234 and DEADBEE5.', ['@abc1234', '@deadbee5']],
  [`${SHA} ${'1'.repeat(40)} ${'ab'.repeat(20)}`, [`@${SHA}`, `@${'1'.repeat(40)}`, `@${'ab'.repeat(20)}`]],
  ['defaced 1234567 abc123 x1abc234 abc1234_', []],
  [`${SHA}0`, []],
  ['550e8400-e29b-41d4-a716-446655440000', []],
  ['src/abc1234/x abc1234.js v1.abc1234 #abc1234 @abc1234 abc1234@example.com', []],
  ['abc1234..def5678 abc1234...fed8765', ['@abc1234', '@def5678', '@fed8765']],
])('commits: %s', (body, expected) => {
  expect(references(body)).toEqual([...expected].sort());
});

test.each<[string, string[]]>([
  ['https://github.com/acme/engine/issues/12#issuecomment-9', ['#12']],
  ['<https://github.com/Acme/Engine/pull/12/files?w=1>', ['#12']],
  ['http://www.github.com/other/repo/pull/12.', ['other/repo#12']],
  ['https://github.com/mona_acme/app/issues/12 https://github.com/a_b_c/app/issues/12', ['mona_acme/app#12']],
  ['https://github.com/acme/engine/issues/12を参照', ['#12']],
  ['https://github.com/acme/engine/issues/12a https://github.com/acme/engine/issues/0', []],
  [`https://github.com/acme/engine/commit/${SHA.toUpperCase()}`, [`@${SHA}`]],
  [`https://github.com/acme/engine/blob/main/docs/a%20b.md#L3`, [':docs/a b.md']],
  [`(https://github.com/other/repo/blob/${SHA}/x_(1).md)`, ['other/repo:x_(1).md']],
  ['https://github.com/acme/engine/releases/tag/v1%2F2', ['release/v1/2']],
  ['https://github.com/acme/engine/wiki/Big%20Plan', ['wiki/Big-Plan']],
  ['https://github.com/other/repo/wiki', ['other/repo/wiki/Home']],
  [
    'https://github.com/acme/engine https://github.com/acme/engine/issues https://github.com/acme/engine/tree/main/x',
    [],
  ],
  ['https://example.com/acme/engine/issues/12 https://example.com/a/b#12 https://example.com/abc1234', []],
  ['https://github.com.example.com/acme/engine/issues/12', []],
  ['https://github.com/acme/engine/blob/main/%ff.md', [':%ff.md']],
  ['https://github.com/acme/engine/blob/main/a%0Ab.md', []],
])('addresses: %s', (body, expected) => {
  expect(references(body)).toEqual(expected);
});

test.each<[string, string[]]>([
  ['[#12](https://example.com)', []],
  ['[#12](https://github.com/other/repo/issues/12)', ['other/repo#12']],
  ['[text #12](#12) and #13', ['#13']],
  [
    '[#12][it] [#13] [#14]\n\n[it]: https://github.com/other/repo/issues/5\n[#13]: <https://example.com>',
    ['#14', 'other/repo#5'],
  ],
  ['[unused]: https://github.com/other/repo/issues/5', []],
  ['[^1]: see #12', ['#12']],
  ['[a](not a link) #12 [#13] (#14)', ['#12', '#13', '#14']],
  ['<a href="https://github.com/other/repo/issues/12">#12</a> #13', ['#13', 'other/repo#12']],
  ['<img alt="#12" src=x> <span title="#13">#14</span>', ['#14']],
  ['[![#1](x.png)](https://github.com/other/repo/pull/2)', ['other/repo#2']],
])('links count by where they lead: %s', (body, expected) => {
  expect(references(body)).toEqual(expected);
});

test.each<[string, string[]]>([
  ['`#12` ``a ` #13`` #14', ['#14']],
  ['`#12 \n\n #13`', ['#12', '#13']],
  ['\\`#12`', ['#12']],
  ['- `#12\n- #13`', ['#12', '#13']],
  ['<code>#12</code> <kbd>#13</kbd> #14', ['#14']],
  ['```\n#12\n```\n#13', ['#13']],
  ['~~~ts\n#12\n```\n~~~~\n#13', ['#13']],
  ['```\n#12', []],
  ['- a\n  ```\n  #12\n  ```\n  #13', ['#13']],
  ['> ```\n> #12\n#13', ['#13']],
  ['text\n\n    #12\n\n    #13\n\n#14', ['#14']],
  ['text\n    #12', ['#12']],
  ['- a\n\n    #12\n\n        #13', ['#12']],
  ['<!-- #12 --> #13', ['#13']],
  ['<!--\nfixes #12\n\n#13 --> #14', ['#14']],
  ['<!-- #12', []],
  ['a <!-- #12\n\n#13', ['#12', '#13']],
  ['<pre>\n#12\n\n#13\n</pre>\n#14', ['#14']],
])('code and comments do not count: %j', (body, expected) => {
  expect(references(body)).toEqual(expected);
});

test('quotes count where they are not what another said', () => {
  const body = '> #12\n> #13\n\n#14\n- > #15';
  expect(references(body)).toEqual(['#14']);
  expect(references('> [!NOTE]\n> #12\n\n> #13')).toEqual(['#12']);
  expect(edges({ type: 'doc', path: 'a.md', body })).toHaveLength(4);
  expect(edges({ type: 'release', tag: 'v1', body })).toHaveLength(4);
});

test.each<[string, string[]]>([
  ['close #2 closes #3 closed #4', ['closes #2', 'closes #3', 'closes #4']],
  ['FIX #2, Fixes: #3 fixed:#4', ['closes #2', 'closes #3', 'closes #4']],
  ['resolve GH-2 resolves acme/engine#3 resolved other/repo#4', ['closes #2', 'closes #3', 'closes other/repo#4']],
  ['Fixes https://github.com/acme/engine/issues/2#issuecomment-1', ['closes #2']],
  ['fixes [it](https://github.com/acme/engine/issues/2) **Closes** #3', ['closes #2', 'closes #3']],
  ['fixes #2, #3', ['closes #2', 'reference #3']],
  ['fixes #2 as said in #2', ['closes #2']],
  ['#2: later fixes #2', ['closes #2']],
  [
    'prefix #2 fixing #3 fixes the #4 fixes\n#5 un-fixes #6 fixes#7',
    ['#2', '#3', '#4', '#5', '#6'].map((n) => `reference ${n}`),
  ],
  ['fixes abc1234 fixes `x` #2', ['reference #2', 'reference @abc1234']],
  ['fixes https://github.com/acme/engine/pull/2', ['reference #2']],
])('closing keywords: %j', (body, expected) => {
  expect(edges({ body })).toEqual(expected);
});

test('a diff touches its file and refers by its message, not by its patch', () => {
  const document = {
    type: 'diff',
    number: null,
    commit: SHA,
    path: 'src/x.ts',
    title: 'Fix #2',
    body: '+ see #9',
    preface: `Fix #2\n\n    #3\n\n> #4\nThis reverts ${'a1'.repeat(20)}. Not \`#5\`.`,
  } as const;
  expect(edges(document)).toEqual([
    'closes #2',
    'reference #3',
    'reference #4',
    `reference @${'a1'.repeat(20)}`,
    'touches :src/x.ts',
  ]);
});

test('titles count, as plain text', () => {
  expect(edges({ title: '> Follow-up to #12, `#13`', body: '#14' })).toEqual(['reference #12', 'reference #14']);
});

test('text files have no Markdown but code between backticks', () => {
  const body = '> #12\n\n    #13\n\n<!-- #14 --> ``#15`` [x](y.md)\n~~~~\n#16';
  expect(edges({ type: 'doc', path: 'a.rst', body })).toEqual(
    ['#12', '#13', '#14', '#16'].map((n) => `reference ${n}`),
  );
});

test('edges are sorted, distinct, never loops, and at most the first 500 in text order', () => {
  expect(edges({ number: 5, body: '#5 #3 #2 #3 fixes #5 fixes #9' })).toEqual([
    'closes #9',
    'reference #2',
    'reference #3',
  ]);
  const numbers = Array.from({ length: 600 }, (_, index) => 2000 - index);
  const found = references(numbers.map((n) => `#${String(n)}`).join(' '));
  expect(found).toHaveLength(500);
  expect(new Set(found)).toEqual(new Set(numbers.slice(0, 500).map((n) => `#${String(n)}`)));
  // Addresses, links and numbers share the limit in the order of the text.
  const body = numbers.map((n) => `#${String(n)} https://github.com/o/r/issues/${String(n)}`).join(' ');
  expect(references(body).filter((key) => key.startsWith('o/r#'))).toHaveLength(250);
});
