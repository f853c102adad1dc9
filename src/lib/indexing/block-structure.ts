import { codePointCounter } from './piece.ts';

/** A stretch of a text in UTF-16 units. */
export interface Block {
  readonly start: number;
  readonly end: number;
}

export interface BlockStructure {
  /** Where paragraphs and code blocks start and code blocks end, ascending; never within a code block. */
  readonly boundaries: readonly number[];
  /** Fenced code blocks of up to `longestFence` code points. */
  readonly fences: readonly Block[];
}

const FENCE = /[ \t]*(`{3,}|~{3,})/y;
const BLANK = /[ \t]*(?:\n|$)/y;

/** Finds paragraphs and fenced code blocks by their lines, in one walk. */
export function blockStructure(text: string, longestFence: number): BlockStructure {
  const count = codePointCounter(text);
  const boundaries: number[] = [];
  const fences: Block[] = [];
  let open: { start: number; marker: string } | undefined;
  let atBoundary = true;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const next = newline < 0 ? text.length : newline + 1;
    const marker = markerAt(text, at, next);
    if (open !== undefined) {
      if (marker !== undefined && closes(marker, open.marker, text, next)) {
        if (count(next) - count(open.start) <= longestFence) fences.push({ start: open.start, end: next });
        open = undefined;
        atBoundary = true;
      }
    } else if (marker !== undefined && opens(marker, text, next)) {
      open = { start: at, marker: marker.text };
      boundaries.push(at);
    } else if (matchesAt(BLANK, text, at)) {
      atBoundary = true;
    } else {
      if (atBoundary) boundaries.push(at);
      atBoundary = false;
    }
    at = next;
  }
  return { boundaries, fences };
}

interface Marker {
  readonly text: string;
  /** Where the line goes on after the marker. */
  readonly end: number;
}

function markerAt(text: string, at: number, lineEnd: number): Marker | undefined {
  FENCE.lastIndex = at;
  const match = FENCE.exec(text);
  if (match === null || FENCE.lastIndex > lineEnd) return undefined;
  return { text: match[1] ?? '', end: FENCE.lastIndex };
}

function opens(marker: Marker, text: string, lineEnd: number): boolean {
  return marker.text.startsWith('~') || !text.slice(marker.end, lineEnd).includes('`');
}

function closes(marker: Marker, opening: string, text: string, lineEnd: number): boolean {
  return marker.text.startsWith(opening) && text.slice(marker.end, lineEnd).trim() === '';
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
