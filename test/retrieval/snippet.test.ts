import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePointLength, normalizeText } from '../../src/lib/core/text.ts';
import { anyOf, buildFtsQuery } from '../../src/lib/retrieval/fts-query.ts';
import { markSnippet, type Snippet, snippetOf } from '../../src/lib/retrieval/snippet.ts';
import { codeMatches, proseMatches, snippetTerms } from '../../src/lib/retrieval/snippet-matches.ts';
import { FullText, type IndexName } from '../support/full-text.ts';

const LENGTH = 240;

function snippet(passage: string, query: string, index: IndexName = 'nat', length = LENGTH): Snippet {
  return snippetOf(passage, snippetTerms(query), { index, length });
}

function marked(passage: string, query: string, index: IndexName = 'nat', length = LENGTH): string {
  return markSnippet(snippet(passage, query, index, length));
}

const filler = (words: number): string =>
  Array.from({ length: words }, (_, index) => `filler${String(index)}`).join(' ');

describe('matches', () => {
  it.each([
    ['caching', 'We cached it; the CACHES grow.', 'We «cached» it; the «CACHES» grow.'],
    ['naive', 'A Naïve approach, nai\u0308vely', 'A «Naïve» approach, «nai\u0308vely»'],
    ['foo_bar', 'call foo_bar(foo), Foo::Bar', 'call «foo_bar»(«foo»), «Foo::Bar»'],
    ['v1.2.3', 'since v1.2.3, not v1 or 2', 'since «v1.2.3», not «v1» or 2'],
    ['why did we drop the cache', 'Why we did drop the old cache', 'Why we did «drop» the old «cache»'],
    ['what is this', 'What it is', '«What» it «is»'],
    ['9f3c1de', 'in 9f3c1de7a4b05c6d, not 9f3c1d', 'in «9f3c1de7a4b05c6d», not 9f3c1d'],
    ['"old cache"', 'an old cache, an old new cache', 'an «old cache», an «old» new «cache»'],
    ['検索結果', '新しい検索結果を表示', '新しい«検索結果»を表示'],
    ['Ёлка', 'ёлка, елка', '«ёлка», елка'],
    ['nothing', 'here is none', 'here is none'],
  ])('in prose: %s', (query, passage, expected) => {
    expect(marked(passage, query)).toBe(expected);
  });

  it.each([
    ['a::b', 'use A::B; a:b', 'use «A::B»; a:b'],
    ['cache', '+ dropCache(caches)', '+ drop«Cache»(«cache»s)'],
    ['src/x.ts', '--- a/src/x.ts\n+++ b/src/y.ts', '--- a/«src/x.ts» +++ b/«src»/y.ts'],
    ['aaa', 'aaaaaaa', '«aaaaaa»a'],
    ['検索結果を', '// 検索結果です', '// «検索結果»です'],
    ['ΣΊΣΥΦΟΣ', 'const σίσυφος = 1', 'const «σίσυφος» = 1'],
  ])('in code: %s', (query, passage, expected) => {
    expect(marked(passage, query, 'code')).toBe(expected);
  });

  const piece = fc.constantFrom(
    ...[
      'cache',
      'Caching',
      'foo_bar',
      'foo',
      'bar',
      'a::b',
      'x.ts',
      'v1.2.3',
      '9f3c1de7',
      '9f3c1de',
      'queries',
      'the',
      'why',
      '検索結果',
      '順位',
    ],
    ...[
      'É',
      'é',
      'e\u0301',
      'İ',
      'ẞ',
      '\u0345',
      '"',
      '(',
      ',',
      ' ',
      ' ',
      '\n',
      '\u200B',
      '\uD800',
      '👩‍👩‍👧',
      'हिन्दी',
      '한국어',
    ],
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

  it('are there exactly where the index has one', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 40, maxLength: 40 }),
        fc.array(text, { minLength: 10, maxLength: 10 }),
        (bodies, queries) => {
          const passages = bodies.map((body) => normalizeText(body));
          const table = new FullText().add(passages.map((body) => ({ body })));
          for (const query of queries) {
            const fts = buildFtsQuery(query);
            const terms = snippetTerms(query);
            if (fts.code !== null) {
              const found = passages.flatMap((body, at) => (codeMatches(body, terms).length > 0 ? [at + 1] : []));
              expect(found).toEqual(table.match('code', anyOf(fts.code.relaxed)));
            }
            if (fts.nat === null) continue;
            const found = passages.flatMap((body, at) => (proseMatches(body, terms).length > 0 ? [at + 1] : []));
            // Function words are searched for, but not shown.
            const strict = table.match('nat', fts.nat.strict);
            const relaxed = table.match('nat', anyOf(fts.nat.relaxed));
            expect(found).toEqual(expect.arrayContaining(strict));
            expect(relaxed).toEqual(expect.arrayContaining(found));
          }
          table.close();
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe('snippets', () => {
  it('show the whole of a short passage in one line', () => {
    expect(snippet(' one\n\n\ttwo  three \r\n', 'two')).toEqual({ text: 'one two three', matches: [[4, 7]] });
    expect(snippet(' \n ', 'two')).toEqual({ text: '', matches: [] });
    expect(snippet('', 'two')).toEqual({ text: '', matches: [] });
  });

  it('begin with the passage where nothing matches', () => {
    const { text, matches } = snippet(`${' '.repeat(5_000)}${filler(200)}`, 'absent');
    expect(text).toMatch(/^filler0 filler1 .*filler\d+…$/);
    expect(matches).toEqual([]);
  });

  it('show the densest cluster: most different terms, then most matches, then the first', () => {
    const passage = `alpha alpha alpha ${filler(100)} alpha beta ${filler(100)} beta gamma alpha ${filler(100)} gamma beta alpha`;
    const { text } = snippet(passage, 'alpha beta gamma');
    expect(text).toMatch(/^….* beta gamma alpha filler.*…$/);
    expect(text).toContain('filler99 beta');
    expect(marked(`alpha ${filler(100)} alpha alpha ${filler(9)}`, 'alpha')).toContain('«alpha» «alpha» filler0');
  });

  it('are cut at spaces', () => {
    const { text } = snippet(`${filler(100)} needle ${filler(100)}`, 'needle');
    expect(text).toMatch(/^…filler\d+ .* needle .* filler\d+…$/);
    expect(codePointLength(text)).toBeLessThanOrEqual(LENGTH + 2);
    expect(codePointLength(text)).toBeGreaterThan(LENGTH - 40);
  });

  it('are cut between words where there are no spaces, and between graphemes where there are no words', () => {
    const { text } = snippet('結果の順位を変える。'.repeat(100), '結果', 'nat', 24);
    expect(text).toBe('結果の順位を変える。結果の順位を変える。結果の…');
    const family = '👩‍👩‍👧';
    const faces = snippet(`${family.repeat(100)}needle${family.repeat(100)}`, 'needle').text;
    expect(faces.replaceAll(family, '')).toBe('…needle…');
  });

  it('hold a match that is longer than they are', () => {
    const long = 'x'.repeat(400);
    const { text, matches } = snippet(`${filler(50)} ${long} ${filler(50)}`, long);
    expect(matches).toHaveLength(1);
    expect(codePointLength(text)).toBeLessThanOrEqual(2 * LENGTH + 2);
  });

  it('see through wide white space', () => {
    const indented = Array.from({ length: 40 }, (_, index) => `${' '.repeat(40)}line${String(index)}`).join('\n');
    expect(codePointLength(snippet(indented, 'line20').text)).toBeGreaterThan(100);
  });

  it('hold nothing invisible and nothing that controls a terminal', () => {
    expect(marked('a\u001B[31m red\u202E needle\u0007\u200B b\u2028c\u0000', 'needle')).toBe('a[31m red «needle» b c');
  });

  it('are sound for any passage and query', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'needle',
        'Needles',
        'foo_bar',
        '検索結果',
        'ภาษาไทย',
        ' ',
        '  ',
        '\n',
        '«',
        '»',
        '👩‍👩‍👧',
        'e\u0301\u0302',
        '🇩🇪',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 120 }).map((words) => normalizeText(words.join(''))),
        fc.constantFrom('needle', 'foo_bar 検索結果', 'absent', 'ภาษาไทย foo'),
        fc.constantFrom('nat' as const, 'code' as const),
        fc.integer({ min: 1, max: 60 }),
        (passage, query, index, length) => {
          const { text, matches } = snippet(passage, query, index, length);
          expect(normalizeText(text)).toBe(text);
          expect(text).not.toMatch(/\s\s|[\n\t]|^\s|\s$/);
          expect(codePointLength(text)).toBeLessThanOrEqual(2 * length + 2);
          let end = 0;
          for (const [start, to] of matches) {
            expect(start).toBeGreaterThanOrEqual(end);
            expect(to).toBeGreaterThan(start);
            end = to;
          }
          expect(end).toBeLessThanOrEqual(text.length);
          const found =
            index === 'nat' ? proseMatches(passage, snippetTerms(query)) : codeMatches(passage, snippetTerms(query));
          expect(matches.length > 0).toBe(found.length > 0);
          const whole = Array.from(
            graphemes.segment(snippet(passage, 'absent', 'nat', 100_000).text),
            ({ segment }) => segment,
          );
          const shown = Array.from(graphemes.segment(text.replace(/^…|…$/g, '')), ({ segment }) => segment);
          if (shown.length > 2) expect(whole).toEqual(expect.arrayContaining(shown));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('marks', () => {
  it('cannot be forged by the text', () => {
    expect(marked('«forged» needle » «', 'needle')).toBe('‹forged› «needle» › ‹');
    expect(markSnippet({ text: 'a[b]c', matches: [[0, 1]] }, '[', ']')).toBe('[a] b c');
    expect(markSnippet({ text: '«a» b', matches: [[4, 5]] }, '', '')).toBe('«a» b');
  });
});

describe('time', () => {
  const inputs: [name: string, passage: string, query: string, index: IndexName][] = [
    [
      'prose',
      'The cached query of foo_bar was relational and caching it did nothing. '.repeat(1400),
      'caching foo_bar query',
      'nat',
    ],
    [
      'distinct words',
      Array.from({ length: 16_000 }, (_, index) => `w${index.toString(36)}`).join(' '),
      'w1 w2 w3',
      'nat',
    ],
    ['substrings', 'if (a::b == x.ts) return fooBar(cache);\n'.repeat(2500), 'a::b x.ts foobar cache', 'code'],
    [
      'one letter',
      'a'.repeat(100_000),
      Array.from({ length: 40 }, (_, index) => `${'a'.repeat(80 + index)}b`).join(' '),
      'code',
    ],
    ['only matches', 'aaa'.repeat(33_333), 'aaa', 'code'],
    ['white space', ' '.repeat(100_000), 'aaa', 'code'],
    ['marks', `e${'\u0301'.repeat(99_999)}`, 'e', 'nat'],
    ['capitals', 'ΣΊΣΥΦΟΣ '.repeat(12_500), 'σίσυφος', 'code'],
  ];

  it.each(inputs)('is linear in the passage: %s', (_, passage, query, index) => {
    const terms = snippetTerms(query);
    const times = Array.from({ length: 3 }, () => {
      const started = process.cpuUsage();
      expect(snippetOf(passage, terms, { index }).text.length).toBeLessThan(1200);
      return process.cpuUsage(started).user / 1000;
    });
    // A bound against quadratic behaviour; it takes less than 20 ms of processor time.
    expect(Math.min(...times)).toBeLessThan(500);
  });
});
