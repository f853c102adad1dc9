import { stemmer } from 'stemmer';

/**
 * What FTS5 makes of a token, so that a word of a query or a passage can be compared with the index and looked up in its
 * vocabulary table. The rules were read out of SQLite 3.45.1; a test compares every code point, and random words, with
 * the SQLite in use.
 */

const ASCII = /^[\0-\x7F]*$/;

/** Latin blocks, the only ones whose letters lose their diacritics: Greek and Cyrillic keep theirs. */
const LATIN = '\\u00C0-\\u024F\\u1E00-\\u1EFF';
const ACCENTED = new RegExp(`[${LATIN}]`);
/** Letters of those blocks that keep their diacritic all the same. */
const KEEPS_DIACRITIC = /[\u01E0-\u01E3\u01EE\u01EF\u01FC-\u01FF]/;
const MARK = /^\p{M}+$/u;
/** Combining marks that are dropped when they follow a token character; others end the token. */
const DROPPED_MARKS = '\\u0300-\\u0304\\u0306-\\u030C\\u030F\\u0311\\u031B\\u0323-\\u0328\\u032D\\u032E\\u0330\\u0331';

/** Capitals that came into Unicode after SQLite's table, which leaves them as they are. */
const UNKNOWN_CAPITAL =
  /[\u037F\u0528-\u052F\u13A0-\u13F5\u1C89-\u1CBF\u2C2F\uA698-\uA69B\uA796-\uA79F\uA7AB-\uA7FF\u{10428}-\u{10FFFF}]/u;
/** Letters that are folded although they are no capitals. */
const FOLDED_VARIANTS: Readonly<Record<string, string>> = {
  µ: 'μ',
  ſ: 's',
  ς: 'σ',
  ϐ: 'β',
  ϑ: 'θ',
  ϕ: 'φ',
  ϖ: 'π',
  ϰ: 'κ',
  ϱ: 'ρ',
  ϵ: 'ε',
  ẛ: 'ṡ',
  '\u1FBE': 'ι',
  '\u0345': 'ι',
  // SQLite reads no noncharacters.
  '\uFFFE': '\uFFFD',
  '\uFFFF': '\uFFFD',
  // Its lower case is two characters; only its diacritic is taken off, in tokens.
  İ: 'İ',
};

const FOLDABLE_LETTER = '(?=[^\\0-\\x7F])[\\p{Changes_When_Casefolded}\\u1FBE\\uFFFE\\uFFFF]';
const FOLDABLE = new RegExp(`[A-Z]+|${FOLDABLE_LETTER}`, 'gu');
const FOLDABLE_IN_TOKEN = new RegExp(`[A-Z]+|[${LATIN}]|[${DROPPED_MARKS}]|${FOLDABLE_LETTER}`, 'gu');
const DROPPED = new RegExp(`[${DROPPED_MARKS}]`);

/** FTS5's porter leaves tokens alone that are shorter or longer than this, in UTF-8 bytes. */
const SHORTEST_STEMMED = 3;
const LONGEST_STEMMED = 64;

/** Folds case as the trigram tokenizer does. The length in UTF-16 units stays, so offsets hold in both texts. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.replace(FOLDABLE, (found) =>
    isAscii(found) ? found.toLowerCase() : remembered(found, caseFolded, foldLetter),
  );
}

/** Folds a token as unicode61 with remove_diacritics 2 does. */
export function foldToken(token: string): string {
  if (ASCII.test(token)) return token.toLowerCase();
  return token.replace(FOLDABLE_IN_TOKEN, (found) =>
    isAscii(found) ? found.toLowerCase() : remembered(found, tokenFolded, withoutDiacritics),
  );
}

/** The key of a token in the vocabulary of the prose index: folded, then stemmed as FTS5's porter does. */
export function vocabularyKey(token: string): string {
  return stemOf(foldToken(token));
}

/** Stems a folded token. A stem that ends within a character, as FTS5 makes of a few, ends in U+FFFD. */
export function stemOf(folded: string): string {
  if (ASCII.test(folded)) return folded.length > LONGEST_STEMMED ? folded : porter(folded);
  // No rule applies to an end that is not ASCII.
  if (folded.charCodeAt(folded.length - 1) > 0x7f) return folded;
  const bytes = new TextEncoder().encode(folded);
  if (bytes.length > LONGEST_STEMMED) return folded;
  // FTS5 stems bytes and takes those beyond ASCII for consonants: each becomes a character without case, and goes back.
  const stem = porter(Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0x4e00 + byte)).join(''));
  return new TextDecoder().decode(Uint8Array.from(stem, (unit) => unit.charCodeAt(0) & 0xff));
}

/** FTS5's porter is the package's but for one rule: a doubled y before -ed and -ing becomes single too. */
function porter(token: string): string {
  if (token.length < SHORTEST_STEMMED) return token;
  if (/^yy(?:ed|ing)s?$/.test(token)) return 'y';
  return stemmer(token.replace(/yy(?=(?:ed|ing)s?$)/, 'y'));
}

function isAscii(found: string): boolean {
  return found.charCodeAt(0) < 0x80;
}

// Letters folded so far: a few thousand at most.
const caseFolded = new Map<string, string>();
const tokenFolded = new Map<string, string>();

function remembered(letter: string, known: Map<string, string>, fold: (letter: string) => string): string {
  let folded = known.get(letter);
  if (folded === undefined) known.set(letter, (folded = fold(letter)));
  return folded;
}

function foldLetter(letter: string): string {
  if (UNKNOWN_CAPITAL.test(letter)) return letter;
  const lower = letter.toLowerCase();
  return FOLDED_VARIANTS[letter] ?? String.fromCodePoint(lower.codePointAt(0) ?? 0);
}

function withoutDiacritics(letter: string): string {
  if (DROPPED.test(letter)) return '';
  const lower = foldLetter(letter);
  if (!ACCENTED.test(lower) || KEEPS_DIACRITIC.test(lower)) return lower;
  const decomposed = lower.normalize('NFD');
  return MARK.test(decomposed.slice(1)) ? decomposed.charAt(0).toLowerCase() : lower;
}
