import { isUtf8 } from 'node:buffer';
import type { FilePatch } from '../../engine/git.ts';
import type { GitRunner } from './child.ts';
import { filePatch, Patches } from './diff-tree.ts';
import { isObjectId, ObjectInspector } from './objects.ts';
import { PATH_LIMIT, type RawEntry } from './raw-entry.ts';
import type { Revision } from './revisions.ts';
import { decodePath } from './text.ts';

// Of more paths than this (in number, or in bytes together) the whole commit is compared instead of naming them.
const PATHS_LIMIT = 500;
const PATH_BYTES_LIMIT = 64 * 1024;

/**
 * The patches of some of a commit's changed files against its first parent, in the order of `entries`, without renames:
 * what a merge changed by itself, and what can be told of a commit whose other files are missing. Files whose contents
 * are missing get a null patch and no counts. `suspect` says that contents may be missing and must be looked for first.
 */
export async function selectedPatches(
  git: GitRunner,
  revision: Revision,
  entries: readonly RawEntry[],
  suspect: boolean,
): Promise<FilePatch[]> {
  const wanted = entries.filter((entry) => entry.path.length <= PATH_LIMIT);
  const computed =
    (suspect ? null : await compute(git, revision, wanted)) ??
    (await compute(git, revision, await withContents(git, wanted))) ??
    new Map<string, FilePatch>();
  return wanted.map((entry) => computed.get(decodePath(entry.path)) ?? filePatch(entry, false, null));
}

async function compute(
  git: GitRunner,
  revision: Revision,
  entries: readonly RawEntry[],
): Promise<Map<string, FilePatch> | null> {
  if (entries.length === 0) return new Map();
  const patches = new Patches(git, '--no-renames', pathspecs(entries));
  try {
    patches.request(revision.id, revision.parents[0]);
    const files = await patches.read();
    return files === null ? null : new Map(files.map((file) => [file.path, file]));
  } finally {
    await patches.stop();
  }
}

/** The paths as arguments of git; none, which stands for all, where one cannot be an argument. */
function pathspecs(entries: readonly RawEntry[]): string[] {
  const bytes = entries.reduce((sum, entry) => sum + entry.path.length, 0);
  if (entries.length > PATHS_LIMIT || bytes > PATH_BYTES_LIMIT) return [];
  const paths = entries.map((entry) => (isUtf8(entry.path) ? entry.path.toString('utf8') : ''));
  // A tree made by hand can hold names such as `..`, which git refuses as an argument.
  const plain = paths.every((path) => path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'));
  return plain ? paths : [];
}

async function withContents(git: GitRunner, entries: readonly RawEntry[]): Promise<RawEntry[]> {
  const inspector = new ObjectInspector(git);
  try {
    const present: RawEntry[] = [];
    for (const entry of entries) {
      const ids = contentIds(entry);
      for (const id of ids) inspector.request(id);
      const infos = [];
      while (infos.length < ids.length) infos.push(await inspector.info());
      if (!infos.includes(null)) present.push(entry);
    }
    return present;
  } finally {
    await inspector.stop();
  }
}

function contentIds(entry: RawEntry): string[] {
  const sides = [
    { mode: entry.oldMode, id: entry.oldId },
    { mode: entry.newMode, id: entry.newId },
  ];
  return sides.filter(({ mode, id }) => mode !== '000000' && mode !== '160000' && isObjectId(id)).map(({ id }) => id);
}
