import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DOCUMENT_TYPE_NAMES } from '../../src/lib/corpus/document-types.ts';
import type { EdgeSource } from '../../src/lib/corpus/edge.ts';
import { isReference } from '../../src/lib/corpus/reference.ts';
import { edgesOf } from '../../src/lib/indexing/edges.ts';
import { NameMatcher } from '../../src/lib/indexing/name-matcher.ts';

const REPO = 'acme/engine';
const SLUGS = ['Home', 'a', 'a.a', '2.-Plan', '設計', `${'a.'.repeat(100)}b`];

const PIECES = [
  ...['#1', '#12', '#', 'GH-3', 'acme/engine#4', 'x/y#5', 'wiki/x#5', 'x/y@abc1234', 'abc1234', 'fixes ', 'closes: '],
  ...[
    'https://github.com/acme/engine/issues/6',
    'https://github.com/x/y/blob/main/a%20b',
    'https://',
    '/wiki/Home',
    '%00',
  ],
  ...[
    '[',
    ']',
    '(',
    ')',
    '![',
    '](',
    '](<',
    '[x]: y',
    '[[',
    ']]',
    '|',
    '<',
    '>',
    '"',
    "'",
    '\\',
    '../',
    './',
    '/',
    '?',
    'a.md',
  ],
  ...[
    '`',
    '``',
    '```',
    '~~~',
    '<!--',
    '-->',
    '<code>',
    '</code>',
    '<a href="b.md">',
    '</a>',
    '<pre>',
    '</pre>',
    '    ',
    '\t',
  ],
  ...[
    '\n',
    '\n\n',
    '\n> ',
    '\n- ',
    '\n1. ',
    '\n# ',
    ' ',
    'Home',
    'a.',
    '2.-Plan',
    '設計',
    'は',
    '\ud83d',
    '\0',
    '\u0301',
    '&',
    '-',
    '_',
  ],
];

const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
);
const document: fc.Arbitrary<EdgeSource> = fc.record({
  repo: fc.constant(REPO),
  type: fc.constantFrom(...DOCUMENT_TYPE_NAMES),
  number: fc.constantFrom(null, 1, 12),
  path: fc.constantFrom(null, 'a.md', 'b/a.md', 'Home', 'notes.txt'),
  tag: fc.constantFrom(null, 'v1'),
  commit: fc.constantFrom(null, 'abc1234', '0123456789abcdef0123456789abcdef01234567'),
  title: text,
  body: text,
  preface: text,
});

/** The canonical reference of a node; a commit by itself has none, so it stands here with a file. */
function canonical(key: string): string {
  const full = /^[#:@]/.test(key) ? REPO + key : /^(?:wiki|release)\//.test(key) ? `${REPO}/${key}` : key;
  return /@[0-9a-f]+$/.test(full) ? `${full}:x` : full;
}

test('whatever a document holds, its edges are canonical, distinct, sorted and no loops', () => {
  const wikiSlugs = new Set(SLUGS);
  fc.assert(
    fc.property(document, (given) => {
      const edges = edgesOf(given, { wikiSlugs });
      expect(edgesOf({ ...given }, { wikiSlugs: new Set([...SLUGS].reverse()) })).toEqual(edges);
      const keys = edges.map(({ kind, dst }) => `${kind} ${dst}`);
      expect(new Set(keys).size).toBe(keys.length);
      for (const [index, { src, dst, kind }] of edges.entries()) {
        const before = edges[index - 1];
        expect(before === undefined || before.kind < kind || (before.kind === kind && before.dst < dst)).toBe(true);
        expect(dst).not.toBe(src);
        expect(canonical(dst)).toSatisfy(isReference);
        expect(canonical(src)).toSatisfy(isReference);
      }
    }),
    { numRuns: 1500 },
  );
});

test('what is hidden in code adds no reference', () => {
  fc.assert(
    fc.property(text, (hidden) => {
      const inFence = `#77\n\n\`\`\`\`\`\n${hidden.replace(/`{5,}/g, '')}\n\`\`\`\`\`\n\n#78`;
      const edges = edgesOf(
        {
          repo: REPO,
          type: 'issue',
          number: 1,
          path: null,
          tag: null,
          commit: null,
          title: '',
          body: inFence,
          preface: '',
        },
        { wikiSlugs: new Set() },
      );
      expect(edges.map(({ dst }) => dst)).toEqual(['#77', '#78']);
    }),
  );
});

test('the matcher finds exactly the occurrences of its names', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 60 }),
      (names, searched) => {
        const found = [...new NameMatcher(names).occurrences(searched)].map(
          ({ start, name }) => `${String(start)} ${name}`,
        );
        const expected = [...new Set(names)].flatMap((name) =>
          Array.from({ length: searched.length }, (_, at) => at)
            .filter((at) => searched.startsWith(name, at))
            .map((at) => `${String(at)} ${name}`),
        );
        expect(found.sort()).toEqual(expected.sort());
      },
    ),
  );
});

/** CPU time of a run over a megabyte of one piece repeated, in milliseconds. */
function cost(type: 'wiki_doc' | 'doc' | 'issue', piece: string, length: number): number {
  const body = piece.repeat(Math.ceil(length / piece.length));
  const before = process.cpuUsage();
  edgesOf(
    { repo: REPO, type, number: 1, path: 'x.md', tag: null, commit: null, title: '', body, preface: '' },
    { wikiSlugs: new Set([...SLUGS, ...Array.from({ length: 300 }, (_, n) => `ADR-${String(n)}-decision`)]) },
  );
  return process.cpuUsage(before).user / 1000;
}

// What is quadratic takes minutes for a megabyte. The bound leaves room for a slow and busy machine.
test.each([
  '[](',
  '[a](b',
  '[a](b "',
  '[](<',
  '<a ',
  '<!-- ',
  '<code>',
  '`` ` ',
  'a/',
  'a.',
  'ADR-',
  '- ',
  '> ',
  '((',
  '[[',
  '\\',
  '#1/',
])('a megabyte of %j takes linear time', (piece) => {
  expect(cost('wiki_doc', piece, 1_000_000)).toBeLessThan(4000);
});
