import { codePointCounter, isSecondHalf, moveBy, type Piece, pieceMaker } from './piece.ts';

/** Sizes in code points. A piece is near `target`, and never over `max`, overlap included. */
export const PIECE_SIZE = { target: 1200, max: 2000, min: 600, overlap: 150 } as const;

/** An overlap is never more than this share of its piece. */
const OVERLAP_SHARE = 1 / 5;

const SENTENCE_END = /[.!?…][)\]"'”’*_`]{0,4}[ \t\n]+|[。！？｡][」』）)]?\n?/g;
const LINE_END = /\n/g;
const SPACE = /[ \t\u00A0\u1680\u2000-\u200A\u3000]+/g;

let graphemes: Intl.Segmenter | undefined;

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts a text at paragraph boundaries into pieces that cover all of it, in order, each beginning with a little of what
 * went before. Where no paragraph ends in reach, a sentence does, else a line, a space, a grapheme, a code point. A
 * fenced code block that fits into a piece is never cut. Linear in the length of the text.
 */
export function cutParagraphs(text: string): Piece[] {
  const count = codePointCounter(text);
  const total = count(text.length);
  const piece = pieceMaker(text);
  if (total <= PIECE_SIZE.max) return [piece(0, text.length, [])];
  const { boundaries, fences } = structureOf(text);
  const pieces: Piece[] = [];
  let start = 0;
  let from = 0;
  let boundary = 0;
  let fence = 0;
  for (;;) {
    const rest = total - count(start);
    if (rest <= PIECE_SIZE.max) {
      pieces.push(piece(start, text.length, []));
      return pieces;
    }
    while ((boundaries[boundary] ?? Infinity) <= from) boundary += 1;
    while ((fences[fence]?.end ?? Infinity) <= from) fence += 1;
    const limit = moveBy(text, start, PIECE_SIZE.max);
    const cut = cutWithin(text, from, limit, boundaries, boundary, fences, fence);
    pieces.push(piece(start, cut, []));
    const next = overlapStart(text, start, cut, boundaries, fences, fence, count);
    start = next;
    from = cut;
  }
}
