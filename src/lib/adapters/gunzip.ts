import { createGunzip, type Gunzip } from 'node:zlib';

/** Bytes of compressed input decompressed at once: bounds what a piece can expand to (1,032 times its size). */
const GZIP_PIECE_BYTES = 16 * 1024;

// The readable side must hold whatever one piece expands to, so that a write is complete only when all of it is there.
const OPTIONS = { chunkSize: 64 * 1024, readableHighWaterMark: 2048 * GZIP_PIECE_BYTES };

/** Gives the bytes of a source from an offset on, in pieces of at most `size` bytes. */
export type Pieces = (offset: number, size: number) => AsyncIterable<Uint8Array>;

/** Why a gzip stream ended early. */
export class GzipError extends Error {
  readonly truncated: boolean;

  constructor(cause: Error & { code?: string }) {
    super(cause.message, { cause });
    this.truncated = cause.code === 'Z_BUF_ERROR';
  }
}

/**
 * Decompresses gzip of any number of members. Throws a GzipError on truncated or corrupt data, after every byte before
 * the damage was delivered.
 */
export async function* gunzip(pieces: Pieces): AsyncGenerator<Uint8Array> {
  let consumed = 0;
  let delivered = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces(0, GZIP_PIECE_BYTES)) {
      yield piece;
      consumed += piece.length;
    }
  }
  try {
    for await (const output of inflate(counted())) {
      delivered += output.length;
      yield output;
    }
  } catch (error) {
    if (!(error instanceof GzipError) || error.truncated) throw error;
    // zlib drops what it had made of the piece in which it met the damage: go again, byte by byte through that piece.
    let skip = delivered;
    for await (const output of inflate(slowAfter(pieces, consumed))) {
      if (output.length > skip) yield output.subarray(skip);
      skip = Math.max(0, skip - output.length);
    }
  }
}

async function* slowAfter(pieces: Pieces, offset: number): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of pieces(0, GZIP_PIECE_BYTES)) {
    if (at >= offset) break;
    yield piece;
    at += piece.length;
  }
  for await (const piece of pieces(at, GZIP_PIECE_BYTES)) {
    for (let i = 0; i < piece.length; i += 1) yield piece.subarray(i, i + 1);
  }
}

async function* inflate(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = createGunzip(OPTIONS);
  const step = steps(stream);
  try {
    for await (const piece of pieces) {
      await step((done) => stream.write(piece, done));
      yield* available(stream);
    }
    const rest: Uint8Array[] = [];
    await step((done) => {
      // zlib looks for what is missing only after the stream has called itself finished: its readable end is the end.
      if (stream.readableEnded) done();
      stream.on('end', done);
      stream.on('data', (output: Uint8Array) => rest.push(output));
      stream.end();
    });
    yield* rest;
  } finally {
    stream.destroy();
  }
}

type Callback = (error?: Error | null) => void;

/** Runs one step to its completion. zlib tells an error to the callback, or by an event alone. */
function steps(stream: Gunzip): (start: (done: Callback) => void) => Promise<void> {
  let report: Callback = () => undefined;
  stream.on('error', (error) => {
    report(error);
  });
  return async (start) => {
    await new Promise<void>((resolve, reject) => {
      report = (error) => {
        if (error) reject(new GzipError(error));
        else resolve();
      };
      start(report);
    });
  };
}

function* available(stream: Gunzip): Generator<Uint8Array> {
  for (let output: unknown = stream.read(); output instanceof Uint8Array; output = stream.read()) yield output;
}

/** Whether bytes start with the gzip magic number. */
export function isGzip(start: Uint8Array): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}
