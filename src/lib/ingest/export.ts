import { createHash } from 'node:crypto';
import { Failure } from '../core/failure.ts';
import type { Document } from '../corpus/document.ts';
import type { DocumentTypeName } from '../corpus/document-types.ts';
import { type Allowed, isAllowed } from '../engine/allow-list.ts';
import type { Files } from '../engine/files.ts';
import { decodeRecord } from './export-record.ts';
import { type Line, readLines } from './lines.ts';
import { type LeftOut, leftOut } from './selection.ts';

/** Why a record of a repository outside the list of allowed ones is not handed on. */
export const NOT_ALLOWED = 'not in allowed_repos';

/** Why a good record is not handed on: the contract leaves it out, or the caller did not ask for it. */
export type SkipReason = LeftOut | 'other repository' | typeof NOT_ALLOWED | 'other type' | 'before since';

/** What became of one line. */
export type ExportItem =
  | { readonly line: number; readonly document: Document; readonly warnings: readonly string[] }
  | { readonly line: number; readonly skipped: SkipReason }
  | { readonly line: number; readonly problem: string };

export interface ExportOptions {
  /** Stands for times that are missing, in milliseconds since the epoch. */
  readonly indexedAt: number;
  readonly signal: AbortSignal;
  readonly types?: ReadonlySet<DocumentTypeName> | undefined;
  /** Leaves out what changed last before this (ms). */
  readonly since?: number | undefined;
  /** Only records of this repository; case does not matter, as on GitHub. */
  readonly repo?: string | undefined;
  /** Leaves out records of every other repository. */
  readonly allowed: Allowed;
  /** Passes over this many lines from the start without looking at them. */
  readonly skipLines?: number | undefined;
}

/**
 * Reads an export file, plain or gzip, line by line; blank lines give nothing. Fails with `unreadable_input`, also at the
 * end of a truncated or corrupt gzip, after everything before the damage was given, and with `interrupted`.
 */
export async function* readExport(files: Files, path: string, options: ExportOptions): AsyncGenerator<ExportItem> {
  const { signal, skipLines = 0 } = options;
  let lastGood = 0;
  const delivered = { bytes: 0 };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of files.read(path, signal)) {
      delivered.bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    for await (const line of readLines(chunks())) {
      if (signal.aborted) {
        throw new Failure('interrupted', `reading ${path} was interrupted`, { cause: signal.reason });
      }
      if (line.number > skipLines) {
        const item = readLine(line, options);
        if (item === undefined) continue;
        yield item;
        if ('problem' in item) continue;
      }
      lastGood = line.number;
    }
  } catch (error) {
    if (delivered.bytes === 0 || !(error instanceof Failure) || error.code !== 'unreadable_input') throw error;
    const where = lastGood === 0 ? 'no line before that is good' : `the last good line is ${String(lastGood)}`;
    throw new Failure('unreadable_input', `${error.message}; ${where}`, {
      ...(error.hint !== undefined && { hint: error.hint }),
      cause: error,
    });
  }
}

function readLine(line: Line, options: ExportOptions): ExportItem | undefined {
  const { number, text, complete } = line;
  if (text === null) return { line: number, problem: 'the line is longer than 8 MiB' };
  if (text.trim() === '') return undefined;
  const decoded = decodeRecord(text, options.indexedAt);
  if ('problem' in decoded) {
    const isCut = !complete && !decoded.isJson;
    return { line: number, problem: isCut ? 'the last line is cut off in the middle of a record' : decoded.problem };
  }
  const skipped = notAsked(decoded.document, options) ?? leftOut(decoded.document);
  return skipped === undefined ? { line: number, ...decoded } : { line: number, skipped };
}

function notAsked(document: Document, { repo, allowed, types, since }: ExportOptions): SkipReason | undefined {
  if (repo !== undefined && repo.toLowerCase() !== document.repo.toLowerCase()) return 'other repository';
  if (!isAllowed(allowed, document.repo)) return NOT_ALLOWED;
  if (types !== undefined && !types.has(document.type)) return 'other type';
  if (since !== undefined && document.updatedAt < since) return 'before since';
  return undefined;
}

/** SHA-256 of a file as it is stored, in lower-case hex, without holding it. Fails as `readExport` does on opening. */
export async function fileDigest(files: Files, path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of files.bytes(path, signal)) hash.update(chunk);
  return hash.digest('hex');
}
