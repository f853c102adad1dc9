import * as z from 'zod';
import { sha256Hex } from '../core/hash.ts';
import { normalizeText } from '../core/text.ts';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import { versionTime } from '../corpus/version.ts';
import { query } from '../engine/database.ts';
import type { Tag } from '../engine/git.ts';
import { type GitSource, gitDocument } from './git-source.ts';
import { countSkipped, type Run, Surface } from './run.ts';

const storedRelease = z.object({ key: z.string(), tag: z.string(), blob: z.string().nullable() });

/**
 * Indexes tags as releases. A release that came from GitHub says more than its tag and is left alone; deleted tags
 * leave.
 */
export async function ingestTags(run: Run, source: GitSource): Promise<void> {
  const { repo, repository } = source;
  const tags: Tag[] = [];
  for await (const tag of repository.tags()) tags.push({ ...tag, name: normalizeText(tag.name) });
  tags.sort((a, b) => (a.name < b.name ? -1 : 1));
  const since = run.since ?? null;
  const surface = await Surface.open(run, repo, 'git:tags');
  const done = JSON.stringify({ format: INDEX_FORMAT, since, tags: sha256Hex(JSON.stringify(tags)) });
  if (surface.mark === done) return;

  const [stored] = await run.engine.database.read([
    query(
      `SELECT d.key, d.tag, d.blob FROM documents d JOIN repos r ON r.id = d.repo_id
       WHERE r.slug = ? AND d.type = 'release' AND d.tag IS NOT NULL`,
      [repo],
      (row) => storedRelease.parse(row),
    ),
  ]);
  const foreign = new Set(stored.filter((row) => row.blob === null).map((row) => row.tag));
  const present = new Set(tags.map((tag) => tag.name));
  run.engine.progress.start('tags', tags.length);
  for (const tag of tags) {
    if (foreign.has(tag.name)) countSkipped(run, 'tag with a release');
    else if (since !== null && tag.by.time < since) countSkipped(run, 'before since');
    else surface.add(tagDocument(repo, tag));
    if (surface.full) await surface.progress(surface.mark ?? JSON.stringify({ started: true }));
  }
  const removals = stored.filter((row) => row.blob !== null && !present.has(row.tag)).map((row) => row.key);
  await surface.complete(done, { removals });
  run.engine.progress.end();
}

function tagDocument(repo: string, tag: Tag) {
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
