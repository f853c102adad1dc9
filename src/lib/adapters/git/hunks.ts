import type { ByteReader } from './byte-reader.ts';
import { decodeText } from './text.ts';

/** A patch with more bytes of text than this is counted, but its text is null. */
export const PATCH_TEXT_LIMIT = 64 * 1024;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const PLUS = 0x2b;
const MINUS = 0x2d;
const AT = 0x40;
const BACKSLASH = 0x5c;
const END_OF_LINE = Buffer.from('\n');
const HEADER_LIMIT = 256;

export interface Hunks {
  /** null when over the limit. */
  readonly text: string | null;
  readonly additions: number;
  readonly deletions: number;
}

/**
 * Reads hunks up to the line after them. How many lines belong to a hunk is taken from the numbers in its `@@` line,
 * never from how a line looks, so contents that imitate a diff are contents. Keeps at most `limit` bytes, however long
 * a line is. null when the stream ends inside, or is not what the numbers say.
 */
export async function readHunks(reader: ByteReader, limit: number): Promise<Hunks | null> {
  const lineLimit = Math.max(limit, HEADER_LIMIT);
  let kept: Buffer[] = [];
  let size = 0;
  let additions = 0;
  let deletions = 0;
  const keep = (line: Buffer): void => {
    size += line.length + 1;
    if (size > limit) kept = [];
    else kept.push(line, END_OF_LINE);
  };

  while ((reader.peekNow() ?? (await reader.peek())) === AT) {
    const header = await reader.record(NEWLINE, lineLimit);
    let [before, after] = header === null ? [] : lineCounts(header);
    if (header === null || before === undefined || after === undefined) return null;
    keep(header);
    while (before > 0 || after > 0) {
      const line = reader.recordNow(NEWLINE, lineLimit) ?? (await reader.record(NEWLINE, lineLimit));
      const kind = line?.[0] ?? (line === null ? undefined : SPACE);
      if (line === null || kind === undefined) return null;
      if (kind === SPACE) {
        before -= 1;
        after -= 1;
      } else if (kind === PLUS) {
        after -= 1;
        additions += 1;
      } else if (kind === MINUS) {
        before -= 1;
        deletions += 1;
      } else if (kind !== BACKSLASH) return null;
      keep(line);
    }
    if (before < 0 || after < 0) return null;
    // "\ No newline at end of file" after the last line of a hunk is not in the numbers.
    if ((reader.peekNow() ?? (await reader.peek())) === BACKSLASH) {
      const note = await reader.record(NEWLINE, lineLimit);
      if (note === null) return null;
      keep(note);
    }
  }
  if (size > limit) return { text: null, additions, deletions };
  return { text: decodeText(Buffer.concat(kept.slice(0, -1))), additions, deletions };
}

function lineCounts(header: Buffer): [number, number] | [] {
  const match = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(header.toString('latin1', 0, 100));
  return match === null ? [] : [Number(match[1] ?? '1'), Number(match[2] ?? '1')];
}
