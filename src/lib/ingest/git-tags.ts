import * as z from 'zod';
import { sha256Hex } from '../core/hash.ts';
import { normalizeText } from '../core/text.ts';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import type { Document } from '../corpus/document.ts';
import { versionTime } from '../corpus/version.ts';
import { query } from '../engine/database.ts';
import type { Tag } from '../engine/git.ts';
import { type GitSource, gitDocument } from './git-source.ts';
import { covers, parseMark } from './mark.ts';
import { countSkipped, type Run, Surface } from './run.ts';

/** Watermark: the tags that are indexed, those from `since` (ms) on; `tags` is null while a run is on its way. */
const tagsMark = z.object({
  format: z.literal(INDEX_FORMAT),
  since: z.number().nullable(),
  tags: z.string().nullable(),
});
type TagsMark = z.output<typeof tagsMark>;

const storedRelease = z.object({ key: z.string(), tag: z.string(), blob: z.string().nullable() });

/**
 * Indexes tags as releases. A release that came from GitHub says more than its tag and is left alone; deleted tags
 * leave. `since` leaves tags out that are not indexed yet; those that are follow the repository.
 */
export async function ingestTags(run: Run, source: GitSource): Promise<void> {
  const { repo, repository } = source;
  const tags: Tag[] = [];
  for await (const tag of repository.tags()) tags.push({ ...tag, name: normalizeText(tag.name) });
  tags.sort((a, b) => (a.name < b.name ? -1 : 1));
  const since = run.since ?? null;
  const digest = sha256Hex(JSON.stringify(tags));
  const surface = await Surface.open(run, repo, 'git:tags');
  const mark = parseMark(tagsMark, surface.mark);
  if (mark?.tags === digest && covers(mark.since, since)) return;

  const [stored] = await run.engine.database.read([
    query(
      `SELECT d.key, d.tag, d.blob FROM documents d JOIN repos r ON r.id = d.repo_id
       WHERE r.slug = ? AND d.type = 'release' AND d.tag IS NOT NULL`,
      [repo],
      (row) => storedRelease.parse(row),
    ),
  ]);
  const byTag = new Map(stored.map((row) => [row.tag, row]));
  const present = new Set(tags.map((tag) => tag.name));
  let tooOld = 0;
  const step = run.engine.progress.start('tags', tags.length);
  for (const [at, tag] of tags.entries()) {
    const before = byTag.get(tag.name);
    if (before?.blob === null) {
      countSkipped(run, 'tag with a release');
    } else if (before === undefined && since !== null && tag.by.time < since) {
      tooOld += 1;
      countSkipped(run, 'before since');
    } else surface.add(tagDocument(repo, tag));
    if (surface.full) await surface.progress(markText({ since, tags: null }));
    step.advance(at + 1);
  }
  for (const row of stored) if (row.blob !== null && !present.has(row.tag)) surface.remove(row.key);
  await surface.complete(markText({ since: tooOld === 0 ? null : since, tags: digest }));
  step.end();
}

function markText(mark: Omit<TagsMark, 'format'>): string {
  return JSON.stringify({ format: INDEX_FORMAT, ...mark } satisfies TagsMark);
}

function tagDocument(repo: string, tag: Tag): Document {
  const message = normalizeText(tag.message ?? '').trim();
  return gitDocument({
    repo,
    type: 'release',
    tag: tag.name,
    commit: tag.commit,
    title: tag.name,
    body: message,
    author: normalizeText(tag.by.name) || null,
    createdAt: tag.by.time,
    updatedAt: tag.by.time,
    version: versionTime(tag.by.time),
    blob: tag.commit,
  });
}
