import { Failure } from '../core/failure.ts';
import type { GitHubList, PageQuery, RemotePage } from '../engine/github.ts';
import { type Fetch, MAX_ATTEMPTS, OVERLAP_MS, PAGE_SIZE, type Step, walk } from './github-walk.ts';

/** How a list is read: by time, unless it cannot be asked for by it. */
export function walkOf(list: GitHubList): typeof walk {
  return list === 'pulls' ? walkBack : walk;
}

/**
 * Reads a list that cannot be asked for by time, from the newest update down to `from` (ms). What is edited meanwhile moves
 * to the front, and pushes the rest on: nothing falls between two pages, and the front is read again until it has stayed
 * as it was. `until` is given at the end only, since what is older is read later.
 */
async function* walkBack(fetch: Fetch, from: number | undefined, etag?: string): AsyncGenerator<Step> {
  let floor = from === undefined ? Number.NEGATIVE_INFINITY : from - OVERLAP_MS;
  let front = await fetch({ ...FRONT, ...(etag !== undefined && { etag }) });
  // Nothing changed since the last walk.
  if (front === undefined) return;
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const top = Math.max(from ?? Number.NEGATIVE_INFINITY, ...front.items.map(({ updatedAt }) => updatedAt));
    const until = Number.isFinite(top) ? top : undefined;
    if (isLast(front, floor)) {
      // One page is of one moment. Asked for from `until` on, a page that is the same leaves nothing out.
      const holds = isLast(front, top - OVERLAP_MS);
      yield { items: front.items, until, ...(holds && { etag: front.etag }) };
      return;
    }
    const size = await sizeOf(fetch);
    yield { items: front.items, until: undefined };
    for (let page = 2, more = true; more; page += 1) {
      const got = await fetch({ ...FRONT, page });
      if (got === undefined) break;
      yield { items: got.items, until: undefined };
      more = !isLast(got, floor);
    }
    const again = await fetch(FRONT);
    if (again === undefined) return;
    const isShorter = (await sizeOf(fetch)) < size;
    if (!isShorter && isSame(front, again)) {
      yield { items: [], until };
      return;
    }
    // What was deleted pulled the rest forward, maybe across a border: then all of it is read again.
    if (!isShorter) floor = top - OVERLAP_MS;
    front = again;
  }
  throw new Failure('github_unavailable', 'the list changes faster than it can be read');
}

const FRONT: PageQuery = { order: 'newest', page: 1, perPage: PAGE_SIZE };

/** Whether what comes after a page is below `floor`, or nothing comes. */
function isLast({ items, more }: RemotePage, floor: number): boolean {
  return !more || items.some(({ updatedAt }) => updatedAt < floor);
}

function isSame(one: RemotePage, other: RemotePage): boolean {
  const text = ({ items }: RemotePage): string => JSON.stringify(items.map(({ id, updatedAt }) => [id, updatedAt]));
  return text(one) === text(other);
}

/** How many items the list has. */
async function sizeOf(fetch: Fetch): Promise<number> {
  const page = await fetch({ ...FRONT, perPage: 1 });
  return page?.pages ?? page?.items.length ?? 0;
}
