import * as z from 'zod';
import { normalizeText } from '../core/text.ts';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import type { Document } from '../corpus/document.ts';
import { type RepoFacts } from '../corpus/store.ts';
import { versionTime } from '../corpus/version.ts';
import { query } from '../engine/database.ts';
import type { ObjectId } from '../engine/git.ts';
import { decodeText } from './decode.ts';
import { type GitSource, gitDocument } from './git-source.ts';
import { countSkipped, type Run, Surface } from './run.ts';
import { isDocumentPath } from './selection.ts';

/** Larger documents are not prose. */
export const MAX_DOC_BYTES = 4 * 1024 * 1024;

/** Watermark: the commit whose docs are indexed completely. */
const docsMark = z.object({
  format: z.literal(INDEX_FORMAT),
  head: z.string(),
  since: z.number().nullable(),
  rules: z.string(),
});

const storedDoc = z.object({ key: z.string(), path: z.string(), blob: z.string(), updated_at: z.int() });
type StoredDoc = z.output<typeof storedDoc>;

interface Candidate {
  readonly path: string;
  readonly blob: ObjectId;
  /** Newest committer date of a commit that touched the path, ms. */
  readonly time: number;
}

/** Brings the docs of a repository to the state of HEAD: new and changed ones are written, deleted ones leave. */
export async function ingestDocs(run: Run, source: GitSource): Promise<void> {
  const { engine } = run;
  const { repo, head, repository } = source;
  const surface = await Surface.open(run, repo, 'git:docs');
  const mark = parseMark(surface.mark);
  const since = run.since ?? null;
  const done = JSON.stringify({ format: INDEX_FORMAT, head, since, rules: source.rules.digest });
  if (surface.mark === done) return;

  const stored = await storedDocs(run, repo);
  const base = mark !== undefined && (await repository.isAncestor(mark.head, head)) ? mark.head : undefined;
  const touched = await repository.touched({ from: head, not: base === undefined ? [] : [base] });
  const wanted: Candidate[] = [];
  const present = new Set<string>();
  for await (const { path, blob } of repository.tree(head)) {
    if (!isDocumentPath(path)) continue;
    const reason = source.rules.exclusion(path);
    if (reason !== undefined) {
      countSkipped(run, reason);
      continue;
    }
    present.add(path);
    const before = stored.get(path);
    const time = Math.max(touched.get(path) ?? 0, base === undefined ? 0 : (before?.updated_at ?? 0));
    if (since !== null && time < since) countSkipped(run, 'before since');
    else if (before?.blob === blob && before.updated_at === time) run.report.unchanged += 1;
    else wanted.push({ path, blob, time });
  }

  engine.progress.start('docs', wanted.length);
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
      surface.add(docDocument(run, repo, candidate, text));
    }
    if (surface.full) {
      await surface.progress(surface.mark ?? JSON.stringify({ started: true }));
      engine.progress.advance(read);
    }
  }
  const removals = [...stored.values()].filter((doc) => !present.has(doc.path)).map((doc) => doc.key);
  const facts = new Map<string, RepoFacts>([[repo, { headCommit: head, defaultBranch: repository.defaultBranch }]]);
  await surface.complete(done, { removals, facts });
  engine.progress.end();
}

function parseMark(mark: string | null): z.output<typeof docsMark> | undefined {
  if (mark === null) return undefined;
  const parsed = docsMark.safeParse(JSON.parse(mark));
  return parsed.success ? parsed.data : undefined;
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

function docDocument(run: Run, repo: string, { path, blob, time }: Candidate, text: string): Document {
  const known = time > 0;
  const updatedAt = known ? time : run.engine.clock.now();
  const body = normalizeText(text.replace(/^\uFEFF/, ''));
  return gitDocument({
    repo,
    type: 'doc',
    path: normalizeText(path),
    title: path.slice(path.lastIndexOf('/') + 1),
    body,
    createdAt: updatedAt,
    updatedAt,
    version: versionTime(updatedAt),
    versionIsKnown: known,
    blob,
  });
}
