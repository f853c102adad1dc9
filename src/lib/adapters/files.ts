import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Failure } from '../core/failure.ts';
import type { Files } from '../engine/files.ts';
import { GzipError, gunzip, isGzip } from './gunzip.ts';

const PIECE_BYTES = 64 * 1024;

/** Files of this machine. Nothing is read ahead: a slow consumer holds one piece. */
export function fileSystem(): Files {
  return {
    async kind(path) {
      const found = await attempt(path, () => stat(path)).catch((error: unknown) => {
        if (error instanceof Failure && isMissing(error.cause)) return undefined;
        throw error;
      });
      if (found === undefined) return 'missing';
      return found.isDirectory() ? 'directory' : 'file';
    },
    async size(path) {
      return (await attempt(path, () => stat(path))).size;
    },
    async *bytes(path, signal) {
      const file = await openFile(path, signal);
      try {
        yield* file.pieces(0, PIECE_BYTES);
      } finally {
        await file.close();
      }
    },
    async *read(path, signal) {
      const file = await openFile(path, signal);
      try {
        yield* (await file.isGzip()) ? gunzip(file.pieces) : file.pieces(0, PIECE_BYTES);
      } catch (error) {
        throw error instanceof GzipError ? gzipFailure(path, error) : error;
      } finally {
        await file.close();
      }
    },
  };
}

interface OpenFile {
  readonly pieces: (offset: number, size: number) => AsyncGenerator<Uint8Array>;
  readonly isGzip: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

async function openFile(path: string, signal: AbortSignal): Promise<OpenFile> {
  checkAborted(path, signal);
  // Without O_NONBLOCK, opening a named pipe would wait for a writer, perhaps for ever.
  const handle = await attempt(path, () => open(path, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    checkRegular(path, await attempt(path, () => handle.stat()));
  } catch (error) {
    await handle.close();
    throw error;
  }
  const piece = async (offset: number, size: number): Promise<Uint8Array> => {
    checkAborted(path, signal);
    return attempt(path, () => readAt(handle, offset, size));
  };
  return {
    async *pieces(offset, size) {
      let at = offset;
      for (let bytes = await piece(at, size); bytes.length > 0; bytes = await piece(at, size)) {
        at += bytes.length;
        yield bytes;
      }
    },
    isGzip: async () => isGzip(await piece(0, 2)),
    close: () => handle.close(),
  };
}

async function readAt(handle: FileHandle, offset: number, size: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(size);
  const { bytesRead } = await handle.read(buffer, 0, size, offset);
  return buffer.subarray(0, bytesRead);
}

function checkAborted(path: string, signal: AbortSignal): void {
  if (signal.aborted) throw new Failure('interrupted', `reading ${path} was interrupted`, { cause: signal.reason });
}

function checkRegular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw new Failure('unreadable_input', `cannot read ${path}: it is a directory, not a file`);
  throw notRegular(path);
}

function notRegular(path: string, cause?: unknown): Failure {
  return new Failure('unreadable_input', `cannot read ${path}: it is a pipe, socket or device, not a regular file`, {
    hint: 'Save its contents to a file and name that file.',
    cause,
  });
}

function gzipFailure(path: string, error: GzipError): Failure {
  const what = error.truncated ? 'is a gzip file that ends too early' : 'is a corrupt gzip file';
  return new Failure('unreadable_input', `${path} ${what}`, {
    hint: 'Make or download the file again; `gzip -t` checks it.',
    cause: error,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'too many open files',
  EIO: 'the disk reports an error',
};

async function attempt<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENXIO') throw notRegular(path, cause);
    const reason = REASONS[code ?? ''] ?? code ?? String(cause);
    throw new Failure('unreadable_input', `cannot read ${path}: ${reason}`, {
      ...(isMissing(cause) && { hint: 'Check the path.' }),
      cause,
    });
  }
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
