import type { FilePatch, ObjectId } from '../../engine/git.ts';
import type { ByteReader } from './byte-reader.ts';
import { decodePath } from './text.ts';

const COLON = 0x3a;
const NUL = 0x00;

/** Paths over this many bytes are left out: no file system takes them. */
export const PATH_LIMIT = 16 * 1024;
const FIELD_LIMIT = 1 << 20;

/** One entry of `--raw -z`: a file that a commit changed. With `-c`, one that differs from every parent. */
export interface RawEntry {
  /** Mode in the first parent; `000000` when it is not there. */
  readonly oldMode: string;
  readonly newMode: string;
  /** Object in the first parent and in the commit; zeros when it is not there. */
  readonly oldId: ObjectId;
  readonly newId: ObjectId;
  readonly status: FilePatch['status'];
  readonly path: Buffer;
  readonly previousPath: Buffer | null;
}

const STATUS: Record<string, FilePatch['status']> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
};

/** Reads the entries up to whatever else follows. null when the stream ends inside of one or is not what it should be. */
export async function readRawEntries(reader: ByteReader): Promise<RawEntry[] | null> {
  const entries: RawEntry[] = [];
  while ((await reader.peek()) === COLON) {
    const fields = (await reader.record(NUL, FIELD_LIMIT))?.toString('latin1');
    const path = await reader.record(NUL, PATH_LIMIT);
    if (fields === undefined || path === null) return null;
    const entry = parseFields(fields);
    if (entry === undefined) return null;
    const named = entry.status === 'renamed' || entry.status === 'copied';
    const target = named ? await reader.record(NUL, PATH_LIMIT) : path;
    if (target === null) return null;
    // Copied out of the read buffer: of a commit with many files all of the entries are held until its patches have come.
    entries.push({ ...entry, path: Buffer.from(target), previousPath: named ? Buffer.from(path) : null });
  }
  return entries;
}

/** As {@link readRawEntries}, of entries that were made without renames, and of those only the paths. */
export async function readRawPaths(reader: ByteReader): Promise<string[] | null> {
  const paths: string[] = [];
  while ((reader.peekNow() ?? (await reader.peek())) === COLON) {
    const fields = reader.recordNow(NUL, FIELD_LIMIT) ?? (await reader.record(NUL, FIELD_LIMIT));
    const path = reader.recordNow(NUL, PATH_LIMIT) ?? (await reader.record(NUL, PATH_LIMIT));
    if (fields === null || path === null) return null;
    if (path.length <= PATH_LIMIT) paths.push(decodePath(path));
  }
  return paths;
}

function parseFields(text: string): Omit<RawEntry, 'path' | 'previousPath'> | undefined {
  const parents = text.lastIndexOf(':') + 1;
  const fields = text.slice(parents).split(' ');
  const letters = fields[2 * parents + 2] ?? '';
  const status = STATUS[letters.charAt(0)];
  const [oldMode, newMode, oldId, newId] = [0, parents, parents + 1, 2 * parents + 1].map((index) => fields[index]);
  if (oldMode === undefined || newMode === undefined || oldId === undefined || newId === undefined) return undefined;
  return status === undefined ? undefined : { oldMode, newMode, oldId, newId, status };
}

/** Whether both sides that exist are files, not symbolic links or submodules. */
export function isFileChange(entry: RawEntry): boolean {
  return [entry.oldMode, entry.newMode].every((mode) => mode === '000000' || mode.startsWith('100'));
}
