import { codePointLength, firstCodePoints, normalizeText } from '../core/text.ts';
import type { Word } from '../indexing/segment.ts';
import { isFunctionWord } from './function-words.ts';
import { type Run, runsOf, splitWhere, textOf, touch } from './query-runs.ts';
import { foldCase, vocabularyKey } from '../indexing/vocabulary.ts';

/** Units that the strict tier joins by AND, and that the relaxed tier offers: far below FTS5's limits (256 deep). */
export const MAX_STRICT_UNITS = 32;
export const MAX_RELAXED_UNITS = 64;
/** A longer substring is cut: what holds the whole holds its beginning. */
const MAX_SUBSTRING_CODE_POINTS = 128;
/** What the trigram tokenizer needs. */
const TRIGRAM = 3;

/** Abbreviated and full commit ids, SHA-1 and SHA-256; any word of hexadecimal digits reads as one. */
const COMMIT_ID = /^[0-9a-f]{7,64}$/i;
/** Longer prefixes are cut: the stemmer may take up to three characters off the end of the full id in the index. */
const COMMIT_ID_PREFIX = 36;

/** A unit for the prose index: one token, or several that stand side by side. */
export interface ProseUnit {
  /** The tokens as they are written; none holds anything but token characters. */
  readonly words: readonly string[];
  /** Their keys in the vocabulary of the index. */
  readonly keys: readonly string[];
  /** One word that asks for every token that begins so. */
  readonly prefix: boolean;
  readonly functionWord: boolean;
}

/** A unit for the code index: a substring of at least three code points. */
export interface CodeUnit {
  readonly text: string;
  readonly functionWord: boolean;
}

/**
 * Strict units stand in the order of the query; the relaxed ones begin with them. `functionWords` are those that were
 * left out of both.
 */
export interface Units<Unit> {
  readonly strict: readonly Unit[];
  readonly relaxed: readonly Unit[];
  readonly functionWords: readonly Unit[];
}

export interface QueryUnits {
  readonly prose: Units<ProseUnit>;
  /** What a question of a few plain words is written as in camelCase: the index holds `typerNode` as one token. */
  readonly compound: ProseUnit | null;
  readonly code: Units<CodeUnit>;
}

/**
 * Splits a query into the units that the indexes are asked for; any text is allowed. An identifier that unicode61 takes
 * apart is one unit, and its parts are further units of the relaxed tier. Words of scripts without spaces are units of
 * their own in prose; in code, where most of them are too short, the run of them is one and its trigrams are the parts.
 *
 * Function words are left out where other words remain: "why did we drop the v1 cache" is answered by a passage with
 * drop, v1 and cache, which seldom has all the other words too, while nearly every passage has one of those. In prose
 * they are kept for the case that nothing else is found.
 *
 * Each unit counts once. Where there are more than the bounds allow, the longest are kept, for they say most, and of
 * equally long ones the first. Only the first 2,000 runs of a query are looked at.
 */
export function queryUnits(query: string): QueryUnits {
  const text = normalizeText(query);
  const runs = runsOf(text);
  return { prose: proseUnits(text, runs), compound: compoundOf(text, runs), code: codeUnits(text, runs) };
}

/** Words that one identifier is put together from. */
const COMPOUND_WORDS = { least: 2, most: 4 };
const PLAIN_WORD = /^[a-z]{2,}$/i;

function compoundOf(text: string, runs: readonly Run[]): ProseUnit | null {
  const words = runs.flatMap((run) => (run.quoted ? [] : run.words));
  const { least, most } = COMPOUND_WORDS;
  const fits = runs.length >= least && runs.length <= most && words.length === runs.length;
  if (!fits || !words.every((word) => PLAIN_WORD.test(word.text))) return null;
  const joined = words.map((word) => word.text).join('');
  return proseUnit(text, [{ text: joined, start: 0, end: 0 }], true);
}

/** The words that an identifier in camelCase is put together from; none where it is no such thing. */
function camelParts(word: Word): Word[] {
  const parts = word.text.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
  return parts.length > 1 ? parts.map((part) => ({ ...word, text: part })) : [];
}

function proseUnits(text: string, runs: readonly Run[]): Units<ProseUnit> {
  const groups = runs.flatMap(({ words, quoted }) =>
    (quoted ? [words] : splitWhere(words, touch)).map((words) => ({ words, quoted })),
  );
  return bounded(
    groups.map(({ words, quoted }) => ({
      unit: proseUnit(text, words, quoted),
      // A letter or digit out of `v1.2.3` is in every other passage.
      parts: () => [
        ...words.filter((word) => word.text.length > 1).map((word) => proseUnit(text, [word], false)),
        ...words
          .map(camelParts)
          .filter((parts) => parts.length > 0)
          .map((parts) => proseUnit(text, parts, true)),
      ],
    })),
    (unit) => `${unit.keys.join(' ')}${unit.prefix ? '*' : ''}`,
    (unit) => unit.words.join(' ').length,
  );
}

function proseUnit(text: string, words: readonly Word[], quoted: boolean): ProseUnit {
  const prefix = words.length === 1 && words.every((word) => COMMIT_ID.test(word.text));
  const written = words.map((word) => (prefix ? word.text.slice(0, COMMIT_ID_PREFIX) : word.text));
  const functionWord = !quoted && isFunctionWord(textOf(text, words));
  return { words: written, keys: written.map((word) => vocabularyKey(word)), prefix, functionWord };
}

function codeUnits(text: string, runs: readonly Run[]): Units<CodeUnit> {
  const candidates = runs.map(({ words, quoted }) => ({
    unit: codeUnit(textOf(text, words), quoted),
    parts: () =>
      partsOf(text, words)
        .map((part) => codeUnit(part, false))
        .filter((unit) => isLongEnough(unit) && !unit.functionWord),
  }));
  const { strict, relaxed } = bounded(
    candidates.filter(({ unit }) => isLongEnough(unit)),
    (unit) => foldCase(unit.text),
    (unit) => unit.text.length,
  );
  return { strict, relaxed, functionWords: [] };
}

function codeUnit(substring: string, quoted: boolean): CodeUnit {
  const text = firstCodePoints(substring, MAX_SUBSTRING_CODE_POINTS);
  return { text, functionWord: !quoted && isFunctionWord(text) };
}

function isLongEnough(unit: CodeUnit): boolean {
  return codePointLength(unit.text) >= TRIGRAM;
}

function partsOf(text: string, words: readonly Word[]): string[] {
  return splitWhere(words, endsSpacelessRun).flatMap((group) =>
    group.length === 1 ? [textOf(text, group)] : trigramsOf(textOf(text, group)),
  );
}

function endsSpacelessRun(before: Word, word: Word): boolean {
  return !touch(before, word) || /^[\0-\x7F]/.test(before.text) !== /^[\0-\x7F]/.test(word.text);
}

function trigramsOf(text: string): string[] {
  const characters = Array.from(firstCodePoints(text, MAX_SUBSTRING_CODE_POINTS));
  return characters.slice(TRIGRAM - 1).map((_, index) => characters.slice(index, index + TRIGRAM).join(''));
}

interface Candidate<Unit> {
  readonly unit: Unit;
  readonly parts: () => Unit[];
}

/** Chooses the units of both tiers; see `queryUnits`. */
function bounded<Unit extends { readonly functionWord: boolean }>(
  candidates: readonly Candidate<Unit>[],
  identityOf: (unit: Unit) => string,
  lengthOf: (unit: Unit) => number,
): Units<Unit> {
  const seen = new Set<string>();
  const isNew = (unit: Unit): boolean => seen.size < seen.add(identityOf(unit)).size;
  const distinct = candidates.filter(({ unit }) => isNew(unit));
  const content = distinct.filter(({ unit }) => !unit.functionWord);
  const asked = content.length > 0 ? content : distinct;
  const longest = asked
    .map(({ unit, parts }, place) => ({ unit, parts, place, length: lengthOf(unit) }))
    .sort((a, b) => b.length - a.length || a.place - b.place)
    .slice(0, MAX_RELAXED_UNITS);
  const strict = longest.slice(0, MAX_STRICT_UNITS).sort((a, b) => a.place - b.place);
  const kept = [...strict, ...longest.slice(MAX_STRICT_UNITS)];
  const parts = kept.flatMap((candidate) => candidate.parts()).filter(isNew);
  const functionWords = asked === content ? distinct.filter(({ unit }) => unit.functionWord) : [];
  return {
    strict: strict.map(({ unit }) => unit),
    relaxed: [...kept.map(({ unit }) => unit), ...parts].slice(0, MAX_RELAXED_UNITS),
    functionWords: functionWords.map(({ unit }) => unit).slice(0, MAX_RELAXED_UNITS),
  };
}
