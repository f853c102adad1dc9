/** A line of a patch: where it stands (UTF-16 units, its newline included) and which line of the file it is. */
export interface PatchLine {
  readonly start: number;
  readonly end: number;
  /** On a hunk header: the function context after it, empty when there is none. */
  readonly context: string | null;
  /** Line of the file before and after the change, from 1; null on the side that does not have it. */
  readonly old: number | null;
  readonly new: number | null;
}

const HEADER = /^(@{2,}) ((?:-\d+(?:,\d+)? )+)\+(\d+)(?:,(\d+))? \1(?: (.*))?$/;
const OLD_RANGE = /^-(\d+)(?:,(\d+))? $/;

/**
 * Reads the hunks of a unified or combined patch. Hunk lengths decide what is a header, so that a carriage return in a
 * line, which text normalisation turns into a newline, cannot pretend one. A combined patch gives no old lines.
 */
export function* patchLines(patch: string): Generator<PatchLine> {
  let columns = 1;
  let old = { next: 0, left: 0 };
  let now = { next: 0, left: 0 };
  for (let start = 0; start < patch.length; ) {
    const newline = patch.indexOf('\n', start);
    const end = newline < 0 ? patch.length : newline + 1;
    const inHunk = old.left > 0 || now.left > 0;
    const header = inHunk || !patch.startsWith('@@', start) ? null : HEADER.exec(patch.slice(start, end).trimEnd());
    if (header !== null) {
      columns = (header[1] ?? '').length - 1;
      const range = OLD_RANGE.exec(header[2] ?? '');
      old = range === null ? { next: 0, left: 0 } : { next: Number(range[1]), left: Number(range[2] ?? 1) };
      now = { next: Number(header[3]), left: Number(header[4] ?? 1) };
      yield { start, end, context: (header[5] ?? '').trim(), old: null, new: null };
    } else {
      const marks = patch.slice(start, Math.min(start + columns, end));
      // An editor that trims lines leaves an empty one where the context was blank. What else has no mark goes on with
      // the line before it, and a backslash is git's own remark.
      const isLine = inHunk && /^[ +-]*\n?$/.test(marks);
      const isNew = isLine && !marks.includes('-');
      const isOld = isLine && columns === 1 && !marks.includes('+');
      yield { start, end, context: null, old: isOld ? take(old) : null, new: isNew ? take(now) : null };
    }
    start = end;
  }
}

function take(side: { next: number; left: number }): number {
  side.left -= 1;
  side.next += 1;
  return side.next - 1;
}
