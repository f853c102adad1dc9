import { Failure } from '../core/failure.ts';
import {
  forgetThreads,
  type KnownItem,
  knownCountQuery,
  knownItemsQuery,
  threadKeysQuery,
  unevenThreadsQuery,
} from '../corpus/remote-items.ts';
import type { GitHubList, RemoteItem } from '../engine/github.ts';
import type { ListMark } from './github-mark.ts';
import { LIST_TYPES, type Remote } from './github-source.ts';
import type { GitHubSurface } from './github-surface.ts';
import { walk } from './github-walk.ts';
import type { Run } from './run.ts';

/** Of more items than this, the whole list is read at most once a day. */
const LONG_LIST = 10_000;
const DAY_MS = 86_400_000;

/** With more uneven threads than this, reading the whole list is cheaper. */
const MAX_UNEVEN = 50;

/**
 * Finds what news do not tell: items that were deleted or transferred, and comments that came with a transferred thread.
 * One request asks how many items there are. Where as many are known nothing else is done; where not, the whole list is
 * read, and an item that is not in it leaves the index once GitHub says of it alone that it is gone.
 */
export async function reconcile(
  run: Run,
  remote: Remote,
  list: GitHubList,
  surface: GitHubSurface,
  mark: ListMark,
): Promise<ListMark> {
  const { source, facts, repo, signal } = remote;
  const { database, clock } = run.engine;
  if (list === 'issue_comments') await evenThreads(run, remote, surface, mark);
  const known = async (): Promise<number> => {
    const [[count = 0]] = await database.read([knownCountQuery(repo, LIST_TYPES[list])]);
    return count;
  };
  const total = await source.count(facts.fullName, list, signal);
  const before = await known();
  const isRecent = mark.listed !== null && Math.abs(clock.now() - mark.listed) < DAY_MS;
  if (total === undefined ? isRecent : total === before + mark.excess) {
    // The first reading of the list was one of all of it.
    return mark.listed === null ? { ...mark, listed: clock.now() } : mark;
  }
  if (before > LONG_LIST && isRecent) {
    run.engine.progress.note(`${repo}: some ${list.replace('_', ' ')} are gone; the whole list is read once a day`);
    return mark;
  }
  const text = JSON.stringify({ ...mark, etag: null });
  await readAll(run, remote, list, surface, text);
  await surface.progress(text);
  // Fewer than are known were only counted before something changed: kept, that would hide what was deleted meanwhile.
  return { ...mark, listed: clock.now(), excess: Math.max(0, (total ?? 0) - (await known())) };
}

async function readAll(
  run: Run,
  remote: Remote,
  list: GitHubList,
  surface: GitHubSurface,
  text: string,
): Promise<void> {
  const { source, facts, repo, signal } = remote;
  const [known] = await run.engine.database.read([knownItemsQuery(repo, LIST_TYPES[list])]);
  const there = new Set<string>();
  for await (const { items } of walk((query) => source.list(facts.fullName, list, query, signal), undefined)) {
    takeAll(surface, items, there);
    if (surface.full) await surface.progress(text);
  }
  await removeGone(
    run,
    remote,
    list,
    surface,
    known.filter(({ key }) => !there.has(key)),
  );
}

/** Removes those of some items that are gone, and takes those that are not. */
async function removeGone(
  run: Run,
  remote: Remote,
  list: GitHubList,
  surface: GitHubSurface,
  missing: readonly KnownItem[],
): Promise<void> {
  const { source, facts, repo, signal } = remote;
  if (missing.length === 0) return;
  await assertSame(remote);
  const gone: KnownItem[] = [];
  for (const item of missing) {
    const id = list === 'threads' ? String(item.number) : item.key.slice(item.key.lastIndexOf('/') + 1);
    const found = await source.item(facts.fullName, list, id, signal);
    if (found === undefined) gone.push(item);
    else surface.take(found, null);
  }
  for (const { key } of gone) surface.remove(key);
  if (list !== 'threads') return;
  const numbers = gone.flatMap(({ number }) => (number === null ? [] : [number]));
  if (numbers.length === 0) return;
  // What was said in a thread went with it.
  const [keys] = await run.engine.database.read([threadKeysQuery(repo, numbers)]);
  for (const key of keys) surface.remove(key);
  surface.also(forgetThreads(repo, numbers));
}

/** A repository that is renamed while it is read looks as if everything in it had been transferred. */
async function assertSame({ source, facts, signal }: Remote): Promise<void> {
  const now = await source.repository(facts.fullName, signal);
  if (now.id === facts.id && now.fullName.toLowerCase() === facts.fullName.toLowerCase()) return;
  throw new Failure('not_found', `${facts.fullName} was renamed to ${now.fullName} meanwhile`, {
    hint: `Run gh-rag index ${now.fullName}`,
  });
}

/** Reads the comments of threads of which GitHub counts more or fewer than are known. */
async function evenThreads(run: Run, remote: Remote, surface: GitHubSurface, mark: ListMark): Promise<void> {
  const { source, facts, repo, signal } = remote;
  const { database } = run.engine;
  const text = JSON.stringify({ ...mark, etag: null });
  const [uneven, known] = await database.read([
    unevenThreadsQuery(repo, MAX_UNEVEN + 1),
    knownItemsQuery(repo, LIST_TYPES.issue_comments),
  ]);
  if (uneven.length === 0) return;
  if (uneven.length > MAX_UNEVEN) {
    await readAll(run, remote, 'issue_comments', surface, text);
  } else {
    for (const number of uneven) {
      const there = new Set<string>();
      let more = true;
      for (let page = 1; more; page += 1) {
        const got = await source.threadComments(facts.fullName, number, page, signal);
        takeAll(surface, got.items, there);
        more = got.more;
      }
      const missing = known.filter((item) => item.number === number && !there.has(item.key));
      await removeGone(run, remote, 'issue_comments', surface, missing);
      // What its list has counts, should GitHub count otherwise.
      surface.size(number, there.size);
    }
  }
  await surface.progress(text);
}

function takeAll(surface: GitHubSurface, items: readonly RemoteItem[], there: Set<string>): void {
  for (const item of items) {
    const key = surface.take(item, null);
    if (key !== undefined) there.add(key);
  }
}
