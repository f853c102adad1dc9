import * as z from 'zod';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import { reviewedSteps, unreviewedPullsQuery } from '../corpus/remote-items.ts';
import { query } from '../engine/database.ts';
import { requestsLeft } from './github-list.ts';
import { assertSame } from './github-reconcile.ts';
import type { Remote } from './github-source.ts';
import { GitHubSurface } from './github-surface.ts';
import { OVERLAP_MS } from './github-walk.ts';
import type { Run } from './run.ts';

/** Watermark: what is read of which pull request is written down beside it. */
const MARK = JSON.stringify({ format: INDEX_FORMAT });

/** Pull requests whose reviews are asked for at once. */
const PULLS_AT_ONCE = 25;

/**
 * Reads the reviews of pull requests that changed: GitHub lists reviews by pull request only, and a review changes its
 * pull request. All reviews of one are read together, so those that are gone leave.
 */
export async function ingestReviews(run: Run, remote: Remote): Promise<void> {
  const { source, facts, repo, signal } = remote;
  if (!facts.hasPulls) return;
  const { database, progress } = run.engine;
  const surface = await GitHubSurface.open(run, repo, 'github:reviews');
  const [pulls] = await database.read([unreviewedPullsQuery(repo, remote.unstored)]);
  const step = progress.start('reviews', pulls.length);
  for (let at = 0; at < pulls.length; at += PULLS_AT_ONCE) {
    const chunk = pulls.slice(at, at + PULLS_AT_ONCE);
    const numbers = chunk.map(({ number }) => number);
    const [stale] = await database.read([reviewKeysQuery(repo, numbers)]);
    const answer = await source.reviews(facts.fullName, numbers, signal);
    const there = new Set<string>();
    for (const item of [...answer.byNumber.values()].flat()) {
      const key = surface.take(item, null);
      if (key !== undefined) there.add(key);
    }
    const gone = stale.filter((key) => !there.has(key));
    // Of a pull request that the token may not see any more, GitHub says as much as of one that is gone.
    if (gone.length > 0) await assertSame(remote);
    for (const key of gone) surface.remove(key);
    // A review of the same second may have come after the answer: such a pull request is looked at once more.
    const reviewed = chunk.map(({ number, updated_at }) => ({
      repo,
      number,
      reviewed: updated_at + OVERLAP_MS < answer.at ? updated_at : updated_at - 1,
    }));
    surface.also(reviewedSteps(reviewed));
    step.advance(at + chunk.length, requestsLeft(source));
    if (surface.full) await surface.progress(MARK);
  }
  step.end();
  await surface.complete(MARK);
}

function reviewKeysQuery(repo: string, numbers: readonly number[]) {
  return query(
    `SELECT d.key FROM documents d JOIN repos r ON r.id = d.repo_id WHERE r.slug = ? AND d.type = 'pr_review'
       AND d.source_id IS NOT NULL AND d.number IN (SELECT value FROM json_each(?))`,
    [repo, JSON.stringify(numbers)],
    (row) => z.object({ key: z.string() }).parse(row).key,
  );
}
