import { wordsOf } from '../indexing/segment.ts';
import { queryUnits } from './query-units.ts';
import { foldCase, foldToken, stemOf } from '../indexing/vocabulary.ts';

/** What a snippet looks for, per index, as `snippetTerms` makes it of a query. */
export interface SnippetTerms {
  /** Tokens and phrases, by the vocabulary key that they begin with. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>;
  /** Folded beginnings of tokens. */
  readonly prefixes: readonly string[];
  /** Folded substrings. */
  readonly substrings: readonly string[];
  /** Beginnings that a folded token needs to be worth stemming, by first character. */
  readonly beginnings: ReadonlyMap<string, readonly string[]>;
}

interface Phrase {
  readonly keys: readonly string[];
  readonly term: number;
}

/** A match in a passage, in UTF-16 units, and the number of the term that it is of. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly term: number;
}

/** The terms of a query that a snippet shows: those of the relaxed tier, without function words where others remain. */
export function snippetTerms(query: string): SnippetTerms {
  const { prose, code } = queryUnits(query);
  const content = prose.relaxed.filter((unit) => !unit.functionWord);
  const phrases = new Map<string, Phrase[]>();
  const prefixes: string[] = [];
  const beginnings = new Map<string, string[]>();
  (content.length > 0 ? content : prose.relaxed).forEach((unit, term) => {
    if (unit.prefix) prefixes.push(...unit.words.map((word) => foldToken(word)));
    else append(phrases, unit.keys[0] ?? '', { keys: unit.keys, term });
    for (const key of unit.prefix ? [] : unit.keys) append(beginnings, initialOf(key), beginningOf(key));
  });
  return { phrases, prefixes, substrings: code.relaxed.map((unit) => foldCase(unit.text)), beginnings };
}

/** Finds in a passage what the prose index matched there: tokens with the key of a term, and phrases of them. */
export function proseMatches(passage: string, terms: SnippetTerms): Match[] {
  const words = wordsOf(passage);
  const folded = words.map((word) => foldToken(word.text));
  const keys = folded.map((token) => keyAmong(terms, token));
  const matches: Match[] = [];
  words.forEach(({ start, end }, at) => {
    const prefix = terms.prefixes.findIndex((beginning) => folded[at]?.startsWith(beginning));
    if (prefix >= 0) matches.push({ start, end, term: -1 - prefix });
    for (const { keys: phrase, term } of terms.phrases.get(keys[at] ?? '') ?? []) {
      if (phrase.every((key, index) => keys[at + index] === key)) {
        matches.push({ start, end: words[at + phrase.length - 1]?.end ?? end, term });
      }
    }
  });
  return matches;
}

/** Finds in a passage what the code index matched there: substrings, whatever their case. */
export function codeMatches(passage: string, terms: SnippetTerms): Match[] {
  const folded = foldCase(passage);
  const matches = terms.substrings.flatMap((substring, term) => {
    const found: Match[] = [];
    for (let at = folded.indexOf(substring); at >= 0; at = folded.indexOf(substring, at + substring.length)) {
      found.push({ start: at, end: at + substring.length, term });
    }
    return found;
  });
  return matches.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** The key of a folded token if a term may have it: most tokens need no stemming to be told apart. */
function keyAmong(terms: SnippetTerms, folded: string): string | undefined {
  const possible = terms.beginnings.get(initialOf(folded));
  return possible?.some((beginning) => folded.startsWith(beginning)) === true ? stemOf(folded) : undefined;
}

/** Stemming replaces two characters at most: what is before them in the key is before them in the token. */
function beginningOf(key: string): string {
  return key.slice(0, Math.max(1, key.length - 2));
}

function initialOf(folded: string): string {
  return folded.charAt(0);
}

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
