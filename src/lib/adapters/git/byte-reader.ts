/**
 * Reads a stream of bytes by delimiter and by count, in bounded memory. The `…Now` methods answer from what has arrived
 * and give undefined when more is needed; they spare the hot loops a promise per line.
 */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #ended = false;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next byte, left in place; undefined when it has not arrived. */
  peekNow(): number | undefined {
    return this.#chunk[this.#at];
  }

  /** The next byte, left in place; -1 at the end. */
  async peek(): Promise<number> {
    for (;;) {
      const byte = this.peekNow();
      if (byte !== undefined) return byte;
      if (!(await this.#fill())) return -1;
    }
  }

  /** As {@link record}, when all of it has arrived and nothing is cut. The bytes are a view: use them before the next read. */
  recordNow(delimiter: number, limit: number): Buffer | undefined {
    const end = this.#chunk.indexOf(delimiter, this.#at);
    if (end < 0 || end - this.#at > limit) return undefined;
    const record = this.#chunk.subarray(this.#at, end);
    this.#at = end + 1;
    return record;
  }

  /**
   * Takes the bytes up to a delimiter, and the delimiter, which is not returned. Of a record over `limit` bytes the first
   * `limit + 1` are given, so a length above the limit says that it was cut. null when the stream ends before.
   */
  async record(delimiter: number, limit: number): Promise<Buffer | null> {
    const kept: Buffer[] = [];
    let length = 0;
    for (;;) {
      const end = this.#chunk.indexOf(delimiter, this.#at);
      const piece = this.#chunk.subarray(this.#at, end < 0 ? this.#chunk.length : end);
      if (length <= limit && piece.length > 0) {
        // The + 1 marks the cut.
        const part = piece.subarray(0, limit + 1 - length);
        kept.push(part);
        length += part.length;
      }
      if (end >= 0) {
        this.#at = end + 1;
        return kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept);
      }
      if (!(await this.#fill())) return null;
    }
  }

  /** Takes `count` bytes and gives the first `keep` of them. null when the stream ends before. */
  async exactly(count: number, keep: number = count): Promise<Buffer | null> {
    const kept: Buffer[] = [];
    let missing = count;
    let wanted = Math.min(count, keep);
    while (missing > 0) {
      const piece = this.#chunk.subarray(this.#at, this.#at + missing);
      if (wanted > 0 && piece.length > 0) kept.push(piece.subarray(0, wanted));
      wanted -= Math.min(wanted, piece.length);
      missing -= piece.length;
      this.#at += piece.length;
      if (missing > 0 && !(await this.#fill())) return null;
    }
    return Buffer.concat(kept);
  }

  /** Takes all that is left and gives the first `keep` bytes of it. */
  async rest(keep: number): Promise<Buffer> {
    const kept: Buffer[] = [];
    let wanted = keep;
    do {
      const piece = this.#chunk.subarray(this.#at, this.#at + wanted);
      if (piece.length > 0) kept.push(piece);
      wanted -= piece.length;
    } while (await this.#fill());
    return Buffer.concat(kept);
  }

  async #fill(): Promise<boolean> {
    if (this.#ended) return false;
    try {
      const next = await this.#source.next();
      if (next.done !== true) {
        this.#chunk = next.value;
        this.#at = 0;
        return true;
      }
    } catch {
      // The stream was destroyed by whoever stopped the process, and how the process ended is told there.
    }
    this.#ended = true;
    this.#chunk = Buffer.alloc(0);
    this.#at = 0;
    return false;
  }
}
