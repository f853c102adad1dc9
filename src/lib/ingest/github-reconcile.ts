import { Failure } from '../core/failure.ts';
import {
  forgetThreads,
  type KnownItem,
  type KnownScope,
  knownCountQuery,
  knownItemsQuery,
  threadKeysQuery,
  unevenThreadsQuery,
} from '../corpus/remote-items.ts';
import type { GitHubList, PageQuery, RemoteItem } from '../engine/github.ts';
import type { ListMark } from './github-mark.ts';
import { LIST_TYPES, onlyShown, type Remote, shownThreads } from './github-source.ts';
import type { GitHubSurface } from './github-surface.ts';
import { walkOf } from './github-walk-back.ts';
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
    const [[count = 0]] = await database.read([knownCountQuery(scopeOf(remote, list))]);
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

/** What of a list may be gone: what is switched off is not in it, and is there all the same. */
function scopeOf({ repo, facts }: Remote, list: GitHubList): KnownScope {
  if (list !== 'threads') {
    return { repo, types: LIST_TYPES[list], of: list === 'issue_comments' ? onlyShown(facts) : undefined };
  }
  return { repo, types: shownThreads(facts) };
}

async function readAll(
  run: Run,
  remote: Remote,
  list: GitHubList,
  surface: GitHubSurface,
  text: string,
): Promise<void> {
  const { source, facts, signal } = remote;
  const [known] = await run.engine.database.read([knownItemsQuery(scopeOf(remote, list))]);
  const there = new Set<string>();
  const fetch = (query: PageQuery) => source.list(facts.fullName, list, query, signal);
  for await (const { items } of walkOf(list)(fetch, undefined)) {
    takeAll(surface, items, there);
    if (surface.full) await surface.progress(text);
  }
  const missing = known.filter(({ key }) => !there.has(key));
  await removeGone(run, remote, list, surface, missing, text);
}

/** Items that are asked for one by one before those of them that are gone leave. */
const ASKED_AT_ONCE = 25;

/**
 * Removes those of some items that are gone, and takes those that are not. A part of them at a time, so that a limit of
 * requests ends no run without progress.
 */
async function removeGone(
  run: Run,
  remote: Remote,
  list: GitHubList,
  surface: GitHubSurface,
  missing: readonly KnownItem[],
  text: string,
): Promise<void> {
  const { source, facts, repo, signal } = remote;
  const isOfThreads = list === 'threads' || list === 'pulls';
  for (let at = 0; at < missing.length; at += ASKED_AT_ONCE) {
    const gone: KnownItem[] = [];
    for (const item of missing.slice(at, at + ASKED_AT_ONCE)) {
      const id = isOfThreads ? String(item.number) : item.key.slice(item.key.lastIndexOf('/') + 1);
      const found = await source.item(facts.fullName, list, id, signal);
      const key = found === undefined ? null : surface.take(found, null);
      // A comment may be there in another thread, with which it was transferred away and back.
      if (key !== undefined && key !== item.key) gone.push(item);
    }
    if (gone.length > 0) await assertShown(remote);
    for (const { key } of gone) surface.remove(key);
    const numbers = isOfThreads ? gone.flatMap(({ number }) => number ?? []) : [];
    if (numbers.length > 0) {
      // What was said in a thread went with it.
      const [keys] = await run.engine.database.read([threadKeysQuery(repo, numbers)]);
      for (const key of keys) surface.remove(key);
      surface.also(forgetThreads(repo, numbers));
    }
    await surface.progress(text);
  }
}

/**
 * Fails where a repository is not what it was when the run began: renamed, hidden from the token, or with a part of it
 * switched off, it looks as if everything in it were gone.
 */
export async function assertSame({ source, facts, signal }: Remote): Promise<void> {
  const now = await source.repository(facts.fullName, signal);
  if (now.id !== facts.id || now.fullName.toLowerCase() !== facts.fullName.toLowerCase()) {
    throw new Failure('not_found', `${facts.fullName} was renamed to ${now.fullName} meanwhile`, {
      hint: `Run gh-rag index ${now.fullName}`,
    });
  }
  if (now.hasIssues === facts.hasIssues && now.hasPulls === facts.hasPulls) return;
  throw new Failure('not_found', `issues or pull requests of ${facts.fullName} were switched on or off meanwhile`, {
    hint: 'Run the same command again.',
  });
}

/**
 * As {@link assertSame}, for what pull requests hold. Fails too where the token may not read them: to it, they are not there,
 * nor is anything that was said in them.
 */
export async function assertShown(remote: Remote): Promise<void> {
  await assertSame(remote);
  const { source, facts, signal } = remote;
  if (!facts.hasPulls) return;
  try {
    await source.list(facts.fullName, 'pulls', { order: 'newest', page: 1, perPage: 1 }, signal);
  } catch (error) {
    if (!(error instanceof Failure) || (error.code !== 'not_found' && error.code !== 'credential_required'))
      throw error;
    throw new Failure('credential_required', `${source.asked} shows this token no pull requests of ${facts.fullName}`, {
      hint: 'Use a token that may read pull requests. Those that are indexed stay.',
    });
  }
}

/** Reads the comments of threads of which GitHub counts more or fewer than are known. */
async function evenThreads(run: Run, remote: Remote, surface: GitHubSurface, mark: ListMark): Promise<void> {
  const { facts, repo } = remote;
  const { database } = run.engine;
  const text = JSON.stringify({ ...mark, etag: null });
  const [uneven, known] = await database.read([
    unevenThreadsQuery(repo, MAX_UNEVEN + 1, onlyShown(facts)),
    knownItemsQuery(scopeOf(remote, 'issue_comments')),
  ]);
  if (uneven.length === 0) return;
  if (uneven.length > MAX_UNEVEN) {
    await readAll(run, remote, 'issue_comments', surface, text);
  } else {
    for (const number of uneven) {
      // What its list has counts, should GitHub count otherwise.
      surface.size(number, await readThread(run, remote, surface, { number, known, since: null, text }));
    }
  }
  await surface.progress(text);
}

/** Reads all comments of a thread; those of the `known` ones that are gone leave. Gives how many there are. */
export async function readThread(
  run: Run,
  { source, facts, ...rest }: Remote,
  surface: GitHubSurface,
  { number, known, since, text }: { number: number; known: readonly KnownItem[]; since: number | null; text: string },
): Promise<number> {
  const there = new Set<string>();
  for (let page = 1, more = true; more; page += 1) {
    const got = await source.threadComments(facts.fullName, number, page, rest.signal);
    takeAll(surface, got.items, there, since);
    more = got.more;
  }
  const missing = known.filter((item) => item.number === number && !there.has(item.key));
  // Where only news are asked for, what is not among them is not gone.
  if (since === null) await removeGone(run, { source, facts, ...rest }, 'issue_comments', surface, missing, text);
  return there.size;
}

function takeAll(
  surface: GitHubSurface,
  items: readonly RemoteItem[],
  there: Set<string>,
  since: number | null = null,
): void {
  for (const item of items) {
    const key = surface.take(item, since);
    if (key !== undefined) there.add(key);
  }
}
