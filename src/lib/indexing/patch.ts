import { codePointLength, firstCodePoints } from '../core/text.ts';
import { PIECE_SIZE } from './paragraphs.ts';
import { patchLines } from './patch-lines.ts';
import { moveBy, type Piece, pieceMaker } from './piece.ts';

/** Code points of a function context that are kept. */
const LONGEST_CONTEXT = 200;

/** Neighbouring lines of a patch: hunks, or a part of one. */
interface Group {
  /** UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Code points. */
  readonly size: number;
  /** Function context of its hunks; null when they differ. */
  readonly context: string | null;
  readonly old: Span | null;
  readonly new: Span | null;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts the hunks of a patch into groups of passage size that cover it, without overlap. Lines are those of the new file,
 * of the old one where a group has no line that is still there. The heading is the function context of the hunks, where
 * they share one. A hunk that is too long is cut at its lines, a line that is too long at code points. Text without a
 * hunk is one piece without lines.
 */
export function cutPatch(patch: string): Piece[] {
  const piece = pieceMaker(patch);
  const toPiece = (group: Group): Piece => ({
    ...piece(group.start, group.end, group.context === null || group.context === '' ? [] : [group.context]),
    lines: group.new ?? group.old,
  });

  const hunks = hunksOf(patch);
  if (hunks.length === 0) return [{ ...piece(0, patch.length, []), lines: null }];
  const pieces: Piece[] = [];
  let group: Group | undefined;
  for (const lines of hunks) {
    const hunk = lines.reduce(joined);
    if (group !== undefined && (group.size + hunk.size > PIECE_SIZE.target || changes(group, hunk))) {
      pieces.push(toPiece(group));
      group = undefined;
    }
    if (hunk.size <= PIECE_SIZE.max) group = group === undefined ? hunk : joined(group, hunk);
    else pieces.push(...partsOf(patch, lines).map(toPiece));
  }
  if (group !== undefined) pieces.push(toPiece(group));
  return pieces;
}

/** Whether a group is long enough to end where another function begins. */
function changes(group: Group, hunk: Group): boolean {
  return group.context !== hunk.context && group.size >= PIECE_SIZE.min;
}

/** The lines of each hunk, each as a group; what stands before the first header belongs to its line. */
function hunksOf(patch: string): Group[][] {
  const hunks: Group[][] = [];
  let context = '';
  for (const line of patchLines(patch)) {
    if (line.context !== null) {
      context = firstCodePoints(line.context, LONGEST_CONTEXT);
      hunks.push([]);
    }
    const hunk = hunks.at(-1);
    const start = hunks.length === 1 && hunk?.length === 0 ? 0 : line.start;
    const size = codePointLength(patch.slice(start, line.end));
    hunk?.push({ start, end: line.end, size, context, old: span(line.old), new: span(line.new) });
  }
  return hunks;
}

function span(line: number | null): Span | null {
  return line === null ? null : { start: line, end: line };
}

function joined(a: Group, b: Group): Group {
  const context = a.context === b.context ? a.context : null;
  return {
    start: a.start,
    end: b.end,
    size: a.size + b.size,
    context,
    old: united(a.old, b.old),
    new: united(a.new, b.new),
  };
}

function united(a: Span | null, b: Span | null): Span | null {
  if (a === null || b === null) return a ?? b;
  return { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}

/** Cuts a hunk at its lines into parts near the target size, none over the maximum. */
function partsOf(patch: string, lines: readonly Group[]): Group[] {
  const parts: Group[] = [];
  let part: Group | undefined;
  for (const line of lines) {
    if (part !== undefined && part.size + line.size > PIECE_SIZE.target) {
      parts.push(part);
      part = undefined;
    }
    let rest = line;
    while (rest.size > PIECE_SIZE.max) {
      const end = moveBy(patch, rest.start, PIECE_SIZE.target);
      parts.push({ ...line, start: rest.start, end, size: PIECE_SIZE.target });
      rest = { ...line, start: end, size: rest.size - PIECE_SIZE.target };
    }
    part = part === undefined ? rest : joined(part, rest);
  }
  if (part !== undefined) parts.push(part);
  return parts;
}
