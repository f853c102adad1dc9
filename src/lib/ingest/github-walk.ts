import { Failure } from '../core/failure.ts';
import type { PageQuery, RemoteItem, RemotePage } from '../engine/github.ts';

/** How far behind what was seen last a list is read again: replicas of GitHub do not agree on a second. */
export const OVERLAP_MS = 1000;

export const PAGE_SIZE = 100;

/** A page of a walk. */
export interface Step {
  readonly items: readonly RemoteItem[];
  /** Everything updated up to this time (ms) has been given; undefined as long as nothing is sure. */
  readonly until: number | undefined;
  /** Set at the end: by which the last page, asked for again from `until` on, may be found unchanged. */
  readonly etag?: string | undefined;
}

export type Fetch = (query: PageQuery) => Promise<RemotePage | undefined>;

/** How often pages are read anew because they changed meanwhile. */
export const MAX_ATTEMPTS = 5;

/**
 * Reads a list from the oldest update on, starting at `from` (ms). It goes on by time, not by the number of a page: what is
 * edited meanwhile moves to the end, and what follows it would move across the border of a page unseen. Only where one
 * second holds more than a page, pages are counted, and the earlier ones are looked at again afterwards.
 */
export async function* walk(fetch: Fetch, from: number | undefined, etag?: string): AsyncGenerator<Step> {
  let until = from;
  let since = from === undefined ? undefined : from - OVERLAP_MS;
  let counted: string[] = [];
  let attempts = 0;
  for (let page = 1, first = true; ; first = false) {
    const asked: PageQuery = { order: 'oldest', since, page, perPage: PAGE_SIZE };
    const got = await fetch(first && etag !== undefined ? { ...asked, etag } : asked);
    // Nothing changed since the last walk.
    if (got === undefined) return;
    const newest = got.items.reduce((time, item) => Math.max(time, item.updatedAt), until ?? Number.NEGATIVE_INFINITY);
    const reached = Number.isFinite(newest) ? newest : undefined;
    const next = reached === undefined ? undefined : reached - OVERLAP_MS;
    const stuck = got.more && (next === undefined || (since !== undefined && next <= since));
    if (page > 1 && !stuck && !(await isUnchanged(fetch, asked, counted))) {
      attempts += 1;
      if (attempts >= MAX_ATTEMPTS)
        throw new Failure('github_unavailable', 'the list changes faster than it can be read');
      yield { items: got.items, until };
      page = 1;
      counted = [];
      continue;
    }
    if (stuck) {
      yield { items: got.items, until };
      counted.push(...got.items.map(({ id }) => id));
      page += 1;
      continue;
    }
    until = reached;
    // Asked for from `until` on, the next walk sends the same request, if nothing newer came.
    const same = page === 1 && next !== undefined && next === since;
    yield { items: got.items, until, ...(!got.more && { etag: same ? got.etag : undefined }) };
    if (!got.more) return;
    since = next;
    page = 1;
    counted = [];
    attempts = 0;
  }
}

/** Whether the pages before one still hold what they held: nothing moved across their borders. */
async function isUnchanged(fetch: Fetch, asked: PageQuery, ids: readonly string[]): Promise<boolean> {
  const now: string[] = [];
  for (let page = 1; page < asked.page; page += 1) {
    now.push(...((await fetch({ ...asked, page }))?.items.map(({ id }) => id) ?? []));
  }
  return now.length === ids.length && now.every((id, at) => id === ids[at]);
}
