import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/lib/indexing/segment.ts';
import { foldCase, foldToken, stemOf, vocabularyKey } from '../../src/lib/indexing/vocabulary.ts';
import { FullText, type IndexName } from '../support/full-text.ts';

/** Code points without case or diacritics that fill most of a plane: ideographs, Hangul, private use, cuneiform. */
const SKIPPED = [0x3400, 0xa000, 0xac00, 0xf900, 0x11a00, 0x16800, 0x17000, 0x1d000, 0x1f000, 0x20000];

/** The other code points of the two planes that hold letters with case, in blocks that one passage each takes. */
function blocksOfCodePoints(): string[][] {
  const characters: string[] = [];
  for (let codePoint = 0x80; codePoint < 0x20000; codePoint += 1) {
    const skipped = SKIPPED.filter((bound) => bound <= codePoint).length % 2 === 1;
    if (!skipped) characters.push(String.fromCodePoint(codePoint));
  }
  const blocks: string[][] = [];
  for (let first = 0; first < characters.length; first += 0x1000) blocks.push(characters.slice(first, first + 0x1000));
  return blocks;
}

function tokensOf(index: IndexName, text: string): string[] {
  const table = new FullText().add([{ body: text }], [index]);
  const tokens = table.tokens(index, 1);
  table.close();
  return tokens;
}

describe('folding', () => {
  it('of tokens is that of unicode61, for every code point', () => {
    for (const block of blocksOfCodePoints()) {
      const body = block.map((character) => `Q${character}Q`).join(' ');
      const keys = wordsOf(body).map((word) => vocabularyKey(word.text));
      expect(keys.join(' ')).toBe(tokensOf('nat', body).join(' '));
    }
  });

  it('of substrings is that of the trigram tokenizer, for every code point, and keeps every length', () => {
    for (const block of blocksOfCodePoints()) {
      const body = block.map((character) => `Q${character}Q`).join('');
      const folded = foldCase(body);
      expect(folded.length).toBe(body.length);
      const characters = Array.from(folded);
      const trigrams = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
      expect(trigrams.join('\n')).toBe(tokensOf('code', body).join('\n'));
    }
  });

  it('takes diacritics off Latin letters, whole or decomposed, and off no others', () => {
    expect(foldToken('Žluťoučký')).toBe('zlutoucky');
    expect(foldToken('Zˇlu\u0301'.normalize('NFD'))).toBe('zˇlu');
    expect(foldToken('Άλφα')).toBe('άλφα');
    expect(foldToken('Ёлка')).toBe('ёлка');
    expect(foldToken('ΣΊΣΥΦΟΣ')).toBe('σίσυφοσ');
  });
});

describe('stemming', () => {
  const suffixes =
    'ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti logi ' +
    'icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize ' +
    's es ies sses eed ed ing at bl iz y yy e ll l ss tt nn zz';
  const letter = fc.constantFrom(...'aeiouybcdfghklmnprstvwxz0157AEŽéßđжДёσΣάاקक한ꁁ𝒜𐐀');
  const token = fc
    .tuple(
      fc.array(letter, { maxLength: 6 }),
      fc.array(fc.constantFrom(...suffixes.split(' ')), { maxLength: 4 }),
      fc.integer({ min: 1, max: 12 }),
    )
    .map(([letters, ends, times]) => (letters.join('') + ends.join('')).repeat(times > 9 ? times : 1))
    .filter((text) => text !== '');

  it('is that of FTS5 for random tokens', () => {
    fc.assert(
      fc.property(fc.array(token, { minLength: 400, maxLength: 400 }), (tokens) => {
        const body = tokens.join(' ');
        expect(wordsOf(body).map((word) => vocabularyKey(word.text))).toEqual(tokensOf('nat', body));
      }),
      { numRuns: 20 },
    );
  });

  it('is that of FTS5 where the stemmer alone would differ', () => {
    const tokens = [
      'atoryying',
      'yying',
      'wwyyeds',
      'ϕing',
      'жading',
      'ßßing',
      'ꁁing',
      'x'.repeat(62) + 'ing',
      'жs',
      'es',
    ];
    expect(tokens.map(vocabularyKey)).toEqual(tokensOf('nat', tokens.join(' ')));
  });

  it('does what FTS5 does to words of prose', () => {
    expect(['Caching', 'caches', 'cached', 'relational', 'Naïvely', 'queries'].map(vocabularyKey)).toEqual([
      'cach',
      'cach',
      'cach',
      'relat',
      'naiv',
      'queri',
    ]);
  });

  it('replaces at most the last two characters of what it leaves', () => {
    fc.assert(
      fc.property(token, (text) => {
        const folded = foldToken(text);
        const key = stemOf(folded);
        expect(folded.startsWith(key.slice(0, Math.max(1, key.length - 2)))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
