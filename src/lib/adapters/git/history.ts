import type { Commit, CommitRange, FilePatch, ObjectId } from '../../engine/git.ts';
import type { GitRunner } from './child.ts';
import { ChangedFiles, Patches } from './diff-tree.ts';
import { parseCommit } from './object-text.ts';
import { ObjectReader } from './objects.ts';
import { PATH_LIMIT, type RawEntry } from './raw-entry.ts';
import { type Revision, revisions } from './revisions.ts';
import { selectedPatches } from './selected-patches.ts';
import { decodePath } from './text.ts';

/** Bytes of a commit object that are read: of a longer message the beginning is given. */
export const COMMIT_OBJECT_LIMIT = 1 << 20;

// Commits that are asked for ahead of the one that is read, so that no process waits for another's answer.
const AHEAD = 64;

// After so many commits with missing objects the clone is taken for a partial one: what is there is asked first.
const DAMAGED_LIMIT = 8;

/** The commits whose parents are missing because the clone is shallow. */
type Cut = ReadonlySet<ObjectId>;

/**
 * The commits of a range with their patches. Four processes at most walk the range side by side, each for what it is
 * fast at: the list of commits, their objects, the patches of ordinary commits, the changed files of merges.
 */
export async function* history(git: GitRunner, range: CommitRange, cut: Cut): AsyncGenerator<Commit> {
  const objects = new ObjectReader(git);
  const patches = new Patches(git, '--find-renames=50%');
  const changes = new ChangedFiles(git);
  const rescue = new ChangedFiles(git);
  let damaged = 0;

  const ask = (revision: Revision): { revision: Revision; source: ChangedFiles | Patches | null } => {
    const source = revision.parents.length > 1 || damaged >= DAMAGED_LIMIT ? changes : patches;
    objects.request(revision.id);
    if (cut.has(revision.id)) return { revision, source: null };
    source.request(revision.id);
    return { revision, source };
  };
  const filesOf = async (revision: Revision, source: ChangedFiles | Patches): Promise<FilePatch[]> => {
    if (source instanceof Patches) {
      const files = await source.read();
      if (files !== null) return files;
      damaged += 1;
      rescue.request(revision.id);
    }
    const entries = await (source instanceof Patches ? rescue : source).read();
    return entries === null ? [] : selectedPatches(git, revision, entries, damaged > 0);
  };

  try {
    for await (const { revision, source } of ahead(revisions(git, range), ask)) {
      const object = await objects.contents(COMMIT_OBJECT_LIMIT);
      const files = source === null ? [] : await filesOf(revision, source);
      yield { id: revision.id, ...parseCommit(object?.bytes ?? Buffer.alloc(0)), files };
    }
  } finally {
    await Promise.all([objects.stop(), patches.stop(), changes.stop(), rescue.stop()]);
  }
}

/** For every path that a range touches, the newest committer date (ms) of a commit that does. */
export async function touchedPaths(git: GitRunner, range: CommitRange, cut: Cut): Promise<Map<string, number>> {
  const newest = new Map<string, number>();
  const changes = new ChangedFiles(git);
  try {
    for await (const revision of ahead(revisions(git, range), (next) => {
      if (!cut.has(next.id)) changes.request(next.id);
      return next;
    })) {
      const entries: readonly RawEntry[] = cut.has(revision.id) ? [] : ((await changes.read()) ?? []);
      for (const entry of entries) {
        if (entry.path.length > PATH_LIMIT) continue;
        const path = decodePath(entry.path);
        newest.set(path, Math.max(newest.get(path) ?? 0, revision.time));
      }
    }
  } finally {
    await changes.stop();
  }
  return newest;
}

/** Gives items in order, after `ask` was called for them and for AHEAD or more of those that follow. */
async function* ahead<Item, Asked>(items: AsyncIterable<Item>, ask: (item: Item) => Asked): AsyncGenerator<Asked> {
  let asked: Asked[] = [];
  for await (const item of items) {
    // Asked in groups, so that requests travel together.
    if (asked.push(ask(item)) < 2 * AHEAD) continue;
    yield* asked.slice(0, AHEAD);
    asked = asked.slice(AHEAD);
  }
  yield* asked;
}
