import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import type { DocumentTypeName } from '../corpus/document-types.ts';
import { indexedPullsQuery, knownItemsQuery, threadCountQuery } from '../corpus/remote-items.ts';
import { ingestList, readPulls, requestsLeft } from './github-list.ts';
import { listMark } from './github-mark.ts';
import { readThread } from './github-reconcile.ts';
import { LIST_TYPES, type Remote, shownThreads, threadsList, wantedOf } from './github-source.ts';
import { GitHubSurface } from './github-surface.ts';
import { OVERLAP_MS } from './github-walk.ts';
import { covers, parseMark } from './mark.ts';
import type { Run } from './run.ts';

/** Brings issues and pull requests up to date. Of what is switched off nothing can be read; what is indexed of it stays. */
export async function ingestThreads(run: Run, remote: Remote): Promise<void> {
  const shown = shownThreads(remote.facts);
  for (const type of LIST_TYPES.threads) if (!shown.includes(type)) await noteHidden(run, remote, type);
  const list = threadsList(remote.facts);
  if (list !== undefined && wantedOf(run, list) !== 'none') await ingestList(run, remote, list);
}

/** Brings the comments of issues and pull requests up to date, by pull request where GitHub shows no list of them. */
export async function ingestComments(run: Run, remote: Remote): Promise<void> {
  const { facts, signal } = remote;
  if (shownThreads(facts).length === 0) return;
  try {
    await ingestList(run, remote, 'issue_comments');
  } catch (error) {
    const isHidden = !facts.hasIssues && error instanceof Failure && error.code === 'not_found';
    if (!isHidden || signal.aborted) throw error;
    await ingestByPull(run, remote);
  }
}

/** Brings review comments up to date, unless there are no pull requests to be seen. */
export async function ingestReviewComments(run: Run, remote: Remote): Promise<void> {
  if (remote.facts.hasPulls) await ingestList(run, remote, 'review_comments');
}

/**
 * Watermark: the comments of all pull requests updated up to `until` (ms) are read, as far as those from `pullsSince` on are
 * indexed. A comment moves its pull request on.
 */
const byPullMark = listMark
  .pick({ format: true, since: true, until: true })
  .extend({ pullsSince: z.number().nullable() });

async function ingestByPull(run: Run, remote: Remote): Promise<void> {
  const { source, repo } = remote;
  const { database, progress } = run.engine;
  const surface = await GitHubSurface.open(run, repo, 'github:issue_comments:by_pull_request');
  const since = run.since ?? null;
  const pullsRead = await readPulls(run, repo);
  const stored = parseMark(byPullMark, surface.mark);
  const isBase = stored !== undefined && covers(stored.since, since) && covers(stored.pullsSince, pullsRead.since);
  let mark: z.output<typeof byPullMark> = isBase
    ? stored
    : { format: INDEX_FORMAT, since, until: null, pullsSince: pullsRead.since };
  const from = mark.until === null ? (mark.since ?? 0) : mark.until - OVERLAP_MS;
  const [pulls, known] = await database.read([
    indexedPullsQuery(repo, from),
    knownItemsQuery({ repo, types: LIST_TYPES.issue_comments, of: 'pull_request' }),
  ]);
  const step = progress.start('comments', pulls.length);
  for (const [at, { number, updated_at }] of pulls.entries()) {
    await readThread(run, remote, surface, { number, known, since: mark.since, text: JSON.stringify(mark) });
    // Of what was updated later, the newest may be indexed and others not yet.
    if (pullsRead.until !== null) mark = { ...mark, until: Math.min(updated_at, pullsRead.until) };
    step.advance(at + 1, requestsLeft(source));
    if (surface.full) await surface.progress(JSON.stringify(mark));
  }
  step.end();
  await surface.complete(JSON.stringify(mark));
}

async function noteHidden(run: Run, { repo }: Remote, type: DocumentTypeName): Promise<void> {
  const [[count = 0]] = await run.engine.database.read([threadCountQuery(repo, type)]);
  if (count === 0) return;
  const name = type === 'issue' ? 'issues' : 'pull requests';
  run.report.notes.push(`${name} are switched off on GitHub; the ${String(count)} that are indexed stay as they were`);
}
