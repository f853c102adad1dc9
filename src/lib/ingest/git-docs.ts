import * as z from 'zod';
import { normalizeText } from '../core/text.ts';
import type { Document } from '../corpus/document.ts';
import type { RepoFacts } from '../corpus/store.ts';
import { versionTime } from '../corpus/version.ts';
import { query } from '../engine/database.ts';
import type { ObjectId } from '../engine/git.ts';
import { decodeText } from '../core/decode-text.ts';
import { DocTimes } from './doc-times.ts';
import { type DocsMark, docsMark, freshMark, isBase, isDone, knownHistory } from './docs-mark.ts';
import { type GitSource, gitDocument } from './git-source.ts';
import { parseMark } from './mark.ts';
import { countSkipped, type Run, Surface } from './run.ts';

/** Larger documents are not prose. */
export const MAX_DOC_BYTES = 4 * 1024 * 1024;

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

/** What is to be done with the docs of HEAD. */
interface Plan {
  readonly wanted: Candidate[];
  /** Paths that stay, or are wanted. */
  readonly present: Set<string>;
  /** Whether the time of every doc that stays is that of a commit. */
  timed: boolean;
  /** Docs that are left out for their age, beside those that were before. */
  tooOld: number;
}

/**
 * Brings the docs of a repository to the state of HEAD: new and changed ones are written, deleted ones leave. `since`
 * leaves docs out that are not indexed yet; those that are follow HEAD.
 */
export async function ingestDocs(run: Run, source: GitSource): Promise<void> {
  const { repo, head, repository } = source;
  const since = run.since ?? null;
  const surface = await Surface.open(run, repo, source.docs.surface);
  const mark = parseMark(docsMark, surface.mark);
  if (mark !== undefined && isDone(mark, source, since)) return;

  const base = mark !== undefined && (await isBase(mark, source, since)) ? mark : undefined;
  const outdated = mark?.outdated ?? surface.mark !== null;
  const times = await DocTimes.of(repository, head, knownHistory(base));
  const stored = await storedDocs(run, source);
  const plan = await planDocs(run, source, { base, outdated, times, stored });
  const pending: DocsMark = { ...(base ?? freshMark(source, since, outdated)), toward: head };
  await writeDocs(run, source, { surface, pending, times, stored, plan });
  for (const doc of stored.values()) if (!plan.present.has(doc.path)) surface.remove(doc.key);
  const done: DocsMark = {
    ...freshMark(source, plan.tooOld > 0 ? since : (base?.since ?? null), false),
    head,
    newest: times.newest,
    timed: plan.timed,
  };
  const facts: RepoFacts =
    source.docs.type === 'wiki_doc'
      ? {}
      : {
          headCommit: head,
          ...(repository.defaultBranch !== null && { defaultBranch: repository.defaultBranch }),
        };
  await surface.complete(JSON.stringify(done), { facts: new Map([[repo, facts]]) });
}

/** Compares the tree of HEAD with what is stored. */
async function planDocs(
  run: Run,
  { repository, head, rules, docs }: GitSource,
  known: {
    readonly base: DocsMark | undefined;
    readonly outdated: boolean;
    readonly times: DocTimes;
    readonly stored: ReadonlyMap<string, StoredDoc>;
  },
): Promise<Plan> {
  const { base, outdated, times, stored } = known;
  const plan: Plan = { wanted: [], present: new Set(), timed: true, tooOld: 0 };
  for await (const { path: gitPath, blob } of repository.tree(head)) {
    const path = docs.pathOf(gitPath);
    // Of two files that are stored under one path, the first is it.
    if (path === undefined || plan.present.has(path)) continue;
    const reason = rules.exclusion(gitPath);
    if (reason !== undefined) {
      countSkipped(run, reason);
      continue;
    }
    plan.present.add(path);
    const before = stored.get(path);
    const time = times.quick(gitPath, base === undefined ? undefined : before?.updated_at);
    if (before === undefined && base !== undefined && base.since !== null && !times.isRecent(gitPath)) {
      // It was left out for its age before.
      countSkipped(run, 'before since');
    } else if (before === undefined && time !== undefined && isOld(run, time)) {
      plan.tooOld += 1;
      countSkipped(run, 'before since');
    } else if (before?.blob === blob && !outdated && (time === 0 || time === before.updated_at)) {
      run.report.unchanged += 1;
      plan.timed &&= time !== 0;
    } else {
      plan.wanted.push({ gitPath, path, blob, time });
    }
  }
  return plan;
}

/** Reads what is wanted and hands it to the surface, which stores it in batches. */
async function writeDocs(
  run: Run,
  source: GitSource,
  work: {
    readonly surface: Surface;
    readonly pending: DocsMark;
    readonly times: DocTimes;
    readonly stored: ReadonlyMap<string, StoredDoc>;
    readonly plan: Plan;
  },
): Promise<void> {
  const { surface, pending, times, stored, plan } = work;
  const { repository } = source;
  const blobs = plan.wanted.map((candidate) => candidate.blob);
  const step = run.engine.progress.start(source.docs.step, blobs.length);
  let read = 0;
  for await (const bytes of repository.blobs(blobs, MAX_DOC_BYTES)) {
    const candidate = plan.wanted[read];
    read += 1;
    if (candidate === undefined) break;
    const text = bytes === null ? undefined : decodeText(bytes);
    if (text === undefined) {
      countSkipped(run, bytes === null ? 'too large or missing' : 'binary');
      plan.present.delete(candidate.path);
    } else {
      const time = candidate.time ?? (await times.search(candidate.gitPath));
      if (isOld(run, time) && !stored.has(candidate.path)) {
        plan.tooOld += 1;
        countSkipped(run, 'before since');
      } else {
        plan.timed &&= time !== 0;
        surface.add(docDocument(run, source, candidate, time, text));
      }
    }
    if (surface.full) await surface.progress(JSON.stringify(pending));
    step.advance(read);
  }
  step.end();
}

function isOld({ since }: Run, time: number): boolean {
  return since !== undefined && time < since;
}

/** Docs that came from git, by path; what came from an export is not git's to remove. */
export async function storedDocs(
  run: Run,
  { repo, docs }: Pick<GitSource, 'repo' | 'docs'>,
): Promise<Map<string, StoredDoc>> {
  const [rows] = await run.engine.database.read([
    query(
      `SELECT d.key, d.path, d.blob, d.updated_at FROM documents d JOIN repos r ON r.id = d.repo_id
       WHERE r.slug = ? AND d.type = ? AND d.blob IS NOT NULL AND d.path IS NOT NULL`,
      [repo, docs.type],
      (row) => storedDoc.parse(row),
    ),
  ]);
  return new Map(rows.map((row) => [row.path, row]));
}

/** A file as a document; `time` is when it was touched last, in milliseconds, 0 where that is not known. */
export function docDocument(
  run: Run,
  { repo, docs }: Pick<GitSource, 'repo' | 'docs'>,
  { path, blob }: Pick<Candidate, 'path' | 'blob'>,
  time: number,
  text: string,
): Document {
  const known = time > 0;
  const updatedAt = known ? time : run.engine.clock.now();
  return gitDocument({
    repo,
    type: docs.type,
    path,
    title: docs.titleOf(path),
    body: normalizeText(text.replace(/^\uFEFF/, '')),
    createdAt: updatedAt,
    updatedAt,
    version: versionTime(updatedAt),
    versionIsKnown: known,
    blob,
  });
}
