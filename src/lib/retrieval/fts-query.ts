import { type CodeUnit, type ProseUnit, queryUnits, type Units } from './query-units.ts';
import { foldCase } from '../indexing/vocabulary.ts';

/** One way to match in the relaxed tier. */
export interface RelaxedTerm {
  /** An FTS5 expression of one string. */
  readonly match: string;
  /**
   * A key in the vocabulary of the index. Every passage that matches holds it, so its count of passages bounds theirs
   * from above, and exactly for a single token. Null for a phrase or a prefix in prose, which no one key stands for.
   */
  readonly term: string | null;
}

/**
 * What one index is asked for. `strict` finds the passages with every unit, the relaxed terms those with any; function
 * words are asked for where neither finds anything.
 */
export interface IndexQuery {
  readonly strict: string;
  readonly relaxed: readonly RelaxedTerm[];
  readonly functionWords: readonly RelaxedTerm[];
}

/** What the two full-text indexes are asked for; null where a query holds nothing that the index could find. */
export interface FtsQuery {
  readonly nat: IndexQuery | null;
  readonly code: IndexQuery | null;
}

/**
 * Builds the FTS5 expressions for a query of any content and length; `queryUnits` says which parts of it count. Nothing
 * in the text is ever syntax: every unit leaves as a quoted string, which in prose holds token characters and spaces
 * only. A commit id is a prefix in prose (`"abc1234" *`) and a substring in code.
 */
export function buildFtsQuery(text: string): FtsQuery {
  const { prose, compound, code } = queryUnits(text);
  const nat = indexQuery(prose, proseMatch, proseTerm);
  return {
    nat: nat === null || compound === null ? nat : { ...nat, strict: `(${nat.strict}) OR ${proseMatch(compound)}` },
    code: indexQuery(code, codeMatch, codeTerm),
  };
}

/** Joins relaxed terms: what matches any of them. */
export function anyOf(terms: readonly RelaxedTerm[]): string {
  return terms.map(({ match }) => match).join(' OR ');
}

/**
 * The strings stand side by side, which is FTS5's implicit AND. It passes over a string without a token, where an
 * explicit AND with one would match nothing.
 */
function indexQuery<Unit>(
  { strict, relaxed, functionWords }: Units<Unit>,
  match: (unit: Unit) => string,
  term: (unit: Unit) => RelaxedTerm,
): IndexQuery | null {
  if (strict.length === 0) return null;
  return {
    strict: strict.map(match).join(' '),
    relaxed: relaxed.map(term),
    functionWords: functionWords.map(term),
  };
}

function proseMatch(unit: ProseUnit): string {
  return `${quoted(unit.words.join(' '))}${unit.prefix ? ' *' : ''}`;
}

function proseTerm(unit: ProseUnit): RelaxedTerm {
  const [key] = unit.keys;
  const single = unit.keys.length === 1 && !unit.prefix && key !== undefined;
  // A key that ends within a character, as the stemmer makes of a few, cannot be looked up.
  return { match: proseMatch(unit), term: single && !key.includes('\uFFFD') ? key : null };
}

function codeMatch(unit: CodeUnit): string {
  return quoted(unit.text);
}

function codeTerm(unit: CodeUnit): RelaxedTerm {
  return { match: codeMatch(unit), term: rarestTrigram(foldCase(unit.text)) };
}

/** Characters of English prose and code, most frequent first; every other is rarer. */
const FREQUENT = ' etaoinsrl_cd.pum/fg-hb(y)v:w0k12';

/** The trigram that promises the lowest count of passages, by the frequency of its characters; the first of equals. */
function rarestTrigram(folded: string): string {
  const characters = Array.from(folded);
  const rarity = characters.map((character) => {
    const place = FREQUENT.indexOf(character);
    return place < 0 ? FREQUENT.length : place;
  });
  let best = 0;
  let most = -1;
  for (let i = 0; i + 3 <= characters.length; i += 1) {
    const sum = (rarity[i] ?? 0) + (rarity[i + 1] ?? 0) + (rarity[i + 2] ?? 0);
    if (sum > most) [best, most] = [i, sum];
  }
  return characters.slice(best, best + 3).join('');
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
