import { codeMatches, type Match, proseMatches, type SnippetTerms } from './snippet-matches.ts';
import { collapse, graphemeAt, type Line, lineWindow, type Range } from './snippet-line.ts';

/** Length of a snippet in code points, without the ellipses. */
const SNIPPET_LENGTH = 240;
const ELLIPSIS = '…';
/** UTF-16 units looked at before and after the matches for each code point of a snippet: white space is collapsed. */
const CONTEXT = 4;

/** A piece of a passage in one line. `matches` are ranges in `text` in UTF-16 units, ascending and apart. */
export interface Snippet {
  readonly text: string;
  readonly matches: readonly Range[];
}

export interface SnippetOptions {
  /** The index in which the passage was found: it decides what a match is. */
  readonly index: 'nat' | 'code';
  /** Length in code points; 240 unless given. */
  readonly length?: number;
}

/**
 * Cuts a snippet out of a passage where the most different terms match close together, of equals where there are most
 * matches, of equals the first; without a match it is the beginning. It is cut at white space, else between words, else
 * between graphemes (within one only if that alone is twice as long as a snippet), with `…` where text was left out.
 * White space is collapsed; characters that are invisible or that control a terminal are removed.
 */
export function snippetOf(passage: string, terms: SnippetTerms, options: SnippetOptions): Snippet {
  const length = options.length ?? SNIPPET_LENGTH;
  const matches = options.index === 'nat' ? proseMatches(passage, terms) : codeMatches(passage, terms);
  const cluster = densest(passage, matches, length);
  const from = graphemeAt(passage, Math.max(0, cluster[0] - length * CONTEXT))[0];
  const to = graphemeAt(passage, Math.min(passage.length, cluster[1] + length * CONTEXT))[1];
  const near = matches.filter(({ start, end }) => end > from && start < to);
  const line = collapse(passage, [from, to], merged(near), cluster);
  return cut(line, length, passage.slice(0, from).trim() !== '', passage.slice(to).trim() !== '');
}

/**
 * Renders a snippet with its matches between two marks. A mark in the text itself cannot be taken for one: « and »
 * become ‹ and ›, any other is replaced by a space.
 */
export function markSnippet(snippet: Snippet, open = '«', close = '»'): string {
  let marked = '';
  let at = 0;
  for (const [start, end] of snippet.matches) {
    marked += `${unmarked(snippet.text.slice(at, start), open, close)}${open}`;
    marked += `${unmarked(snippet.text.slice(start, end), open, close)}${close}`;
    at = end;
  }
  return marked + unmarked(snippet.text.slice(at), open, close);
}

function unmarked(text: string, ...marks: string[]): string {
  const replacements: Readonly<Record<string, string>> = { '«': '‹', '»': '›' };
  return marks
    .filter((mark) => mark !== '')
    .reduce((clean, mark) => clean.replaceAll(mark, replacements[mark] ?? ' '), text);
}

/** The range of the best cluster of matches; an empty one at the first visible character where there is none. */
function densest(passage: string, matches: readonly Match[], length: number): Range {
  const counts = new Map<number, number>();
  let best = { distinct: 0, total: 0, left: 0, right: -1 };
  let left = 0;
  matches.forEach((match, right) => {
    counts.set(match.term, (counts.get(match.term) ?? 0) + 1);
    // UTF-16 units are never fewer than code points.
    for (let first = matches[left]; first !== undefined && left < right; first = matches[left]) {
      if (match.end - first.start <= length) break;
      const count = counts.get(first.term) ?? 0;
      if (count > 1) counts.set(first.term, count - 1);
      else counts.delete(first.term);
      left += 1;
    }
    const total = right - left + 1;
    if (counts.size > best.distinct || (counts.size === best.distinct && total > best.total)) {
      best = { distinct: counts.size, total, left, right };
    }
  });
  const cluster = matches.slice(best.left, best.right + 1);
  const start = cluster[0]?.start ?? Math.max(0, passage.search(/\S/));
  return [start, cluster.reduce((end, match) => Math.max(end, match.end), start)];
}

/** Joins matches that overlap or touch. */
function merged(matches: readonly Match[]): Range[] {
  const ranges: [number, number][] = [];
  for (const { start, end } of matches) {
    const last = ranges.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
}

function cut(line: Line, length: number, before: boolean, after: boolean): Snippet {
  const [start, end] = lineWindow(line, length);
  const opening = before || start > 0 ? ELLIPSIS : '';
  const closing = after || end < line.text.length ? ELLIPSIS : '';
  const matches = line.matches
    .map(([from, to]): Range => [Math.max(from, start), Math.min(to, end)])
    .filter(([from, to]) => from < to)
    .map(([from, to]): Range => [from - start + opening.length, to - start + opening.length]);
  return { text: `${opening}${line.text.slice(start, end)}${closing}`, matches };
}
