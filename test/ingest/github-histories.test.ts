import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/core/failure.ts';
import { query } from '../../src/lib/engine/database.ts';
import { sourceFor } from '../support/github-index.ts';
import { type GitHub, startGitHub } from '../support/github/start.ts';
import { temporaryDirectory } from '../support/repository.ts';
import { abortAfter, TestIndex } from '../support/test-index.ts';
import { history, Project, type Step } from './github-history.ts';

/** `HISTORIES=500 npx vitest run test/ingest/github-histories.test.ts --testTimeout=3600000` looks longer. */
const longer = process.env.HISTORIES === undefined ? undefined : Number(process.env.HISTORIES);
const settings = (runs: number) => ({
  // A long search is told where it stopped; by its seed and path it can be shrunk afterwards.
  endOnFailure: longer !== undefined,
  numRuns: longer === undefined ? runs : Math.ceil((longer * runs) / 11),
});

const API_TYPES = ['issue', 'pull_request', 'issue_comment', 'pr_review', 'pr_review_comment'];
// Diffs are history and stay after a force-push, so a fresh index has fewer of them.
const GIT_TYPES = ['release', 'doc', 'wiki_doc'];

let index: TestIndex;
let fresh: TestIndex;
let gh: GitHub;
const cache = temporaryDirectory();
let finish = (): Promise<void> => Promise.resolve();
let projects = 0;

beforeAll(async () => {
  // Few documents make a batch, so that runs end between batches.
  index = new TestIndex(5);
  fresh = new TestIndex();
  const finishing = { onTestFinished: (run: () => Promise<void>) => (finish = run) };
  gh = await startGitHub(finishing, { clock: index.test.clock });
});
afterAll(async () => {
  await finish();
  await Promise.all([index.remove(), fresh.remove()]);
  rmSync(cache, { recursive: true, force: true });
});

/** Keys and hashes of what is indexed of a repository. */
async function contentOf({ test }: TestIndex, repo: string): Promise<unknown[]> {
  const [rows] = await test.database.read([
    query(
      'SELECT d.key, d.content_hash FROM documents d JOIN repos r ON r.id = d.repo_id WHERE r.slug = ? ORDER BY d.key',
      [repo],
      (row) => ({ ...row }),
    ),
  ]);
  return rows;
}

/** Lets a project live, indexing it badly now and then; a clean run must then give what a fresh index has. */
async function play(
  steps: readonly Step[],
  types: readonly string[],
  quirks: Partial<GitHub['quirks']> = {},
): Promise<void> {
  projects += 1;
  const project = new Project(gh, `app-${String(projects)}`);
  Object.assign(gh.quirks, quirks);
  gh.limits.set('core', { remaining: 5000 });
  const { fullName } = project.repository;
  if (types === API_TYPES) project.begin();
  const source = sourceFor(gh, cache, { pageSize: 4 });
  const run = (at: TestIndex, parts = {}) => at.run(fullName, { types }, { source, ...parts });
  for (const step of steps) {
    if (step.do === 'tick') index.test.clock.ms += step.seconds * 1000;
    else if (step.do !== 'run') project.apply(step);
    else {
      const plans = project.plan(step);
      await run(index, step.how === 'interrupted' ? abortAfter(1 + step.after) : {}).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        expect(error.code).toMatch(/^(?:interrupted|github_unavailable|rate_limited|not_found)$/);
      });
      for (const plan of plans) plan.cancel();
    }
  }
  // What is switched off stays as it was, so a fresh index has less.
  Object.assign(project.repository, { hasIssues: true, hasPulls: true });
  expect(await run(index)).toMatchObject({ failures: [] });
  expect(await run(fresh)).toMatchObject({ failures: [] });
  expect(await contentOf(index, fullName)).toEqual(await contentOf(fresh, fullName));
}

const quirks = fc.record({
  touchThreads: fc.boolean(),
  hiddenComments: fc.constantFrom('refused' as const, 'listed' as const, 'left out' as const),
});

/** Only the comments of a thread were read when it was transferred away; under another number it comes back. */
const MOVED: Step[] = [
  { do: 'run', how: 'truncated', after: 1, meanwhile: [] },
  { do: 'issue', at: 1, text: 3 },
  { do: 'transfer out', at: 0, text: 0 },
  { do: 'transfer in', at: 0, text: 0 },
];

describe('whatever happened to a project and to earlier runs, a clean run gives what a fresh index has', () => {
  it('of issues, pull requests, comments and reviews', async () => {
    await fc.assert(
      fc.asyncProperty(history('api'), quirks, (steps, quirk) => play(steps, API_TYPES, quirk)),
      { ...settings(9), examples: [[MOVED, { touchThreads: true, hiddenComments: 'refused' }]] },
    );
  });

  it('of docs, tags, releases and wiki pages', async () => {
    await fc.assert(
      fc.asyncProperty(history('git'), (steps) => play(steps, GIT_TYPES)),
      settings(2),
    );
    expect(await index.digest()).toBe(await fresh.digest());
  });
});
