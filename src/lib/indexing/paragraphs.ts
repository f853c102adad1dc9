import { type Block, blockStructure } from './block-structure.ts';
import { codePointCounter, isSecondHalf, moveBy, type Piece, pieceMaker } from './piece.ts';

/** Sizes in code points. A piece is near `target` and never over `max`, overlap included; below `min` only where the
 * text ends or a code block would be cut. */
export const PIECE_SIZE = { target: 1200, max: 2000, min: 600, overlap: 150 } as const;

/** An overlap is at most one part in so many of its piece. */
const OVERLAP_SHARE = 5;

/** Where a text is cut when no paragraph ends in reach, best first; a cut comes after the match. */
const SENTENCE = /[.!?…][)\]"'”’*_`]{0,4}[ \t\n]+|[。！？｡][」』）)]?\n?/g;
const LINE = /\n/g;
const SPACE = /[ \t\u00A0\u1680\u2000-\u200A\u3000]+/g;

let graphemes: Intl.Segmenter | undefined;

/**
 * Cuts a text at paragraph boundaries into pieces that cover all of it, in order, each beginning with a little of what
 * went before. Where no paragraph ends in reach, a sentence does, else a line, a space, a grapheme. A fenced code block
 * that fits into a piece is never cut. Linear in the length of the text.
 */
export function cutParagraphs(text: string): Piece[] {
  const count = codePointCounter(text);
  const total = count(text.length);
  const piece = pieceMaker(text);
  if (total <= PIECE_SIZE.max) return [piece(0, text.length, [])];

  const { boundaries, fences } = blockStructure(text, PIECE_SIZE.max);
  const window: Window = { text, boundaries, fences, boundary: 0, fence: 0, from: 0, start: 0, limit: 0 };
  const pieces: Piece[] = [];
  while (total - count(window.from) > PIECE_SIZE.max) {
    advance(window);
    let cut = cutIn(window);
    if ((count(window.from) - count(window.start)) * OVERLAP_SHARE > count(cut) - count(window.start)) {
      window.start = window.from;
      window.limit = moveBy(text, window.start, PIECE_SIZE.max);
      cut = cutIn(window);
    }
    pieces.push(piece(window.start, cut, []));
    window.start = overlapStart(window, cut);
    window.from = cut;
  }
  const left = total - count(window.start);
  const overlap = count(window.from) - count(window.start);
  const fits = left <= PIECE_SIZE.max && overlap * OVERLAP_SHARE <= left;
  pieces.push(piece(fits ? window.start : window.from, text.length, []));
  return pieces;
}

/** The stretch in which the next cut is looked for; all positions in UTF-16 units. */
interface Window {
  readonly text: string;
  readonly boundaries: readonly number[];
  /** Code blocks that fit into a piece. */
  readonly fences: readonly Block[];
  /** Index of the first boundary and of the first code block that end after `from`. */
  boundary: number;
  fence: number;
  /** What lies before is in a piece already. */
  from: number;
  /** Where the piece starts: `from`, less the overlap. */
  start: number;
  /** Where the piece must end. */
  limit: number;
}

function advance(window: Window): void {
  const { text, boundaries, fences } = window;
  while ((boundaries[window.boundary] ?? Infinity) <= window.from) window.boundary += 1;
  while ((fences[window.fence]?.end ?? Infinity) <= window.from) window.fence += 1;
  window.limit = moveBy(text, window.start, PIECE_SIZE.max);
  const fence = fences[window.fence];
  if (fence !== undefined && fence.start <= window.from && fence.end > window.limit) {
    window.start = window.from;
    window.limit = moveBy(text, window.start, PIECE_SIZE.max);
  }
}

function cutIn(window: Window): number {
  const { text, from, start, limit } = window;
  const lowest = moveBy(text, from, PIECE_SIZE.min);
  const goal = moveBy(text, start, PIECE_SIZE.target);
  const paragraph = nearest(boundariesIn(window, lowest, limit), goal);
  if (paragraph !== undefined) return paragraph;
  const ahead = window.fences[window.fence];
  if (ahead !== undefined && ahead.start > from && ahead.start < lowest && ahead.end > limit) return ahead.start;
  for (const pattern of [SENTENCE, LINE, SPACE]) {
    const cut = nearest(endsOf(pattern, window, lowest, limit), goal);
    if (cut !== undefined) return cut;
  }
  const fence = fenceAround(window, goal);
  if (fence !== undefined) return fence.start > from ? fence.start : fence.end;
  return graphemeBoundary(text, goal, lowest);
}

/** Where the piece after a cut starts, so that it repeats about one short paragraph, or the end of a long one. */
function overlapStart(window: Window, cut: number): number {
  const { text } = window;
  const earliest = Math.max(moveBy(text, cut, -PIECE_SIZE.overlap), window.start + 1);
  for (const paragraph of boundariesIn(window, earliest, cut - 1)) return paragraph;
  for (const pattern of [SENTENCE, LINE, SPACE]) {
    for (const start of endsOf(pattern, window, earliest, cut - 1)) return start;
  }
  if (fenceAround(window, earliest) !== undefined) return cut;
  return graphemeBoundary(text, earliest + Math.ceil((cut - earliest) / 2), earliest);
}

function* boundariesIn(window: Window, lowest: number, highest: number): Generator<number> {
  for (let i = window.boundary; i < window.boundaries.length; i += 1) {
    const at = window.boundaries[i] ?? 0;
    if (at > highest) return;
    if (at >= lowest) yield at;
  }
}

function fenceAround(window: Window, at: number): Block | undefined {
  for (let i = window.fence; i < window.fences.length; i += 1) {
    const fence = window.fences[i];
    if (fence === undefined || fence.start >= at) return undefined;
    if (fence.end > at) return fence;
  }
  return undefined;
}

/** Where matches end within a stretch, ascending; none within a code block that fits. */
function* endsOf(pattern: RegExp, window: Window, lowest: number, highest: number): Generator<number> {
  const stretch = window.text.slice(lowest, highest);
  for (let from = 0; ; ) {
    pattern.lastIndex = from;
    if (!pattern.test(stretch)) return;
    from = pattern.lastIndex;
    if (fenceAround(window, lowest + from) === undefined) yield lowest + from;
  }
}

/** The position nearest to a goal; reads ascending positions no further than needed. */
function nearest(positions: Iterable<number>, goal: number): number | undefined {
  let before: number | undefined;
  for (const at of positions) {
    if (at >= goal) return before === undefined || at - goal < goal - before ? at : before;
    before = at;
  }
  return before;
}

/** The last grapheme boundary up to `at`, looking back no further than `lowest`; a code point boundary where none is. */
function graphemeBoundary(text: string, at: number, lowest: number): number {
  let from = Math.max(lowest, at - 64);
  if (isSecondHalf(text, from)) from += 1;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const boundary = from + (graphemes.segment(text.slice(from, at + 64)).containing(at - from)?.index ?? 0);
  if (boundary > from) return boundary;
  return isSecondHalf(text, at) ? at + 1 : at;
}
