import * as z from 'zod';
import { normalizeText } from '../core/text.ts';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import type { Document } from '../corpus/document.ts';
import { documentKey } from '../corpus/store.ts';
import { versionTime } from '../corpus/version.ts';
import type { Commit, CommitRange, FilePatch, GitRepository } from '../engine/git.ts';
import { type GitSource, gitDocument } from './git-source.ts';
import { covers, parseMark } from './mark.ts';
import { countSkipped, type Run, Surface } from './run.ts';

/**
 * Watermark of the history. Every commit reachable from `base` is indexed (from `since` on). A run in progress walks
 * from `target` down to `base`, newest first, and has done `skip` commits.
 */
const diffsMark = z.object({
  format: z.literal(INDEX_FORMAT),
  since: z.number().nullable(),
  rules: z.string(),
  cut: z.string(),
  base: z.string().nullable(),
  target: z.string().nullable(),
  skip: z.int(),
  /** Whether diffs may be stored that `rules` leave out: other rules held when they were indexed. */
  prune: z.boolean(),
});
type DiffsMark = z.output<typeof diffsMark>;

/**
 * Indexes the commits that were not indexed yet. Commits are history: what was indexed stays, also after a force-push.
 * Only what the repository came to call generated or vendored leaves.
 */
export async function ingestDiffs(run: Run, source: GitSource): Promise<void> {
  const { head, repository } = source;
  const surface = await Surface.open(run, source.repo, 'git:diffs');
  let mark = await resume(run, source, surface.mark);
  if (mark.target !== null) mark = await walk(run, source, surface, mark, mark.target);
  const isIndexed = mark.base !== null && (mark.base === head || (await repository.isAncestor(head, mark.base)));
  if (!isIndexed) await walk(run, source, surface, mark, head);
}

/** The stored watermark where it still holds for this repository and these options, else a fresh start. */
async function resume(run: Run, source: GitSource, stored: string | null): Promise<DiffsMark> {
  const { repository, rules, cut, head } = source;
  const since = run.since ?? null;
  const mark = parseMark(diffsMark, stored);
  const prune = mark === undefined ? stored !== null : mark.prune || mark.rules !== rules.digest;
  const fresh: DiffsMark = {
    format: INDEX_FORMAT,
    since: null,
    rules: rules.digest,
    cut,
    base: null,
    target: null,
    skip: 0,
    prune,
  };
  const holds =
    mark !== undefined &&
    mark.cut === cut &&
    mark.rules === rules.digest &&
    covers(mark.since, since) &&
    // A base that no longer exists (rewritten history, another clone) cannot bound a walk.
    (mark.base === null || (await repository.hasCommit(mark.base)));
  if (!holds) return { ...fresh, since: await boundOf(repository, fresh, since, head) };
  const bound = await boundOf(repository, mark, since, head);
  // What `skip` counts depends on the bounds of the walk. A target that is not in the history any more is not wanted.
  const resumable = mark.target !== null && mark.since === bound && (await repository.isAncestor(mark.target, head));
  return resumable ? mark : { ...mark, since: bound, target: null, skip: 0 };
}

/**
 * From which time on a walk from `head` down to the base of a mark reads, so that it gives what was asked for. That of the
 * mark where this makes no difference, for the mark then keeps what it says: a later run has less to do.
 */
async function boundOf(
  repository: GitRepository,
  { base, since: marked }: DiffsMark,
  since: number | null,
  head: string,
): Promise<number | null> {
  if (since === null || since === marked) return since;
  const range = { from: head, not: base === null ? [] : [base] };
  const all = await repository.count({ ...range, since: marked ?? undefined });
  return all === (await repository.count({ ...range, since })) ? marked : since;
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
  const step = run.engine.progress.start('commits', await repository.count(range));
  let done = 0;
  const store = async (): Promise<void> => {
    await surface.progress(JSON.stringify({ ...from, target, skip: start + done } satisfies DiffsMark));
  };
  for await (const commit of repository.log(range)) {
    for (const file of commit.files) {
      // Within a commit too: the first one of a repository may have all of its files. It is then read again on resuming.
      if (surface.full) await store();
      const excluded = rules.exclusion(file.path);
      const reason = excluded ?? (file.binary ? 'binary' : undefined);
      if (reason === undefined) surface.add(diffDocument(repo, commit, file));
      else countSkipped(run, reason);
      if (excluded !== undefined && from.prune) surface.remove(documentKey(diffDocument(repo, commit, file)));
    }
    done += 1;
    if (surface.full) await store();
    step.advance(done);
  }
  const prune = from.prune && (from.since !== null || from.base !== null);
  const end: DiffsMark = { ...from, base: target, target: null, skip: 0, prune };
  await surface.complete(JSON.stringify(end));
  step.end();
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
    body: patchBody(file),
    preface: `${message}${renamed}`,
    author: normalizeText(commit.author.name) || null,
    createdAt: commit.committer.time,
    updatedAt: commit.committer.time,
    version: versionTime(commit.committer.time),
  });
}

/** The patch; of one that was left out for its size its numbers; nothing for a link, a submodule, and missing contents. */
function patchBody({ patch, additions, deletions }: FilePatch): string {
  if (patch !== null) return normalizeText(patch);
  return additions + deletions === 0 ? '' : `+${String(additions)} -${String(deletions)}`;
}
