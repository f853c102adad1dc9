import { type Word, wordsOf } from '../indexing/segment.ts';

/** A longer run goes on as the next one: no phrase grows beyond it. */
const MAX_RUN_WORDS = 32;

/** What follows in a query is not looked at. */
const MAX_RUNS = 2000;

/** Words in one piece of a query: what stands between two quotes, or what nothing but glue separates. */
export interface Run {
  readonly words: Word[];
  readonly quoted: boolean;
}

/**
 * What joins two words into one identifier: ASCII punctuation but commas and semicolons, an apostrophe, combining marks
 * and joiners; at most 16 characters of it. No character at all is a boundary that segmentation has put there.
 */
const GLUE = /^[!-+\-./:<-@[-`{-~\u2019\p{M}\p{Cf}]{0,16}$/u;
const LONGEST_GLUE = 32;

/**
 * Finds the runs of a query: `foo_bar`, `a::b`, `src/x.ts` and a "quoted phrase" are one each. A quote opens a phrase
 * where a word could begin; one that is never closed is punctuation.
 */
export function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  const phrases = phrasesIn(text);
  let phrase = phrases.next().value;
  let end = 0;
  for (const word of wordsOf(text)) {
    while (phrase !== undefined && word.start >= phrase.end) phrase = phrases.next().value;
    const quoted = phrase !== undefined && word.start > phrase.start;
    const goesOn = phrase !== undefined && quoted ? end > phrase.start : isGlue(text, end, word.start);
    const run = runs.at(-1);
    if (goesOn && run?.quoted === quoted && run.words.length < MAX_RUN_WORDS) run.words.push(word);
    else if (runs.length < MAX_RUNS) runs.push({ words: [word], quoted });
    else break;
    end = word.end;
  }
  return runs;
}

/** Whether two words touch, so that only segmentation divides them. */
export function touch(before: Word, word: Word): boolean {
  return before.end === word.start;
}

/** Divides words into groups of neighbours. */
export function splitWhere(words: readonly Word[], divides: (before: Word, word: Word) => boolean): Word[][] {
  const groups: Word[][] = [];
  let before: Word | undefined;
  for (const word of words) {
    const group = groups.at(-1);
    if (group === undefined || before === undefined || divides(before, word)) groups.push([word]);
    else group.push(word);
    before = word;
  }
  return groups;
}

/** The text from the first word to the end of the last. */
export function textOf(text: string, words: readonly Word[]): string {
  return text.slice(words[0]?.start ?? 0, words.at(-1)?.end ?? 0);
}

function isGlue(text: string, start: number, end: number): boolean {
  return end - start <= LONGEST_GLUE && GLUE.test(text.slice(start, end));
}

function* phrasesIn(text: string): Generator<{ start: number; end: number }, undefined> {
  let start = text.indexOf('"');
  while (start >= 0) {
    const end = text.indexOf('"', start + 1);
    if (end < 0) return;
    const opens = start === 0 || /[\s([{<=:,;]/.test(text.charAt(start - 1));
    if (opens) yield { start, end };
    start = opens ? text.indexOf('"', end + 1) : end;
  }
}
