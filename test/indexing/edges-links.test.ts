import { expect, test } from 'vitest';
import { edgesOf } from '../../src/lib/indexing/edges.ts';

const REPO = 'acme/engine';
const NOTHING = { number: null, tag: null, commit: null, title: '', preface: '' };

function docEdges(path: string, body: string): string[] {
  const found = edgesOf({ ...NOTHING, repo: REPO, type: 'doc', path, body }, { wikiSlugs: new Set(['Home']) });
  return found.map(({ kind, dst }) => `${kind} ${dst}`);
}

function wikiEdges(body: string, slugs: readonly string[], path = 'Here'): string[] {
  const wikiSlugs = new Set([...slugs, path]);
  const found = edgesOf({ ...NOTHING, repo: REPO, type: 'wiki_doc', path, body }, { wikiSlugs });
  return found.map(({ kind, dst }) => `${kind} ${dst}`);
}

test.each<[string, string[]]>([
  ['[a](b.md)', ['link :docs/guide/b.md']],
  ['[a](./b.md#part) [b](../c.md?plain=1) [c](/d.md)', ['link :d.md', 'link :docs/c.md', 'link :docs/guide/b.md']],
  [
    '[a](b%20c.md) [b](<d e.md>) [c](f\\_g.md "title")',
    ['link :docs/guide/b c.md', 'link :docs/guide/d e.md', 'link :docs/guide/f_g.md'],
  ],
  [
    '![x](img/a.png) [![y](b.svg)](c.md)',
    ['link :docs/guide/b.svg', 'link :docs/guide/c.md', 'link :docs/guide/img/a.png'],
  ],
  [
    '[a][x] [Y  z][] [w]\n\n[x]: b.md\n[y z]: <c.md> "t"\n[w]: d.md\n[x]: no.md',
    ['b', 'c', 'd'].map((n) => `link :docs/guide/${n}.md`),
  ],
  ['<a href="b.md">b</a>', ['link :docs/guide/b.md']],
  ['[a](x_(1).md)', ['link :docs/guide/x_(1).md']],
  ['[a]((((((((((deep))))))))))', []],
  ['[a](../../../out.md) [b](/../out.md) [c](../../../../issues/12)', ['reference #12']],
  ['[a](#part) [b]() [c](mailto:x@y.z) [d](https://example.com/x.md) [e](//host/x.md) [f](../) [g](/) [h](.)', []],
  ['[self](guide.md) [self](./guide.md#x)', []],
  ['`[a](b.md)`\n\n```\n[a](b.md)\n```\n\\[a](b.md) [a](b c.md)', []],
  ['Home [[Home]] Home.md', []],
])('links of a file: %j', (body, expected) => {
  expect(docEdges('docs/guide/guide.md', body)).toEqual(expected);
});

test('only files have links to files', () => {
  const issue = { ...NOTHING, repo: REPO, type: 'issue', number: 1, path: null, body: '[a](b.md)' } as const;
  expect(edgesOf(issue, { wikiSlugs: new Set() })).toEqual([]);
});

test.each<[string, string[], string[]]>([
  ['see 2.-Plan and Decision-Log.', ['2.-Plan', 'Decision-Log'], ['2.-Plan', 'Decision-Log']],
  ['x2.-Plan 2.-Plans 2.-Plan-B 2.-Plan_b -2.-Plan 12.-Plan 2.-Plan9 é2.-Plan', ['2.-Plan'], []],
  ['docs/A.-Idea.md (A.-Idea)', ['A.-Idea'], ['A.-Idea']],
  ['詳細は2.-Planを参照', ['2.-Plan'], ['2.-Plan']],
  ['設計を、設計書を', ['設計'], []],
  ['「設計」とAPI設計', ['設計'], ['設計']],
  ['home HOME', ['Home'], []],
  ['Home is where it starts', ['Home'], ['Home']],
  ['`A.-Idea` counts', ['A.-Idea'], ['A.-Idea']],
  ['```\nA.-Idea\n```\n<!-- A.-Idea --> <b title="A.-Idea">', ['A.-Idea'], []],
  ['> A.-Idea', ['A.-Idea'], ['A.-Idea']],
  ['https://example.com/Home [x](https://example.com/Home) `https://example.com/Home`', ['Home'], []],
  ['API.v2 and API', ['API', 'API.v2'], ['API', 'API.v2']],
  ['API.v2', ['API', 'API.v2', 'v2'], ['API.v2']],
  ['a.* and b', ['.*', 'a.*', '(', '[x'], ['a.*']],
  ['Foo-(bar) Foo-(bar)s', ['Foo-(bar)'], ['Foo-(bar)']],
  ['Here', [], []],
])('a wiki page names others: %s', (body, slugs, expected) => {
  expect(wikiEdges(body, slugs)).toEqual(expected.map((slug) => `mention wiki/${slug}`).sort());
});

test.each<[string, string[]]>([
  ['[x](Next) [y](./Big%20Plan#part) [z](Old.md)', ['mention wiki/Big-Plan', 'mention wiki/Next', 'mention wiki/Old']],
  ['[[Big Plan]] [[text|Next]] [[Third#part]]', ['mention wiki/Big-Plan', 'mention wiki/Next', 'mention wiki/Third']],
  [
    '[x](wiki/Next) [y](../wiki/Third) [z](/acme/engine/wiki/Fourth)',
    ['Fourth', 'Next', 'Third'].map((n) => `mention wiki/${n}`),
  ],
  ['https://github.com/acme/engine/wiki/Next', ['mention wiki/Next']],
  ['https://github.com/other/repo/wiki/Next', ['reference other/repo/wiki/Next']],
  ['[x](../issues/12) [y](../blob/main/a.md)', ['reference #12', 'reference :a.md']],
  ['[[https://github.com/other/repo/issues/3]] [[1]](https://example.com)', ['reference other/repo#3']],
  ['![x](a.png) [y](b.png) [z](dir/Page) [[c.png]] [[Here]] `[[Code]]` [w](#top)', []],
])('a wiki page links to others, known or not: %s', (body, expected) => {
  expect(wikiEdges(body, [])).toEqual(expected);
});

test('a page whose name ends like a file is that page', () => {
  expect(wikiEdges('[x](Notes.md) [[icon.png]]', ['Notes.md', 'icon.png'])).toEqual([
    'mention wiki/Notes.md',
    'mention wiki/icon.png',
  ]);
});
