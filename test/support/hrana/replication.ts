import { existsSync, openSync, readFileSync, readSync } from 'node:fs';
import type Libsql from 'libsql';
import { openConnection } from './session.ts';

const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** Of the only generation there is: the log is never reset. */
const GENERATION = 1;

export interface ReplicationAnswer {
  readonly status: number;
  readonly body: Buffer | object;
}

/** To a replica that has every frame already. */
export const NO_NEWS = { status: 400, body: { generation: GENERATION } };

/**
 * What an embedded replica reads of a database: the file as it was when its log began, and the frames of the log.
 *
 * The frames are numbered from the beginning of the log, so nothing may reset it. A connection that only stays open does
 * not see to that: it holds no lock while it is idle, and the next one that closes takes itself for the last, folds the log
 * into the file and deletes it. One that keeps a read transaction open does.
 */
export class Replication {
  readonly #base: Buffer;
  readonly #keeper: Libsql.Database;
  readonly #logFile: string;
  #log: number | undefined;
  #frameBytes = 0;
  /** Up to the last commit that was seen. */
  #frames = 0;

  constructor(file: string) {
    this.#logFile = `${file}-wal`;
    // A log that an earlier server left behind goes on.
    if (!existsSync(this.#logFile)) {
      const db = openConnection(file);
      db.exec('PRAGMA journal_mode = WAL');
      db.close();
    }
    // Before this process locks the file: to close any descriptor of it would give up all its locks.
    this.#base = readFileSync(file);
    this.#keeper = openConnection(file);
    this.#keeper.exec('BEGIN');
    this.#keeper.prepare('SELECT count(*) FROM sqlite_schema').all([]);
  }

  close(): void {
    this.#keeper.close();
  }

  /** Null for a path that is none of replication. */
  answer(path: string): ReplicationAnswer | null {
    if (path === '/info') return { status: 200, body: { current_generation: GENERATION } };
    if (/^\/export\/\d+$/.test(path)) return { status: 200, body: this.#base };
    const sync = /^\/sync\/(\d+)\/(\d+)\/(\d+)$/.exec(path);
    if (sync === null) return null;
    const [generation = 0, first = 0, end = 0] = sync.slice(1).map(Number);
    const frames = this.#committed();
    if (generation !== GENERATION || first > frames) return NO_NEWS;
    const last = Math.min(end - 1, frames);
    return { status: 200, body: this.#read(this.#at(first), Math.max(0, last - first + 1) * this.#frameBytes) };
  }

  #at(frame: number): number {
    return LOG_HEADER + (frame - 1) * this.#frameBytes;
  }

  /** The number of frames up to the last commit. */
  #committed(): number {
    const header = this.#read(0, LOG_HEADER);
    if (header.length < LOG_HEADER) return 0;
    this.#frameBytes = FRAME_HEADER + header.readUInt32BE(8);
    const salt = header.subarray(16, 24);
    for (let frame = this.#frames + 1; ; frame += 1) {
      const found = this.#read(this.#at(frame), FRAME_HEADER);
      if (found.length < FRAME_HEADER || !salt.equals(found.subarray(8, 16))) return this.#frames;
      const pagesAfterCommit = found.readUInt32BE(4);
      if (pagesAfterCommit > 0) this.#frames = frame;
    }
  }

  #read(at: number, bytes: number): Buffer {
    if (this.#log === undefined && existsSync(this.#logFile)) this.#log = openSync(this.#logFile, 'r');
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, this.#log === undefined ? 0 : readSync(this.#log, buffer, 0, bytes, at));
  }
}
