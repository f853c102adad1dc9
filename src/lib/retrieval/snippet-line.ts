import { stripInvisible } from '../core/text.ts';

/** From and up to, in UTF-16 units. */
export type Range = readonly [start: number, end: number];

/** Part of a passage with its white space collapsed. */
export interface Line {
  readonly text: string;
  readonly matches: readonly Range[];
  /** What a window into the line must show. */
  readonly cluster: Range;
}

/** How far from the end of a window a space, or else a boundary of words, is looked for, in UTF-16 units. */
const REACH = 32;

let graphemes: Intl.Segmenter | undefined;
let words: Intl.Segmenter | undefined;

/** The grapheme that an index lies in or before, or an empty range at the end of the text. */
export function graphemeAt(text: string, index: number): Range {
  if (standsAlone(text, index)) return [index, index + 1];
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmentAt(graphemes, text, index);
}

/** Below this no character joins another, but for CR and LF. */
const FIRST_COMBINING = 0x300;

/** Whether a unit is a grapheme as its neighbours show at once; asking the segmenter takes a hundred times as long. */
function standsAlone(text: string, index: number): boolean {
  for (let at = Math.max(0, index - 1); at <= Math.min(index + 1, text.length - 1); at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= FIRST_COMBINING || unit === 0x0d) return false;
  }
  return index < text.length;
}

/** Makes one line of a range of a passage, and finds matches and cluster in it again. */
export function collapse(passage: string, [from, to]: Range, matches: readonly Range[], cluster: Range): Line {
  const clip = (index: number): number => Math.min(Math.max(index, from), to);
  const points = [...new Set([from, ...matches.flat(), ...cluster, to].map(clip))].sort((a, b) => a - b);
  const places = new Map<number, number>();
  let text = '';
  points.forEach((point, index) => {
    places.set(point, text.length);
    // Line separators are white space and control characters: they have to become spaces before those are removed.
    const piece = stripInvisible(passage.slice(point, points[index + 1] ?? to).replace(/\s+/g, ' ')).replace(
      / {2,}/g,
      ' ',
    );
    text += text === '' || text.endsWith(' ') ? piece.trimStart() : piece;
  });
  const trimmed = text.trimEnd();
  const place = (index: number): number => Math.min(places.get(clip(index)) ?? 0, trimmed.length);
  const placed = ([start, end]: Range): Range => [place(start), place(end)];
  return { text: trimmed, matches: matches.map(placed), cluster: placed(cluster) };
}

/** Chooses at most `length` code points of a line with the cluster in the middle, and moves both ends to good places. */
export function lineWindow({ text, cluster }: Line, length: number): Range {
  const offsets = codePointOffsets(text);
  const last = offsets.length - 1;
  if (last <= length) return [0, text.length];
  const at = (index: number): number => offsets[Math.min(index, last)] ?? text.length;
  const first = offsets.findIndex((offset) => offset >= cluster[0]);
  const covered = offsets.findIndex((offset) => offset >= cluster[1]);
  const until = Math.min(covered, first + length);
  const spare = Math.floor((length - (until - first)) / 2);
  const start = Math.max(0, Math.min(first - spare, last - length));
  const from = startNear(text, at(start), at(first));
  const to = start + length >= last ? text.length : endNear(text, at(start + length), at(until));
  return [from, Math.min(to, at(start + length * 2))];
}

/** The first good place from an index on to begin a text, not beyond a limit if there is one before it. */
function startNear(text: string, index: number, limit: number): number {
  if (index === 0) return 0;
  const farthest = Math.min(limit, index + REACH);
  const space = text.indexOf(' ', index - 1) + 1;
  if (space > 0 && space <= farthest && isGraphemeStart(text, space)) return space;
  const [wordStart, wordEnd] = wordAt(text, index);
  const word = wordStart === index ? index : wordEnd;
  if (word <= farthest && isGraphemeStart(text, word)) return word;
  const [start, end] = graphemeAt(text, index);
  return start === index || end > limit ? start : end;
}

/** The last good place before an index to end a text, not before a limit if there is one after it. */
function endNear(text: string, index: number, limit: number): number {
  const farthest = Math.max(limit, index - REACH);
  const space = text.lastIndexOf(' ', index);
  if (space >= farthest && isGraphemeStart(text, space)) return space;
  const [word] = wordAt(text, index);
  if (word >= farthest && isGraphemeStart(text, word)) return word;
  const [start, end] = graphemeAt(text, index);
  return start === index || start >= limit ? start : end;
}

function isGraphemeStart(text: string, index: number): boolean {
  return graphemeAt(text, index)[0] === index;
}

function wordAt(text: string, index: number): Range {
  words ??= new Intl.Segmenter('en', { granularity: 'word' });
  return segmentAt(words, text, index);
}

function segmentAt(segmenter: Intl.Segmenter, text: string, index: number): Range {
  const found = segmenter.segment(text).containing(index);
  return found === undefined ? [index, index] : [found.index, found.index + found.segment.length];
}

/** Where the code points of a text begin, and its end. */
function codePointOffsets(text: string): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  return [...offsets, at];
}
