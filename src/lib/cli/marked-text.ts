import { displayWidth, graphemes } from './display-width.ts';
import type { Style } from './terminal.ts';

/** A piece of plain text, matched or not. */
export interface Run {
  readonly text: string;
  readonly marked: boolean;
}

/** Reads the marks of a snippet: matches stand between « and ». */
export function parseMarks(text: string): Run[] {
  const runs: Run[] = [];
  let marked = false;
  for (const part of text.split(/([«»])/)) {
    if (part === '«' || part === '»') marked = part === '«';
    else if (part !== '') runs.push({ text: part, marked });
  }
  return runs;
}

/** Marks in a text every occurrence of terms, whatever their case. */
export function markTerms(text: string, terms: readonly string[]): Run[] {
  const alternatives = [...new Set(terms)].filter((term) => term.trim() !== '').sort((a, b) => b.length - a.length);
  if (alternatives.length === 0) return text === '' ? [] : [{ text, marked: false }];
  const pattern = new RegExp(`(${alternatives.map(escape).join('|')})`, 'giu');
  return text
    .split(pattern)
    .map((part, index) => ({ text: part, marked: index % 2 === 1 }))
    .filter((run) => run.text !== '');
}

/** Breaks runs into at most `limit` lines of a display width, between words; what is left over ends in `…`. */
export function wrapRuns(runs: readonly Run[], width: number, limit: number): Run[][] {
  const lines: Run[][] = [[]];
  let used = 0;
  for (const word of wordsOf(runs)) {
    const wide = widthOf(word.runs);
    if (used > 0 && used + 1 + wide > width) {
      lines.push([]);
      used = 0;
    }
    const line = lines.at(-1) ?? [];
    if (used > 0) {
      line.push({ text: ' ', marked: word.spaceMarked });
      used += 1;
    }
    line.push(...word.runs);
    used += wide;
  }
  const shown = lines.slice(0, limit);
  const over = lines.length > limit;
  return shown.map((line, index) => cutRuns(line, width, over && index === limit - 1));
}

/** Cuts runs to a display width, ending in `…` where something was cut, or where `more` follows. */
export function cutRuns(runs: readonly Run[], width: number, more = false): Run[] {
  if (!more && widthOf(runs) <= width) return [...runs];
  const kept: Run[] = [];
  let room = width - 1;
  for (const { text, marked } of runs) {
    let part = '';
    for (const grapheme of graphemes(text)) {
      const wide = displayWidth(grapheme);
      if (wide > room) return [...kept, { text: part, marked }, ELLIPSIS];
      part += grapheme;
      room -= wide;
    }
    kept.push({ text: part, marked });
  }
  return [...kept, ELLIPSIS];
}

/** Runs as text: matches in the style of a match, the rest in another. */
export function paintRuns(runs: readonly Run[], style: Style, rest: (text: string) => string = (text) => text): string {
  return joined(runs)
    .map(({ text, marked }) => (marked ? style.match(text) : rest(text)))
    .join('');
}

const ELLIPSIS: Run = { text: '…', marked: false };

function widthOf(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + displayWidth(run.text), 0);
}

interface Word {
  /** Several where a match is a part of the word. */
  readonly runs: Run[];
  /** Whether the space before it belongs to a match of several words. */
  readonly spaceMarked: boolean;
}

function wordsOf(runs: readonly Run[]): Word[] {
  const words: Word[] = [{ runs: [], spaceMarked: false }];
  for (const { text, marked } of runs) {
    text.split(/\s+/).forEach((part, index) => {
      if (index > 0) words.push({ runs: [], spaceMarked: marked });
      if (part !== '') words.at(-1)?.runs.push({ text: part, marked });
    });
  }
  return words.filter((word) => word.runs.length > 0);
}

function joined(runs: readonly Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last?.marked === run.marked) result[result.length - 1] = { ...last, text: last.text + run.text };
    else result.push(run);
  }
  return result;
}

function escape(term: string): string {
  return term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
