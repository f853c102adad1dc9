import * as z from 'zod';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import { documentKey } from '../corpus/store.ts';
import { change, query } from '../engine/database.ts';
import type { RemoteItem } from '../engine/github.ts';
import { assertSame } from './github-reconcile.ts';
import { documentOf, type Remote } from './github-source.ts';
import { GitHubSurface } from './github-surface.ts';
import { PAGE_SIZE } from './github-walk.ts';
import { covers, parseMark } from './mark.ts';
import type { Run } from './run.ts';

/** Watermark: all releases are ingested, those from `since` (ms) on; the ETags are those of all pages of the list. */
const releasesMark = z.object({
  format: z.literal(INDEX_FORMAT),
  since: z.number().nullable(),
  etags: z.array(z.string()),
});
type ReleasesMark = z.output<typeof releasesMark>;

/** Reads all releases, unless none of the pages changed; deleted ones leave. Drafts are no releases yet. */
export async function ingestReleases(run: Run, remote: Remote): Promise<void> {
  const { source, facts, repo, signal } = remote;
  const surface = await GitHubSurface.open(run, repo, 'github:releases');
  const since = run.since ?? null;
  const stored = parseMark(releasesMark, surface.mark);
  const mark = stored !== undefined && covers(stored.since, since) ? stored : undefined;
  if (mark !== undefined && (await isUnchanged(remote, mark))) return;

  const bound = mark === undefined ? since : mark.since;
  const [before] = await run.engine.database.read([
    query(
      `SELECT d.key, d.tag FROM documents d JOIN repos r ON r.id = d.repo_id
       WHERE r.slug = ? AND d.type = 'release' AND d.blob IS NULL AND d.tag IS NOT NULL`,
      [repo],
      (row) => z.object({ key: z.string(), tag: z.string() }).parse(row),
    ),
  ]);
  const step = run.engine.progress.start('releases');
  const there = new Set<string>();
  const etags: string[] = [];
  let seen = 0;
  for (let page = 1, more = true; more; page += 1) {
    const query = { order: 'newest', page, perPage: PAGE_SIZE } as const;
    const got = await source.list(facts.fullName, 'releases', query, signal);
    for (const item of (got?.items ?? []).filter(isPublished)) {
      there.add(documentKey(documentOf(run, repo, item)));
      surface.take(item, bound);
    }
    if (got?.etag !== undefined) etags.push(got.etag);
    more = got?.more === true;
    seen += got?.items.length ?? 0;
    step.advance(seen);
    // Without the ETags, the next run reads all of it again.
    if (surface.full) await surface.progress(markText(bound, []));
  }
  const gone: string[] = [];
  for (const { key, tag } of before) {
    if (there.has(key)) continue;
    // A release that was deleted while the pages were read may have pushed another one across their border.
    const found = await source.item(facts.fullName, 'releases', tag, signal);
    if (found === undefined || !isPublished(found)) gone.push(key);
    else surface.take(found, bound);
  }
  if (gone.length > 0) await assertSame(remote);
  for (const key of gone) surface.remove(key);
  step.end();
  // A tag whose release is gone stands for itself again.
  const forget = change("DELETE FROM watermarks WHERE source = ? AND surface = 'git:tags'", [repo]);
  await surface.complete(markText(bound, etags), { onChange: [forget] });
}

async function isUnchanged({ source, facts, signal }: Remote, { etags }: ReleasesMark): Promise<boolean> {
  for (const [at, etag] of etags.entries()) {
    const query = { order: 'newest', page: at + 1, perPage: PAGE_SIZE, etag } as const;
    if ((await source.list(facts.fullName, 'releases', query, signal)) !== undefined) return false;
  }
  return etags.length > 0;
}

function isPublished({ record }: RemoteItem): boolean {
  return record.draft !== true;
}

function markText(since: number | null, etags: readonly string[]): string {
  return JSON.stringify({ format: INDEX_FORMAT, since, etags: [...etags] } satisfies ReleasesMark);
}
