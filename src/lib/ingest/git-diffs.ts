import * as z from 'zod';
import { normalizeText } from '../core/text.ts';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import type { Document } from '../corpus/document.ts';
import { versionTime } from '../corpus/version.ts';
import type { Commit, CommitRange, FilePatch } from '../engine/git.ts';
import { type GitSource, gitDocument } from './git-source.ts';
import { countSkipped, type Run, Surface } from './run.ts';

/**
 * Watermark of the history. Every commit reachable from `base` is indexed (from `since` on). A run in progress walks
 * from `target` down to `base`, newest first, and has done `skip` commits.
 */
const diffsMark = z.object({
  format: z.literal(INDEX_FORMAT),
  since: z.number().nullable(),
  rules: z.string(),
  shallow: z.array(z.string()),
  base: z.string().nullable(),
  target: z.string().nullable(),
  skip: z.int(),
});
type DiffsMark = z.output<typeof diffsMark>;

/** Indexes the commits that were not indexed yet. Commits are history: what was indexed stays, also after a force-push. */
export async function ingestDiffs(run: Run, source: GitSource): Promise<void> {
  const surface = await Surface.open(run, source.repo, 'git:diffs');
  let mark = await resume(run, source, surface.mark);
  if (mark.target !== null && mark.target !== source.head) {
    mark = await walk(run, source, surface, mark, mark.target);
  }
  if (mark.base !== source.head) mark = await walk(run, source, surface, mark, source.head);
}

/** The stored watermark where it still holds for this repository and these options, else a fresh start. */
async function resume(run: Run, { repository, rules }: GitSource, stored: string | null): Promise<DiffsMark> {
  const since = run.since ?? null;
  const fresh: DiffsMark = {
    format: INDEX_FORMAT,
    since,
    rules: rules.digest,
    shallow: [...repository.shallow],
    base: null,
    target: null,
    skip: 0,
  };
  if (stored === null) return fresh;
  const parsed = diffsMark.safeParse(JSON.parse(stored));
  if (!parsed.success) return fresh;
  const mark = parsed.data;
  const covered = mark.since === null || (since !== null && since >= mark.since);
  const sameCut = mark.shallow.join() === fresh.shallow.join();
  if (!covered || !sameCut || mark.rules !== fresh.rules) return fresh;
  // A base or target that no longer exists (rewritten history, other clone) cannot bound a walk.
  if (mark.base !== null && !(await repository.hasCommit(mark.base))) return fresh;
  // What `skip` counts depends on the bounds of the walk.
  const resumable = mark.target !== null && mark.since === since && (await repository.hasCommit(mark.target));
  return resumable ? mark : { ...mark, since, target: null, skip: 0 };
}

async function walk(
  run: Run,
  { repo, repository, rules }: GitSource,
  surface: Surface,
  from: DiffsMark,
  target: string,
): Promise<DiffsMark> {
  const start = from.target === target ? from.skip : 0;
  const range: CommitRange = {
    from: target,
    not: from.base === null ? [] : [from.base],
    since: from.since ?? undefined,
    skip: start,
  };
  const { progress } = run.engine;
  progress.start('commits', await repository.count(range));
  let done = 0;
  for await (const commit of repository.log(range)) {
    for (const file of commit.files) {
      const reason = file.binary ? 'binary' : rules.exclusion(file.path);
      if (reason === undefined) surface.add(diffDocument(repo, commit, file));
      else countSkipped(run, reason);
    }
    done += 1;
    if (surface.full) {
      await surface.progress(JSON.stringify({ ...from, target, skip: start + done } satisfies DiffsMark));
      progress.advance(done);
    }
  }
  const end: DiffsMark = { ...from, base: target, target: null, skip: 0 };
  await surface.complete(JSON.stringify(end));
  progress.end();
  return end;
}

function diffDocument(repo: string, commit: Commit, file: FilePatch): Document {
  const message = normalizeText(commit.message).trim();
  const [subject = ''] = message.split('\n', 1);
  const renamed = file.previousPath === null ? '' : `\n${file.status} from ${normalizeText(file.previousPath)}`;
  return gitDocument({
    repo,
    type: 'diff',
    commit: commit.id,
    path: normalizeText(file.path),
    title: subject,
    // A patch that was left out for its size keeps its numbers.
    body: file.patch === null ? `+${String(file.additions)} -${String(file.deletions)}` : normalizeText(file.patch),
    preface: `${message}${renamed}`,
    author: normalizeText(commit.author.name) || null,
    createdAt: commit.committer.time,
    updatedAt: commit.committer.time,
    version: versionTime(commit.committer.time),
  });
}
