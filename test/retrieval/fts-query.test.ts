import { afterAll, describe, expect, it } from 'vitest';
import { anyOf, buildFtsQuery, type IndexQuery } from '../../src/lib/retrieval/fts-query.ts';
import { MAX_RELAXED_UNITS, MAX_STRICT_UNITS } from '../../src/lib/retrieval/query-units.ts';
import { FullText, type IndexName, type Passage } from '../support/full-text.ts';

const SHA = '9f3c1de7a4b05c6d8e2f10a9b8c7d6e5f4a3b2c1';

const table = new FullText();
afterAll(() => {
  table.close();
});

function search(
  passages: readonly Passage[],
  query: string,
  index: IndexName = 'nat',
): { strict: number[]; relaxed: number[] } {
  const filled = new FullText().add(passages);
  const asked = buildFtsQuery(query)[index];
  const found = {
    strict: asked === null ? [] : filled.match(index, asked.strict),
    relaxed: asked === null ? [] : filled.match(index, anyOf([...asked.relaxed, ...asked.functionWords])),
  };
  filled.close();
  return found;
}

function asked(query: string, index: IndexName): IndexQuery {
  const result = buildFtsQuery(query)[index];
  if (result === null) throw new Error(`nothing asked of ${index}`);
  return result;
}

const matchesOf = (query: string, index: IndexName): string[] => asked(query, index).relaxed.map(({ match }) => match);

describe('expressions', () => {
  it('asks for every word, then for any', () => {
    expect(buildFtsQuery('Cached queries')).toEqual({
      nat: {
        strict: '("Cached" "queries") OR "Cachedqueries"',
        relaxed: [
          { match: '"Cached"', term: 'cach' },
          { match: '"queries"', term: 'queri' },
        ],
        functionWords: [],
      },
      code: {
        strict: '"Cached" "queries"',
        relaxed: [
          { match: '"Cached"', term: 'ach' },
          { match: '"queries"', term: 'que' },
        ],
        functionWords: [],
      },
    });
  });

  it('keeps an identifier whole, and takes it apart in the relaxed tier', () => {
    expect(asked('foo_bar', 'nat').strict).toBe('"foo bar"');
    expect(asked('foo_bar', 'nat').relaxed).toEqual([
      { match: '"foo bar"', term: null },
      { match: '"foo"', term: 'foo' },
      { match: '"bar"', term: 'bar' },
    ]);
    expect(matchesOf('src/lib/x.ts', 'code')).toEqual(['"src/lib/x.ts"', '"src"', '"lib"']);
    expect(matchesOf('v1.2.3', 'nat')).toEqual(['"v1 2 3"', '"v1"']);
    expect(matchesOf('parseHTTPRequest v2', 'nat')).toEqual(['"parseHTTPRequest"', '"v2"', '"parse HTTP Request"']);
  });

  it('takes quotes for a phrase and an open quote for punctuation', () => {
    expect(asked('"cannot find module" x', 'nat').strict).toBe('"cannot find module" "x"');
    expect(asked('"the"', 'nat').strict).toBe('"the"');
    expect(asked('say "hello world', 'nat').strict).toBe('("say" "hello" "world") OR "sayhelloworld"');
    expect(asked('a"b c"d', 'code').relaxed.map(({ match }) => match)).toEqual(['"a""b"', '"c""d"']);
  });

  it('counts a unit once, whatever its form', () => {
    expect(asked('v2 cache Caches cached', 'nat').strict).toBe('"v2" "cache"');
    expect(asked('Cache cache CACHE', 'code').strict).toBe('"Cache"');
  });

  it('leaves function words out while other words remain, and keeps those of prose for the last', () => {
    const query = "why did we drop the v1 cache when it didn't work";
    expect(asked(query, 'nat').strict).toBe('"drop" "v1" "cache" "work"');
    expect(matchesOf(query, 'nat')).toEqual(['"drop"', '"v1"', '"cache"', '"work"']);
    expect(asked(query, 'nat').functionWords.map(({ match }) => match)).toContain('"the"');
    expect(asked(query, 'code').functionWords).toEqual([]);
    expect(matchesOf(query, 'code')).toEqual(['"drop"', '"cache"', '"work"']);
    expect(asked('what is this?', 'nat').strict).toBe('("what" "is" "this") OR "whatisthis"');
    expect(asked('what is this', 'code').strict).toBe('"what" "this"');
    expect(asked('検索の順位', 'nat').strict).toBe('"検索" "順位"');
  });

  it('has nothing to ask for without a token, and nothing of code under three characters', () => {
    for (const text of ['', ' \n', '"', '""', '!?', '( ) * ^ :', '\0', '\uD800', '…', '\u0301', '👩‍👩‍👧']) {
      expect(buildFtsQuery(text)).toEqual({ nat: null, code: null });
    }
    expect(buildFtsQuery('v1 ab')).toMatchObject({ nat: { strict: '"v1" "ab"' }, code: null });
  });

  it('keeps the longest units of a long query, in its order', () => {
    const words = Array.from({ length: 600 }, (_, index) => `w${'x'.repeat(index % 60)}${String(index)}`);
    const { strict, relaxed } = asked(words.join(' '), 'nat');
    const kept = strict.split(' ').map((match) => match.slice(1, -1));
    expect(kept).toHaveLength(MAX_STRICT_UNITS);
    expect(relaxed).toHaveLength(MAX_RELAXED_UNITS);
    expect(kept).toEqual(words.filter((word) => kept.includes(word)));
    const shortest = Math.min(...kept.map((word) => word.length));
    expect(words.filter((word) => word.length > shortest).every((word) => kept.includes(word))).toBe(true);
    expect(buildFtsQuery(words.join(' '))).toEqual(buildFtsQuery(words.join(' ')));
  });

  it('names terms that the vocabularies hold', () => {
    const text = 'Naïvely cached ΣΊΣΥΦΟΣ Ёлка 検索 İstanbul über_graph x::y abcdeyying';
    const filled = new FullText().add([{ body: text }]);
    for (const index of ['nat', 'code'] as const) {
      for (const { term } of asked(text, index).relaxed)
        if (term !== null) expect(filled.passagesWith(index, term)).toBe(1);
    }
    filled.close();
    expect(asked(text, 'nat').relaxed.filter(({ term }) => term === null)).toHaveLength(2);
  });

  it('bounds the passages of a substring by those of its trigram', () => {
    const passages = ['the cache', 'the cabbage', 'a jacket', 'acheron'].map((body) => ({ body }));
    const filled = new FullText().add(passages);
    for (const { match, term } of asked('cache acheron jacket', 'code').relaxed) {
      expect(filled.passagesWith('code', term ?? '')).toBeGreaterThanOrEqual(filled.match('code', match).length);
    }
    filled.close();
  });
});

describe('what is found', () => {
  it.each([
    ['foo_bar', 'call foo_bar() here'],
    ['a::b', 'use a::b;'],
    ['file.ts', 'in file.ts:12'],
    ['path/to/x.ts', 'see ./path/to/x.ts'],
    ['E0308', 'error[E0308]: mismatched types'],
    ['SQLITE_BUSY', 'SqliteError: SQLITE_BUSY: database is locked'],
    ['0x80070005', 'failed with 0x80070005'],
    ['v1.2.3', 'released v1.2.3-rc.1'],
    ['#123', 'fixes #123'],
    ['acme/app#123', 'see acme/app#123.'],
    ['"database is locked"', 'SqliteError: database is locked'],
    ["Cannot read property 'x' of null", "TypeError: Cannot read property 'x' of null"],
    ['https://example.org/a?b=c#d', 'at <https://example.org/a?b=c#d>'],
    ['--no-cache', 'run with --no-cache'],
    ['NEAR(title, 2)', 'NEAR(title, 2)'],
    ['retry budget', 'class RetryBudget {}'],
    ['http status code', 'the getter httpStatusCode'],
    ['検索結果', '新しい検索結果を表示する'],
    ['順位を変える', '結果の順位を変える理由'],
  ])('%s', (query, body) => {
    const others = [{ body: 'nothing of it' }, { title: 'foo', body: 'bar b a to path' }];
    expect(search([{ body }, ...others], query).strict).toEqual([1]);
    const code = search([{ body }, ...others], query, 'code');
    if (code.strict.length > 0) expect(code.strict).toEqual([1]);
    else expect(buildFtsQuery(query).code).toSatisfy((part) => part === null || code.relaxed.includes(1));
  });

  it('is a commit by any prefix of its id, in both indexes', () => {
    const passages = [{ reference: `acme/app@${SHA}`, body: 'x' }, { body: '9f3c1df' }];
    for (let length = 7; length <= 40; length += 1) {
      expect(search(passages, SHA.slice(0, length).toUpperCase()).strict, String(length)).toEqual([1]);
      expect(search(passages, SHA.slice(0, length), 'code').strict).toEqual([1]);
    }
    // The stemmer takes off an end like this one.
    const stemmed = `${SHA.slice(0, 35)}baced`;
    for (let length = 7; length <= 40; length += 1) {
      expect(search([{ body: stemmed }], stemmed.slice(0, length)).strict).toEqual([1]);
    }
  });

  it('is never the column, operator or prefix that a query looks like', () => {
    const passages = [
      { title: 'foo', body: 'zero' },
      { title: 'zero', body: 'title foo' },
      { body: 'foo bar' },
      { body: 'food not bar' },
    ];
    expect(search(passages, 'title:foo').strict).toEqual([2]);
    expect(search(passages, 'title : foo').strict).toEqual([2]);
    expect(search(passages, 'foo NOT bar').strict).toEqual([]);
    expect(search(passages, 'food NOT bar').strict).toEqual([4]);
    expect(search(passages, 'foo*').strict).toEqual([1, 2, 3]);
    expect(search(passages, '^bar').strict).toEqual([3, 4]);
    expect(search(passages, 'foo -bar').strict).toEqual([3]);
    expect(search(passages, '{title}: foo OR zero').strict).toEqual([2]);
  });

  it('is the relaxed rest of a long question', () => {
    const passages = [{ body: 'We drop the v1 cache' }, { body: 'the old cache' }, { body: 'unrelated' }];
    const found = search(passages, 'why did we drop the v1 cache');
    expect(found.strict).toEqual([1]);
    expect(found.relaxed).toEqual([1, 2]);
  });

  it('is part of a run without spaces in code, by its trigrams', () => {
    expect(search([{ body: '// 検索結果の順位' }, { body: '// 順位' }], '検索結果を改善', 'code')).toEqual({
      strict: [],
      relaxed: [1],
    });
  });
});

describe('bounds', () => {
  const inputs = {
    'one word': 'x'.repeat(100_000),
    'one identifier': 'ab_'.repeat(33_333),
    'one phrase': `"${'lorem ipsum '.repeat(8_333)}"`,
    quotes: '"'.repeat(100_000),
    'quoted letters': '"a '.repeat(33_333),
    operators: 'NEAR('.repeat(20_000),
    'distinct words': Array.from({ length: 20_000 }, (_, index) => index.toString(36)).join(' '),
    ideographs: '検索結果の順位を変える'.repeat(9_000),
    emoji: '👩‍👩‍👧'.repeat(12_000),
    NULs: '\0'.repeat(100_000),
    'half surrogates': '\uDC00\uD800x'.repeat(33_333),
    marks: `a${'\u0301'.repeat(99_999)}`,
  };

  it.each(Object.entries(inputs))('100,000 characters: %s', (_, text) => {
    const started = performance.now();
    const { nat, code } = buildFtsQuery(text);
    for (const [index, query] of [
      ['nat', nat],
      ['code', code],
    ] as const) {
      if (query === null) continue;
      expect(query.relaxed.length).toBeLessThanOrEqual(MAX_RELAXED_UNITS);
      expect(query.strict.length).toBeLessThanOrEqual(text.length + 3 * MAX_STRICT_UNITS);
      table.match(index, query.strict);
      table.match(index, anyOf([...query.relaxed, ...query.functionWords]));
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
