import { Failure } from '../core/failure.ts';
import { indexedSlug } from '../corpus/repos.ts';
import type { Document } from '../corpus/document.ts';
import type { RemoteItem } from '../engine/github.ts';
import type { Engine } from '../engine/engine.ts';
import type { BackfillOutcome, BackfillPart, BackfillSurface } from '../operation/backfill-surface.ts';
import { withRemote } from './backfill-run.ts';
import { listSurface } from './github-list.ts';
import { documentOf, type Remote } from './github-source.ts';
import { GitHubSurface } from './github-surface.ts';
import { walk } from './github-walk.ts';
import type { Making } from './making.ts';
import type { Run } from './run.ts';
import { isKnownHere, matchesOf, resolveSteps, type Unresolved, unresolvedQuery } from './unresolved.ts';

/**
 * The repair `identities`: documents that are stored without a source id, such as comments of an old export, which feedback
 * cannot name. First the index is asked: a row that says itself what it is, or another record of the same artefact. Then
 * GitHub, for the rest: a comment or review of the same thread, author and time. What nobody knows stays, and is counted.
 */
export function identitiesBackfill(making: Making): BackfillSurface {
  return {
    name: 'identities',
    of: 'repository',
    description: 'finds the ids of comments and reviews that are stored without one, in the index and on GitHub.',
    async run(engine, part) {
      const { phase, after } = cursorOf(part.cursor);
      if (phase === 'github') {
        return withRemote(engine, making, part, (run, remote) => byGitHub(run, remote, after, part));
      }
      return byIndex(engine, after, part);
    },
  };
}

const MAX_ATTEMPTS = 5;

/** What the index knows by itself. GitHub is not asked before all of that is done. */
async function byIndex(engine: Engine, after: number, { repo, limit, dryRun }: BackfillPart): Promise<BackfillOutcome> {
  const { database } = engine;
  const slug = await indexedSlug(engine, repo);
  if (slug === undefined) {
    throw new Failure('not_found', `${repo} is not indexed`, { hint: `Run gh-rag index ${repo} first.` });
  }
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const [rows] = await database.read([unresolvedQuery(slug, after, limit + 1)]);
    const looked = rows.slice(0, limit);
    const known = looked.filter(isKnownHere);
    const outcome = known.length === 0 || dryRun ? undefined : await database.write(resolveSteps(known));
    if (outcome?.applied === false) continue;
    const last = looked.at(-1);
    const more = rows.length > limit && last !== undefined;
    const nextCursor = more ? `index:${String(last.id)}` : (await isAnyLeft(engine, slug)) ? 'github:0' : null;
    return { looked: looked.length, repaired: known.length, nextCursor };
  }
  throw new Failure('database_busy', 'others write these documents faster than they can be repaired', {
    hint: 'Run it again with the same cursor when they are done.',
  });
}

/** Whether GitHub is to be asked about anything. */
async function isAnyLeft({ database }: Engine, repo: string): Promise<boolean> {
  for (let after = 0; ; ) {
    const [rows] = await database.read([unresolvedQuery(repo, after, 100)]);
    if (rows.some((each) => !isKnownHere(each))) return true;
    const last = rows.at(-1);
    if (last === undefined) return false;
    after = last.id;
  }
}

async function byGitHub(run: Run, remote: Remote, after: number, { limit }: BackfillPart): Promise<BackfillOutcome> {
  const { repo } = remote;
  const [rows] = await run.engine.database.read([unresolvedQuery(repo, after, limit + 1)]);
  const looked = rows.slice(0, limit);
  const unknown = looked.filter((each) => !isKnownHere(each));
  const surface = await GitHubSurface.open(run, repo, listSurface(run, 'issue_comments'));
  const candidates = await candidatesFor(run, remote, unknown);
  let repaired = 0;
  for (const row of unknown) {
    const matches = matchesOf(row, unknown, candidates);
    for (const { item } of matches) surface.take(item, null);
    if (matches.length > 0) surface.remove(row.key);
    repaired += Math.min(1, matches.length);
  }
  if (repaired > 0) await surface.amend();
  const last = looked.at(-1);
  const left = unknown.length - repaired;
  return {
    looked: unknown.length,
    repaired,
    nextCursor: rows.length > limit && last !== undefined ? `github:${String(last.id)}` : null,
    notes:
      left === 0 ? [] : [`${String(left)} without an identity: GitHub has nothing of that thread, author and time`],
  };
}

interface Candidate {
  readonly item: RemoteItem;
  readonly document: Document;
}

/** What GitHub has in the threads of some rows. */
async function candidatesFor(run: Run, remote: Remote, rows: readonly Unresolved[]): Promise<Candidate[]> {
  const { source, facts, repo, signal } = remote;
  const of = (type: Unresolved['type']) => rows.filter((row) => row.type === type);
  const numbersOf = (type: Unresolved['type']) => new Set(of(type).flatMap(({ number }) => number ?? []));
  const items: RemoteItem[] = [];
  for (const number of numbersOf('issue_comment')) {
    for (let page = 1, more = true; more; page += 1) {
      const got = await source.threadComments(facts.fullName, number, page, signal);
      items.push(...got.items);
      more = got.more;
    }
  }
  const reviewed = [...numbersOf('pr_review')];
  for (let at = 0; at < reviewed.length; at += PULLS_AT_ONCE) {
    const { byNumber } = await source.reviews(facts.fullName, reviewed.slice(at, at + PULLS_AT_ONCE), signal);
    items.push(...[...byNumber.values()].flat());
  }
  const inline = of('pr_review_comment');
  if (inline.length > 0) {
    // GitHub lists them for the whole repository; none was updated before what is stored of it.
    const from = Math.min(...inline.map(({ updatedAt }) => updatedAt));
    const numbers = numbersOf('pr_review_comment');
    for await (const { items: page } of walk(
      (asked) => source.list(facts.fullName, 'review_comments', asked, signal),
      from,
    )) {
      items.push(...page.filter(({ number }) => number !== null && numbers.has(number)));
    }
  }
  const distinct = new Map(items.map((item) => [`${String(item.record.type)} ${item.id}`, item]));
  return [...distinct.values()].map((item) => ({ item, document: documentOf(run, repo, item) }));
}

/** Pull requests whose reviews are asked for at once. */
const PULLS_AT_ONCE = 25;

function cursorOf(cursor = 'index:0'): { phase: string; after: number } {
  const [, phase = '', digits = ''] = /^(index|github):(\d{1,15})$/.exec(cursor) ?? [];
  if (phase !== '') return { phase, after: Number(digits) };
  throw new Failure('invalid_cursor', 'cursor: must be one that this repair gave');
}
