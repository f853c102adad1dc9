import { Failure } from '../core/failure.ts';
import { requireAllowed } from '../engine/allow-list.ts';
import type { GitHubSource } from '../engine/github.ts';
import { lookedAt } from '../corpus/repos.ts';
import { writeBudget } from '../corpus/watermark.ts';
import type { Change } from '../engine/database.ts';
import { ingestCode, ingestWikiOf } from './github-git.ts';
import { ingestReleases } from './github-releases.ts';
import { ingestReviews } from './github-reviews.ts';
import { type Remote, wantedOf } from './github-source.ts';
import { ingestComments, ingestReviewComments, ingestThreads } from './github-threads.ts';
import { RepoNames } from './repo-names.ts';
import { type IndexedTarget, WHOLE_REPOSITORY } from './index-contract.ts';
import { type Run, Surface, wants } from './run.ts';

type TargetFailure = IndexedTarget['failures'][number];

interface Part {
  /** As a person calls it. */
  readonly name: string;
  /** Whether it asks the API, which has a limit that git has no part in. */
  readonly api: boolean;
  readonly isWanted: (run: Run) => boolean;
  readonly ingest: (run: Run, remote: Remote) => Promise<void>;
}

/** In this order: comments are compared with their threads, reviews are found by them, tags give way to releases. */
const PARTS: readonly Part[] = [
  { name: 'issues', api: true, isWanted: (run) => wantedOf(run, 'threads') !== 'none', ingest: ingestThreads },
  { name: 'comments', api: true, isWanted: (run) => wants(run, 'issue_comment'), ingest: ingestComments },
  {
    name: 'review comments',
    api: true,
    isWanted: (run) => wants(run, 'pr_review_comment'),
    ingest: ingestReviewComments,
  },
  { name: 'releases', api: true, isWanted: (run) => wants(run, 'release'), ingest: ingestReleases },
  { name: 'reviews', api: true, isWanted: (run) => wants(run, 'pr_review'), ingest: ingestReviews },
  {
    name: 'code',
    api: false,
    isWanted: (run) => wants(run, 'doc') || wants(run, 'diff') || wants(run, 'release'),
    ingest: ingestCode,
  },
  { name: 'wiki', api: false, isWanted: (run) => wants(run, 'wiki_doc'), ingest: ingestWikiOf },
];

/**
 * Indexes a repository from GitHub itself. A part that fails is reported and does not keep the others from being brought up
 * to date; what ends the run is an interruption, a database that fails, and a repository that cannot be read at all.
 */
export async function ingestGitHub(run: Run, slug: string): Promise<void> {
  const { engine, report } = run;
  const source = sourceOf(engine.source);
  const made = source.requests;
  const marks: Change[] = [];
  try {
    const remote = await openRemote(run, source, slug);
    let limited = false;
    for (const part of PARTS.filter(({ isWanted }) => isWanted(run))) {
      if (limited && part.api) continue;
      try {
        await part.ingest(run, remote);
      } catch (error) {
        if (!(error instanceof Failure) || !isOfGitHub(error)) throw error;
        report.failures.push(failureOf(part.name, error));
        // Asking on would only make it worse.
        limited ||= error.code === 'rate_limited';
      }
    }
    const isWhole = run.types === undefined && run.since === undefined && report.failures.length === 0;
    if (isWhole) marks.push(lookedAt(remote.repo, engine.clock.now()));
  } finally {
    engine.progress.end();
    const { budget } = source;
    report.requests = {
      made: source.requests - made,
      ...(budget !== undefined && { left: budget.remaining, limit: budget.limit }),
    };
    if (budget !== undefined) marks.push(writeBudget(source.asked, budget, engine.clock.now()));
    // Figures to look at: a run is not lost for them.
    if (marks.length > 0 && !run.dryRun) await engine.database.write(marks, 'normal').catch(() => undefined);
  }
}

/**
 * As {@link ingestGitHub}, for one of several targets: a repository that cannot be read is reported too. `limit`: by what an
 * earlier one met the limit of requests, after which GitHub is not asked; what the next one is given is returned.
 */
export async function ingestGitHubOfSeveral(
  run: Run,
  slug: string,
  limit: TargetFailure | undefined,
): Promise<TargetFailure | undefined> {
  const { failures } = run.report;
  if (limit !== undefined) {
    failures.push({ ...limit, part: WHOLE_REPOSITORY, message: `not asked, since ${limit.message}` });
    return limit;
  }
  try {
    await ingestGitHub(run, slug);
  } catch (error) {
    if (!(error instanceof Failure) || !isOfGitHub(error)) throw error;
    failures.push(failureOf(WHOLE_REPOSITORY, error));
  }
  return failures.find(({ code }) => code === 'rate_limited');
}

function failureOf(part: string, { code, message, hint }: Failure): TargetFailure {
  return { part, code, message, ...(hint !== undefined && { hint }) };
}

/** Asks what the repository is now, follows it to its new name, and writes its facts down. */
async function openRemote(run: Run, source: GitHubSource, slug: string): Promise<Remote> {
  const { database, signal, progress } = run.engine;
  const facts = await source.repository(slug, signal);
  // Under its new name it may be another's.
  requireAllowed(run.engine.allowed, facts.fullName);
  const repo = (await RepoNames.of(database)).spelling(facts.fullName);
  if (facts.fullName.toLowerCase() !== slug.toLowerCase()) {
    const note = `${slug} is ${facts.fullName} now, and is indexed under that name`;
    run.report.notes.push(note);
    progress.note(note);
  }
  run.report.repos.push(repo);
  const surface = await Surface.open(run, repo, 'github:repository');
  const { id, private: isPrivate, archived, hasWiki, hasIssues, hasPulls } = facts;
  const has = { wiki: hasWiki, issues: hasIssues, pulls: hasPulls };
  const mark = JSON.stringify({ id, private: isPrivate, archived, ...has, branch: facts.defaultBranch });
  if (mark !== surface.mark) {
    await surface.complete(mark, { facts: new Map([[repo, { defaultBranch: facts.defaultBranch }]]) });
  }
  return { source, facts, repo, signal, unstored: new Map() };
}

/** Fails with `invalid_input` where an engine was made without GitHub. */
export function sourceOf(source: GitHubSource | undefined): GitHubSource {
  if (source !== undefined) return source;
  throw new Failure('invalid_input', 'this program was put together without access to GitHub');
}

/** Whether a failure concerns one repository only, or one part of it. */
function isOfGitHub({ code }: Failure): boolean {
  switch (code) {
    case 'rate_limited':
    case 'github_unavailable':
    case 'credential_required':
    case 'not_found':
    case 'unreadable_input':
    case 'not_a_repository':
      return true;
    default:
      return false;
  }
}
