import { Failure } from '../core/failure.ts';
import type { GitHubList, GitHubSource, PageQuery, RemoteItem } from '../engine/github.ts';
import { freshListMark, listMark } from './github-mark.ts';
import { reconcile } from './github-reconcile.ts';
import { type Remote, wantedOf } from './github-source.ts';
import { GitHubSurface } from './github-surface.ts';
import { PAGE_SIZE, walk } from './github-walk.ts';
import { covers, parseMark } from './mark.ts';
import type { Run } from './run.ts';

const NAMES: Readonly<Record<GitHubList, string>> = {
  threads: 'issues and pull requests',
  issue_comments: 'comments',
  review_comments: 'review comments',
  releases: 'releases',
};

/** Name of the surface of a list; each choice of types has a watermark of its own. */
export function listSurface(run: Run, list: GitHubList): string {
  const all = wantedOf(run, list) === 'all';
  return `github:${list}${all ? '' : `:${[...(run.types ?? [])].sort().join('+')}`}`;
}

/**
 * Brings a list up to date: what was updated since the last run, and, where its length tells that something is gone or
 * came from elsewhere, all of it. On a first run the newest page comes first, so that it can be found while the rest arrives.
 */
export async function ingestList(run: Run, remote: Remote, list: GitHubList): Promise<void> {
  const { source, repo, facts, signal } = remote;
  const surface = await GitHubSurface.open(run, repo, listSurface(run, list));
  const since = run.since ?? null;
  const stored = parseMark(listMark, surface.mark);
  let mark = stored !== undefined && covers(stored.since, since) ? stored : freshListMark(since);
  let total: number | undefined;
  let isAll = false;
  let arrived = 0;
  if (mark.until === null) {
    const page = await source.list(facts.fullName, list, { order: 'newest', page: 1, perPage: PAGE_SIZE }, signal);
    const items = page?.items ?? [];
    for (const item of items) surface.take(item, mark.since);
    arrived = items.length;
    isAll = page?.more === false;
    if (isAll) mark = { ...mark, until: newestOf(items) };
    else await surface.progress(JSON.stringify(mark));
    if (page?.pages !== undefined && since === null) total = page.pages * PAGE_SIZE;
  }
  const step = run.engine.progress.start(NAMES[list], total);
  let seen = isAll ? arrived : 0;
  step.advance(seen, requestsLeft(source));
  const fetch = (query: PageQuery) => source.list(facts.fullName, list, query, signal);
  const steps = isAll ? [] : walk(fetch, mark.until ?? mark.since ?? undefined, mark.etag ?? undefined);
  try {
    for await (const { items, until, etag } of steps) {
      for (const item of items) surface.take(item, mark.since);
      mark = { ...mark, until: until ?? mark.until, etag: etag ?? null };
      seen += items.length;
      step.advance(seen, requestsLeft(source));
      if (surface.full) await surface.progress(JSON.stringify({ ...mark, etag: null }));
    }
  } catch (error) {
    // Whole pages were taken, and the mark is that of the last of them.
    if (error instanceof Failure && !signal.aborted) await surface.progress(JSON.stringify({ ...mark, etag: null }));
    throw error;
  }
  step.end();
  if (mark.since === null && wantedOf(run, list) === 'all' && !run.dryRun) {
    // What is stored is what can be counted.
    if (seen > 0 || isAll) await surface.progress(JSON.stringify({ ...mark, etag: null }));
    mark = await reconcile(run, remote, list, surface, mark);
  }
  await surface.complete(JSON.stringify(mark));
}

function newestOf(items: readonly RemoteItem[]): number | null {
  return items.reduce<number | null>((newest, { updatedAt }) => Math.max(newest ?? updatedAt, updatedAt), null);
}

/** What the steps in progress say beside their numbers. */
export function requestsLeft({ budget }: GitHubSource): string | undefined {
  return budget === undefined ? undefined : `${String(budget.remaining)} requests left`;
}
