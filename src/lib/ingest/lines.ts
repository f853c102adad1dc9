/** Longest line that is read, in bytes without its line feed: 8 MiB. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** A line of a file. */
export interface Line {
  /** Position in the file, from 1. */
  readonly number: number;
  /** Text without line end and byte order mark; null for a line over the limit, which was skipped unread. */
  readonly text: string | null;
  /** False for a last line without line feed: the file may have been cut there. */
  readonly complete: boolean;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = new Uint8Array();

/**
 * Splits UTF-8 bytes into lines, however the bytes are chunked. CRLF ends a line as LF does; a byte order mark at the
 * start of any line is dropped (files are concatenated); invalid UTF-8 becomes U+FFFD. A line over `maxBytes` is never
 * held in memory. Errors of `chunks` pass through; the line they interrupt is not delivered.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let held: Uint8Array[] = [];
  let size = 0;
  let number = 0;

  const hold = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size > maxBytes) held = [];
    else if (bytes.length > 0) held.push(bytes);
  };
  const take = (complete: boolean): Line => {
    number += 1;
    const text = size > maxBytes ? null : decoder.decode(withoutReturn(joined(held)));
    held = [];
    size = 0;
    return { number, text, complete };
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      hold(chunk.subarray(start, end));
      yield take(true);
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  if (size > 0) yield take(false);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = NOTHING] = pieces;
  return pieces.length > 1 ? Buffer.concat(pieces) : first;
}

function withoutReturn(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
}
