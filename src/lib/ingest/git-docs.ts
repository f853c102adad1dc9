import * as z from 'zod';
import { normalizeText } from '../core/text.ts';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import type { Document } from '../corpus/document.ts';
import type { RepoFacts } from '../corpus/store.ts';
import { versionTime } from '../corpus/version.ts';
import { query } from '../engine/database.ts';
import type { ObjectId } from '../engine/git.ts';
import { decodeText } from './decode.ts';
import { DocTimes, type KnownHistory } from './doc-times.ts';
import { type GitSource, gitDocument } from './git-source.ts';
import { covers, parseMark } from './mark.ts';
import { countSkipped, type Run, Surface } from './run.ts';
import { isDocumentPath } from './selection.ts';

/** Larger documents are not prose. */
const MAX_DOC_BYTES = 4 * 1024 * 1024;

/**
 * Watermark. Every stored doc is as the commit `head` has it, and `head` has no others but those that were left out by
 * `rules`, for what they hold, or because they were touched last before `since` (ms).
 */
const docsMark = z.object({
  format: z.literal(INDEX_FORMAT),
  head: z.string().nullable(),
  since: z.number().nullable(),
  rules: z.string(),
  cut: z.string(),
  branch: z.string().nullable(),
  /** Newest time of any path in the history of `head`, ms. */
  newest: z.number(),
  /** Whether the time of every stored doc is that of a commit. */
  timed: z.boolean(),
  /** Commit that a run on its way, or an interrupted one, is about to bring the docs to. */
  toward: z.string().nullable(),
  /** Whether docs may be stored in the form of an older format. */
  outdated: z.boolean(),
});
type DocsMark = z.output<typeof docsMark>;

const storedDoc = z.object({ key: z.string(), path: z.string(), blob: z.string(), updated_at: z.int() });
type StoredDoc = z.output<typeof storedDoc>;

interface Candidate {
  /** Path as git has it, and as it is stored. */
  readonly gitPath: string;
  readonly path: string;
  readonly blob: ObjectId;
  /** Newest committer date of a commit that touched the path, ms; 0: unknown; undefined: not looked for yet. */
  readonly time: number | undefined;
}

/**
 * Brings the docs of a repository to the state of HEAD: new and changed ones are written, deleted ones leave. `since`
 * leaves docs out that are not indexed yet; those that are follow HEAD.
 */
export async function ingestDocs(run: Run, source: GitSource): Promise<void> {
  const { progress } = run.engine;
  const { repo, head, repository, rules } = source;
  const since = run.since ?? null;
  const surface = await Surface.open(run, repo, 'git:docs');
  const mark = parseMark(docsMark, surface.mark);
  if (mark !== undefined && isDone(mark, source, since)) return;

  const base = mark !== undefined && (await isBase(mark, source, since)) ? mark : undefined;
  const outdated = mark?.outdated ?? surface.mark !== null;
  const times = await DocTimes.of(repository, head, knownHistory(base));
  const stored = await storedDocs(run, repo);
  const wanted: Candidate[] = [];
  const present = new Set<string>();
  let timed = true;
  let tooOld = 0;
  const leaveOld = (): void => {
    countSkipped(run, 'before since');
    tooOld += 1;
  };
  for await (const { path: gitPath, blob } of repository.tree(head)) {
    if (!isDocumentPath(gitPath)) continue;
    const reason = rules.exclusion(gitPath);
    if (reason !== undefined) {
      countSkipped(run, reason);
      continue;
    }
    const path = normalizeText(gitPath);
    present.add(path);
    const before = stored.get(path);
    const time = times.quick(gitPath, base === undefined ? undefined : before?.updated_at);
    const isOld = before === undefined && since !== null && time !== undefined && time < since;
    // What is not stored and was not touched since was left out for its age before.
    const wasOld = before === undefined && base?.since !== undefined && base.since !== null && !times.isRecent(gitPath);
    const isSame = before?.blob === blob && !outdated && (time === 0 || time === before.updated_at);
    if (wasOld) countSkipped(run, 'before since');
    else if (isOld) leaveOld();
    else if (isSame) run.report.unchanged += 1;
    else wanted.push({ gitPath, path, blob, time });
    if (isSame && time === 0) timed = false;
  }

  const pending: DocsMark = base === undefined ? freshMark(source, since, outdated) : { ...base, toward: head };
  const pendingText = JSON.stringify({ ...pending, toward: head } satisfies DocsMark);
  progress.start('docs', wanted.length);
  let read = 0;
  for await (const bytes of repository.blobs(
    wanted.map((candidate) => candidate.blob),
    MAX_DOC_BYTES,
  )) {
    const candidate = wanted[read];
    read += 1;
    if (candidate === undefined) break;
    const text = bytes === null ? undefined : decodeText(bytes);
    if (text === undefined) {
      countSkipped(run, bytes === null ? 'too large or missing' : 'binary');
      present.delete(candidate.path);
    } else {
      const time = candidate.time ?? (await times.search(candidate.gitPath));
      if (time === 0) timed = false;
      if (since !== null && time < since && !stored.has(candidate.path)) leaveOld();
      else surface.add(docDocument(run, repo, candidate, time, text));
    }
    if (surface.full) await surface.progress(pendingText);
    progress.advance(read);
  }
  for (const doc of stored.values()) if (!present.has(doc.path)) surface.remove(doc.key);
  const done: DocsMark = {
    ...freshMark(source, tooOld > 0 ? since : (base?.since ?? null), false),
    head,
    newest: times.newest,
    timed,
  };
  const facts: RepoFacts = {
    headCommit: head,
    ...(repository.defaultBranch !== null && { defaultBranch: repository.defaultBranch }),
  };
  await surface.complete(JSON.stringify(done), { facts: new Map([[repo, facts]]) });
  progress.end();
}

function freshMark({ rules, cut, repository }: GitSource, since: number | null, outdated: boolean): DocsMark {
  return {
    format: INDEX_FORMAT,
    head: null,
    since,
    rules: rules.digest,
    cut,
    branch: repository.defaultBranch,
    newest: 0,
    timed: true,
    toward: null,
    outdated,
  };
}

function isDone(mark: DocsMark, { head, rules, cut, repository }: GitSource, since: number | null): boolean {
  const sameView = mark.rules === rules.digest && mark.cut === cut && mark.branch === repository.defaultBranch;
  return mark.head === head && mark.toward === null && sameView && covers(mark.since, since);
}

/** Whether the docs can be brought to HEAD from where they stand, or must all be looked at anew. */
async function isBase(mark: DocsMark, { head, rules, cut, repository }: GitSource, since: number | null) {
  const sameView = mark.rules === rules.digest && mark.cut === cut && mark.timed && covers(mark.since, since);
  if (!sameView || mark.head === null || !(await repository.isAncestor(mark.head, head))) return false;
  // An interrupted run left docs of the commit that it went to.
  return mark.toward === null || (await repository.isAncestor(mark.toward, head));
}

function knownHistory(base: DocsMark | undefined): KnownHistory | undefined {
  return base === undefined || base.head === null ? undefined : { head: base.head, newest: base.newest };
}

/** Docs that came from git, by path; what came from an export is not git's to remove. */
async function storedDocs(run: Run, repo: string): Promise<Map<string, StoredDoc>> {
  const [rows] = await run.engine.database.read([
    query(
      `SELECT d.key, d.path, d.blob, d.updated_at FROM documents d JOIN repos r ON r.id = d.repo_id
       WHERE r.slug = ? AND d.type = 'doc' AND d.blob IS NOT NULL AND d.path IS NOT NULL`,
      [repo],
      (row) => storedDoc.parse(row),
    ),
  ]);
  return new Map(rows.map((row) => [row.path, row]));
}

function docDocument(run: Run, repo: string, { path, blob }: Candidate, time: number, text: string): Document {
  const known = time > 0;
  const updatedAt = known ? time : run.engine.clock.now();
  return gitDocument({
    repo,
    type: 'doc',
    path,
    title: path.slice(path.lastIndexOf('/') + 1),
    body: normalizeText(text.replace(/^\uFEFF/, '')),
    createdAt: updatedAt,
    updatedAt,
    version: versionTime(updatedAt),
    versionIsKnown: known,
    blob,
  });
}
