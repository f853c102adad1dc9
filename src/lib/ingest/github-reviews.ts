import * as z from 'zod';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import { reviewedSteps, unreviewedPullsQuery } from '../corpus/remote-items.ts';
import { query } from '../engine/database.ts';
import { requestsLeft } from './github-list.ts';
import { assertShown } from './github-reconcile.ts';
import type { Remote } from './github-source.ts';
import { GitHubSurface } from './github-surface.ts';
import { OVERLAP_MS } from './github-walk.ts';
import { parseMark } from './mark.ts';
import type { Run } from './run.ts';

/** Watermark: `next` is the number below which reviews are read again next. What is read is written down beside each pull. */
const reviewsMark = z.object({ format: z.literal(INDEX_FORMAT), next: z.int().nullable().default(null) });

/** Pull requests whose reviews are asked for at once. */
const PULLS_AT_ONCE = 25;

/**
 * Reads the reviews of pull requests that changed: GitHub lists reviews by pull request only, and a review changes its
 * pull request. All reviews of one are read together, so those that are gone leave. An edit may change nothing else: what is
 * left of the last query is filled with other pull requests, in turn, at no request more.
 */
export async function ingestReviews(run: Run, remote: Remote): Promise<void> {
  const { source, facts, repo, signal } = remote;
  if (!facts.hasPulls) return;
  const { database, progress } = run.engine;
  const surface = await GitHubSurface.open(run, repo, 'github:reviews');
  const [pulls] = await database.read([unreviewedPullsQuery(repo, remote.unstored)]);
  const step = progress.start('reviews', pulls.length);
  let next = parseMark(reviewsMark, surface.mark)?.next ?? null;
  const changed = pulls.map(({ number }) => number);
  const mark = (): string => JSON.stringify({ format: INDEX_FORMAT, next });
  for (let at = 0; at < pulls.length; at += PULLS_AT_ONCE) {
    const chunk = pulls.slice(at, at + PULLS_AT_ONCE);
    const numbers = chunk.map(({ number }) => number);
    const [others] = await database.read([otherPullsQuery(repo, changed, next, PULLS_AT_ONCE - chunk.length)]);
    const answer = await source.reviews(facts.fullName, numbers, signal, others);
    next = others.at(-1) ?? next;
    const [stale] = await database.read([reviewKeysQuery(repo, [...answer.byNumber.keys()])]);
    const there = new Set<string>();
    for (const item of [...answer.byNumber.values()].flat()) {
      const key = surface.take(item, null);
      if (key !== undefined) there.add(key);
    }
    const gone = stale.filter((key) => !there.has(key));
    // Of a pull request that the token may not see any more, GitHub says as much as of one that is gone.
    if (gone.length > 0) await assertShown(remote);
    for (const key of gone) surface.remove(key);
    // A review of the same second may have come after the answer: such a pull request is looked at once more.
    const reviewed = chunk.map(({ number, updated_at }) => ({
      repo,
      number,
      reviewed: updated_at + OVERLAP_MS < answer.at ? updated_at : updated_at - 1,
    }));
    surface.also(reviewedSteps(reviewed));
    step.advance(at + chunk.length, requestsLeft(source));
    if (surface.full) await surface.progress(mark());
  }
  step.end();
  await surface.complete(mark());
}

/** Indexed pull requests that are none of some, downwards from below `next` and around; at most `limit`. */
function otherPullsQuery(repo: string, numbers: readonly number[], next: number | null, limit: number) {
  return query(
    `SELECT d.number FROM documents d JOIN repos r ON r.id = d.repo_id
     WHERE r.slug = ?1 AND d.type = 'pull_request' AND d.number NOT IN (SELECT value FROM json_each(?2))
     ORDER BY d.number < ?3 DESC, d.number DESC LIMIT ?4`,
    [repo, JSON.stringify(numbers), next, limit],
    (row) => z.object({ number: z.int() }).parse(row).number,
  );
}

function reviewKeysQuery(repo: string, numbers: readonly number[]) {
  return query(
    `SELECT d.key FROM documents d JOIN repos r ON r.id = d.repo_id WHERE r.slug = ? AND d.type = 'pr_review'
       AND d.source_id IS NOT NULL AND d.number IN (SELECT value FROM json_each(?))`,
    [repo, JSON.stringify(numbers)],
    (row) => z.object({ key: z.string() }).parse(row).key,
  );
}
