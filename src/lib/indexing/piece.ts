import type { Passage } from '../corpus/document.ts';

/** A passage before it has its place in the document; offset and lines count from the start of the text it is cut from. */
export type Piece = Omit<Passage, 'ordinal'>;

/**
 * Makes pieces of a text from ranges in UTF-16 units. Code points and lines are counted on from the range before, so
 * all ranges of a text together cost one walk over it when they come in order; going back is allowed and costs as much.
 */
export function pieceMaker(text: string): (start: number, end: number, headingPath: readonly string[]) => Piece {
  const codePoints = codePointCounter(text);
  const line = lineCounter(text);
  return (start, end, headingPath) => {
    const offset = codePoints(start);
    const lines = end > start ? { start: line(start), end: line(end - 1) } : null;
    return { headingPath, offset, length: codePoints(end) - offset, lines, text: text.slice(start, end) };
  };
}

/** A function from UTF-16 units to the code points before them. */
export function codePointCounter(text: string): (unit: number) => number {
  if (!/[\uD800-\uDBFF]/.test(text)) return (unit) => unit;
  let at = 0;
  let count = 0;
  return (unit) => {
    for (; at < unit; at += 1) if (!isSecondHalf(text, at)) count += 1;
    for (; at > unit; at -= 1) if (!isSecondHalf(text, at - 1)) count -= 1;
    return count;
  };
}

/** The unit that lies `codePoints` code points after `unit` (before, when negative), kept within the text. */
export function moveBy(text: string, unit: number, codePoints: number): number {
  let at = unit;
  for (let left = codePoints; left > 0 && at < text.length; left -= 1) at += isSecondHalf(text, at + 1) ? 2 : 1;
  for (let left = codePoints; left < 0 && at > 0; left += 1) at -= isSecondHalf(text, at - 1) ? 2 : 1;
  return Math.max(0, Math.min(text.length, at));
}

/** Whether the unit at an index is the second half of a surrogate pair. */
export function isSecondHalf(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (!(unit >= 0xdc00 && unit <= 0xdfff)) return false;
  const before = text.charCodeAt(index - 1);
  return before >= 0xd800 && before <= 0xdbff;
}

/** A function from UTF-16 units to the line they are in, from 1; a newline is in the line it ends. */
function lineCounter(text: string): (unit: number) => number {
  let at = 0;
  let line = 1;
  return (unit) => {
    for (; at < unit; at += 1) if (text.charCodeAt(at) === 10) line += 1;
    for (; at > unit; at -= 1) if (text.charCodeAt(at - 1) === 10) line -= 1;
    return line;
  };
}
