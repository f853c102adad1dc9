import { existsSync, readFileSync } from 'node:fs';

const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** Of the only generation there is: the log is never reset. */
const GENERATION = 1;

export interface ReplicationAnswer {
  readonly status: number;
  readonly body: Buffer | object;
}

/**
 * The endpoints an embedded replica reads: the file as it was when its log began, and the frames of the log. Null for any other
 * path.
 */
export function replicate(file: string, path: string): ReplicationAnswer | null {
  if (path === '/info') return { status: 200, body: { current_generation: GENERATION } };
  if (/^\/export\/\d+$/.test(path)) return { status: 200, body: readFileSync(file) };
  const sync = /^\/sync\/(\d+)\/(\d+)\/(\d+)$/.exec(path);
  if (sync === null) return null;
  const [generation = 0, first = 0, end = 0] = sync.slice(1).map(Number);
  const { log, frames, frameBytes } = readLog(file);
  if (generation !== GENERATION || first > frames) return { status: 400, body: { generation: GENERATION } };
  const at = (frame: number): number => LOG_HEADER + (frame - 1) * frameBytes;
  return { status: 200, body: log.subarray(at(first), at(Math.min(end - 1, frames) + 1)) };
}

/** The log up to its last commit. */
function readLog(file: string): { log: Buffer; frames: number; frameBytes: number } {
  const path = `${file}-wal`;
  const log = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (log.length < LOG_HEADER) return { log, frames: 0, frameBytes: FRAME_HEADER };
  const frameBytes = FRAME_HEADER + log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let frames = 0;
  for (let at = LOG_HEADER, frame = 1; at + frameBytes <= log.length; at += frameBytes, frame += 1) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    const pagesAfterCommit = log.readUInt32BE(at + 4);
    if (pagesAfterCommit > 0) frames = frame;
  }
  return { log, frames, frameBytes };
}
