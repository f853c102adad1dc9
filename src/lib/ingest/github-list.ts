import { Failure } from '../core/failure.ts';
import { watermarkQuery } from '../corpus/watermark.ts';
import type { GitHubList, GitHubSource, PageQuery, RemoteItem, RemoteRepository } from '../engine/github.ts';
import { freshListMark, type ListMark, listMark } from './github-mark.ts';
import { reconcile } from './github-reconcile.ts';
import { onlyShown, type Remote, wantedOf } from './github-source.ts';
import { GitHubSurface } from './github-surface.ts';
import { PAGE_SIZE } from './github-walk.ts';
import { walkOf } from './github-walk-back.ts';
import { covers, parseMark } from './mark.ts';
import type { Run } from './run.ts';

const NAMES: Readonly<Record<GitHubList, string>> = {
  threads: 'issues and pull requests',
  pulls: 'pull requests',
  issue_comments: 'comments',
  review_comments: 'review comments',
  releases: 'releases',
};

/**
 * Name of the surface of a list. Each choice of types has a watermark of its own, and so has a list that lacks what is
 * switched off: it says nothing of how far that was read.
 */
export function listSurface(run: Run, list: GitHubList, facts?: RemoteRepository): string {
  const only = facts === undefined || list === 'pulls' || list === 'review_comments' ? undefined : onlyShown(facts);
  const all = wantedOf(run, list) === 'all';
  const types = all ? '' : `:${[...(run.types ?? [])].sort().join('+')}`;
  return `github:${list}${types}${only === undefined ? '' : `:${only}_only`}`;
}

/** The mark from which a list is read on. What everything was read up to is also what a part of it was read up to. */
async function markOf(run: Run, { repo, facts }: Remote, list: GitHubList, stored: string | null): Promise<ListMark> {
  const since = run.since ?? null;
  const whole = listSurface(run, list === 'pulls' ? 'threads' : list);
  let mark = parseMark(listMark, stored);
  if (mark === undefined && whole !== listSurface(run, list, facts)) {
    const [[other]] = await run.engine.database.read([watermarkQuery({ source: repo, surface: whole })]);
    const { until = null, since: from = null } = parseMark(listMark, other?.value ?? null) ?? {};
    if (until !== null) mark = { ...freshListMark(from), until };
  }
  return mark !== undefined && covers(mark.since, since) ? mark : freshListMark(since);
}

/** From when (ms) and up to when all pull requests are indexed; up to nothing where they were never read to the end. */
export async function readPulls({ engine }: Run, repo: string): Promise<Pick<ListMark, 'since' | 'until'>> {
  const surfaces = ['github:pulls', 'github:threads'] as const;
  const [own, all] = await engine.database.read(surfaces.map((surface) => watermarkQuery({ source: repo, surface })));
  return parseMark(listMark, (own?.[0] ?? all?.[0])?.value ?? null) ?? freshListMark(null);
}

/**
 * Brings a list up to date: what was updated since the last run, and, where its length tells that something is gone or
 * came from elsewhere, all of it. On a first run the newest page comes first, so that it can be found while the rest arrives.
 */
export async function ingestList(run: Run, remote: Remote, list: GitHubList): Promise<void> {
  const { source, repo, facts, signal, unstored } = remote;
  const surface = await GitHubSurface.open(run, repo, listSurface(run, list, facts));
  let mark = await markOf(run, remote, list, surface.mark);
  const take = (items: readonly RemoteItem[], since: number | null): void => {
    for (const item of items) {
      const isTaken = surface.take(item, since) !== undefined;
      if (isTaken && run.dryRun && item.record.type === 'pull_request') unstored.set(Number(item.id), item.updatedAt);
    }
  };
  let total: number | undefined;
  let isAll = false;
  let arrived = 0;
  if (mark.until === null) {
    const page = await source.list(facts.fullName, list, { order: 'newest', page: 1, perPage: PAGE_SIZE }, signal);
    const items = page?.items ?? [];
    take(items, mark.since);
    arrived = items.length;
    isAll = page?.more === false;
    if (isAll) mark = { ...mark, until: newestOf(items) };
    else await surface.progress(JSON.stringify(mark));
    if (page?.pages !== undefined && mark.since === null) total = page.pages * PAGE_SIZE;
  }
  const step = run.engine.progress.start(NAMES[list], total);
  let seen = isAll ? arrived : 0;
  step.advance(seen, requestsLeft(source));
  const fetch = (query: PageQuery) => source.list(facts.fullName, list, query, signal);
  const steps = isAll ? [] : walkOf(list)(fetch, mark.until ?? mark.since ?? undefined, mark.etag ?? undefined);
  try {
    for await (const { items, until, etag } of steps) {
      take(items, mark.since);
      mark = { ...mark, until: until ?? mark.until, etag: etag ?? null };
      seen += items.length;
      step.advance(seen, requestsLeft(source));
      if (surface.full) await surface.progress(JSON.stringify({ ...mark, etag: null }));
    }
  } catch (error) {
    // Whole pages were taken, and the mark is that of the last of them.
    const isListed = error instanceof Failure && error.code !== 'not_found';
    if (isListed && !signal.aborted) await surface.progress(JSON.stringify({ ...mark, etag: null }));
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
