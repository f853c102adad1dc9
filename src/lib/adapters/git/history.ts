import type { Commit, CommitRange, FilePatch, ObjectId } from '../../engine/git.ts';
import type { GitRunner } from './child.ts';
import { ChangedFiles, ChangedPaths, Patches } from './diff-tree.ts';
import { parseCommit } from './object-text.ts';
import { ObjectReader } from './objects.ts';
import { type Revision, revisions } from './revisions.ts';
import { selectedPatches } from './selected-patches.ts';

/** Bytes of a commit object that are read: of a longer message the beginning is given. */
export const COMMIT_OBJECT_LIMIT = 1 << 20;

// Commits that are asked for ahead of the one that is read, so that no process waits for another's answer.
const AHEAD = 256;

// After so many commits with missing objects the clone is taken for a partial one: what is there is asked first.
const DAMAGED_LIMIT = 8;

/** The commits whose parents are missing because the clone is shallow. */
type Cut = ReadonlySet<ObjectId>;

/**
 * Gives the members of a list in turns, for ever. Two processes share what takes most of the time: while one of them waits
 * to be read, the other goes on.
 */
function inTurns<Member>(members: readonly [Member, ...Member[]]): () => Member {
  let turn = 0;
  return () => members[turn++ % members.length] ?? members[0];
}

/**
 * The commits of a range with their patches. Five processes at most walk the range side by side, each for what it is
 * fast at: the list of commits, their objects, the patches of ordinary commits, the changed files of merges.
 */
export async function* history(git: GitRunner, range: CommitRange, cut: Cut): AsyncGenerator<Commit> {
  const objects = new ObjectReader(git);
  const patches = [new Patches(git, '--find-renames=50%'), new Patches(git, '--find-renames=50%')] as const;
  const nextPatches = inTurns(patches);
  const changes = new ChangedFiles(git);
  const rescue = new ChangedFiles(git);
  let damaged = 0;

  const ask = (revision: Revision): { revision: Revision; source: ChangedFiles | Patches | null } => {
    const source = revision.parents.length > 1 || damaged >= DAMAGED_LIMIT ? changes : nextPatches();
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
    await Promise.all([objects, ...patches, changes, rescue].map((each) => each.stop()));
  }
}

/** For every path that a range touches, the newest committer date (ms) of a commit that does. */
export async function touchedPaths(git: GitRunner, range: CommitRange, cut: Cut): Promise<Map<string, number>> {
  const newest = new Map<string, number>();
  const changes = [new ChangedPaths(git), new ChangedPaths(git)] as const;
  const nextChanges = inTurns(changes);
  try {
    for await (const { revision, source } of ahead(revisions(git, range), (next) => {
      if (cut.has(next.id)) return { revision: next, source: null };
      const asked = nextChanges();
      asked.request(next.id);
      return { revision: next, source: asked };
    })) {
      for (const path of (await source?.read()) ?? []) {
        newest.set(path, Math.max(newest.get(path) ?? 0, revision.time));
      }
    }
  } finally {
    await Promise.all(changes.map((each) => each.stop()));
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
