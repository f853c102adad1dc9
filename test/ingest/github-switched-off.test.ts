import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { backfill } from '../../src/lib/operations.ts';
import { testEngine } from '../support/engine.ts';
import { sourceFor } from '../support/github-index.ts';
import { eachWithGitHub, type GitHubProject } from '../support/github-project.ts';
import { TestIndex } from '../support/test-index.ts';

const PULLS = '/repos/{owner}/{repo}/pulls';
const API = ['issue', 'pull_request', 'issue_comment', 'pr_review', 'pr_review_comment'];
let index: GitHubProject['index'];
let gh: GitHubProject['gh'];
let app: GitHubProject['app'];
const cache = eachWithGitHub((project) => {
  ({ index, gh, app } = project);
});

const run = (input: Record<string, unknown> = {}, parts: Partial<Engine> = {}, pageSize = 100, at = index) =>
  at.run('acme/app', { types: API, ...input }, { source: sourceFor(gh, cache, { pageSize }), ...parts });
const later = (seconds = 60): void => {
  index.test.clock.ms += seconds * 1000;
};
const asked = (): string[] => gh.requests.filter(({ route }) => route !== 'git').map(({ path }) => path);
const fix = (input: Record<string, unknown>, pageSize = 2) =>
  invoke(backfill, testEngine(index.test, { source: sourceFor(gh, cache, { pageSize }) }), {
    repo: 'acme/app',
    ...input,
  });

/** An issue (#1) and a pull request (#2), with something of everything said in both. */
function converse(): { issue: number; pull: number; onIssue: number; onPull: number } {
  const issue = app.threads.openIssue({ title: 'Slow start' }).number;
  const pull = app.threads.openPull({ title: 'Start faster' }).number;
  const onIssue = app.comments.add(issue, 'Here it takes a minute', 'grace').id;
  const onPull = app.comments.add(pull, 'Half a second here now', 'grace').id;
  app.reviews.submit(pull, { body: 'Please measure it first', state: 'CHANGES_REQUESTED' });
  app.reviews.addComment(pull, { body: 'Why not in the cache?' });
  return { issue, pull, onIssue, onPull };
}

async function expectAsFresh(): Promise<void> {
  const fresh = new TestIndex();
  await run({}, {}, 100, fresh);
  expect(await index.digest()).toBe(await fresh.digest());
  await fresh.remove();
}

describe('a repository with issues switched off', () => {
  it.each(['left out', 'refused'] as const)(
    'has its pull requests read, the list of comments %s',
    async (hiddenComments) => {
      gh.quirks.hiddenComments = hiddenComments;
      converse();
      app.hasIssues = false;
      expect(await run()).toMatchObject({ failures: [], notes: [] });
      const keys = await index.keys();
      expect(keys.filter((key) => !key.startsWith('#1'))).toEqual([
        '#2',
        '#2/comment/1300000002',
        '#2/review/1400000001',
        '#2/review_comment/1500000001',
      ]);
      later();
      app.comments.add(2, 'And a tenth of one later on', 'grace');
      app.threads.edit(2, { title: 'Start much faster' });
      await run();
      expect(await index.keys('issue_comment')).toContain('#2/comment/1300000003');
      expect((await index.documents('pull_request')).map(({ title }) => title)).toEqual(['Start much faster']);
      await run();
      gh.forget();
      expect(await run()).toMatchObject({ written: 0, removed: 0, failures: [] });
      expect(asked().length).toBeLessThanOrEqual(8);
    },
  );

  it.each(['listed', 'refused'] as const)(
    'keeps its issues, their comments %s, and is as new once they are on',
    async (hiddenComments) => {
      gh.quirks.hiddenComments = hiddenComments;
      gh.quirks.touchThreads = false;
      const { issue, pull, onIssue, onPull } = converse();
      const second = app.comments.add(pull, 'It was measured twice', 'grace').id;
      await run();
      const before = await index.keys();
      later();
      // Seen by no run before they are off.
      app.threads.edit(issue, { title: 'Very slow start' });
      app.comments.edit(onIssue, 'Here it takes two minutes');
      app.hasIssues = false;
      later();
      app.comments.delete(second);
      app.comments.add(pull, 'Seen while they were off', 'grace');
      const off = await run();
      expect(off).toMatchObject({
        failures: [],
        notes: ['issues are switched off on GitHub; the 1 that are indexed stay as they were'],
      });
      const gone = `#2/comment/${String(second)}`;
      expect(await index.keys()).toEqual([
        ...before.slice(0, before.indexOf(gone)),
        `#2/comment/${String(second + 1)}`,
        ...before.slice(before.indexOf(gone) + 1),
      ]);
      later();
      app.hasIssues = true;
      // Seen by no run while they were off, and by nothing that changed on its thread.
      app.comments.edit(onPull, 'A third of a second here now');
      expect(await run()).toMatchObject({ failures: [], notes: [] });
      await expectAsFresh();
    },
  );
});

describe('pull requests, where issues are switched off', () => {
  /** Pull requests from #1 on, the last updated last. */
  function open(count: number): void {
    app.hasIssues = false;
    for (let at = 0; at < count; at += 1) {
      app.threads.openPull();
      later(10);
    }
  }
  const titles = async (): Promise<string[]> => (await index.documents('pull_request')).map(({ title }) => title);

  it('are not lost to edits between two pages', async () => {
    open(8);
    await run({ types: ['pull_request'] }, {}, 3);
    for (let number = 1; number <= 8; number += 1) {
      app.threads.edit(number, { title: 'Edited' });
      later(10);
    }
    const edit = (number: number) => (): void => {
      later(1);
      app.threads.edit(number, { title: `Edited ${String(number)}` });
    };
    // Each moves from a page that is not read yet to the first one.
    for (const [at, number] of [1, 3, 2].entries())
      gh.fault(PULLS, { kind: 'before', run: edit(number) }, { skip: at + 2 });
    await run({ types: ['pull_request'] }, {}, 3);
    const found = await titles();
    expect(found).toHaveLength(8);
    expect(found.slice(0, 3)).toEqual(['Edited 1', 'Edited 2', 'Edited 3']);
  });

  it('are read anew where a run ended between two pages', async () => {
    open(6);
    await run({ types: ['pull_request'] }, {}, 2);
    for (const number of [1, 2, 3, 4]) app.threads.edit(number, { title: 'Edited' });
    later();
    gh.fault(PULLS, { kind: 'reset' }, { skip: 2 });
    expect(await run({ types: ['pull_request'] }, {}, 2)).toMatchObject({ failures: [{ part: 'issues' }] });
    later();
    app.threads.edit(6, { title: 'Edited' });
    expect(await run({ types: ['pull_request'] }, {}, 2)).toMatchObject({ failures: [] });
    expect((await titles()).filter((title) => title === 'Edited')).toHaveLength(5);
  });

  it('have their comments read where no list has them, also of those that are found last', async () => {
    gh.quirks.hiddenComments = 'refused';
    open(4);
    for (let number = 1; number <= 4; number += 1) {
      app.comments.add(number, 'Half a second here now', 'grace');
      later(10);
    }
    gh.fault(PULLS, { kind: 'reset' }, { skip: 2 });
    expect(await run({}, {}, 2)).toMatchObject({ failures: [{ part: 'issues' }] });
    expect(await index.keys('issue_comment')).toHaveLength(2);
    expect(await run({}, {}, 2)).toMatchObject({ failures: [] });
    expect(await index.keys('issue_comment')).toHaveLength(4);
    gh.forget();
    await run({}, {}, 2);
    expect(asked().filter((path) => /issues\/\d\/comments/.test(path))).toHaveLength(1);
  });

  it('have their comments read anew once older ones are indexed', async () => {
    gh.quirks.hiddenComments = 'refused';
    open(2);
    app.comments.add(1, 'Half a second here now', 'grace');
    later();
    app.comments.add(2, 'A tenth of one later on', 'grace');
    const since = new Date(index.test.clock.ms - 1000).toISOString();
    await run({ types: ['pull_request'], since });
    await run({ types: ['issue_comment'] });
    expect(await index.keys('issue_comment')).toHaveLength(1);
    await run();
    expect(await index.keys('issue_comment')).toHaveLength(2);
  });

  it('index and state repair them, and leave issues as they are', async () => {
    app.threads.openIssue();
    open(9);
    app.hasIssues = true;
    await run();
    app.hasIssues = false;
    const sql = "UPDATE documents SET state = 'open' WHERE number = 3; DELETE FROM documents WHERE number = 5";
    app.threads.close(3);
    await run();
    for (const each of sql.split('; ')) await index.test.database.write([{ kind: 'change', sql: each, args: [] }]);
    gh.forget();
    expect(await fix({ surface: 'index' })).toMatchObject({ looked: 10, repaired: 1, done: true });
    expect(await index.keys('pull_request')).toContain('#5');
    // A pull request that is closed meanwhile pulls another one across the border of its page.
    const close = (): void => {
      app.threads.close(10);
    };
    gh.fault(PULLS, { kind: 'before', run: close }, { skip: 3 });
    expect(await fix({ surface: 'state' })).toMatchObject({ looked: 1, repaired: 1, done: true });
    expect(await index.keys('issue')).toEqual(['#1']);
    expect(asked().filter((path) => path.includes('/issues'))).toEqual([]);
  });
});

it('pull requests switched off stay with all that is said in them, and are as new once they are on again', async () => {
  const { pull } = converse();
  await run();
  const before = await index.keys();
  later();
  app.threads.edit(pull, { title: 'Start much faster' });
  app.hasPulls = false;
  later();
  app.threads.openIssue();
  expect(await run()).toMatchObject({
    failures: [],
    notes: ['pull requests are switched off on GitHub; the 1 that are indexed stay as they were'],
  });
  expect(await index.keys()).toEqual([...before, '#3']);
  app.hasIssues = false;
  expect(await run()).toMatchObject({ failures: [], written: 0, removed: 0 });
  expect(await fix({ surface: 'index' })).toMatchObject({ looked: 0, done: true });
  expect(await fix({ surface: 'state' })).toMatchObject({ looked: 0, done: true });
  app.hasIssues = true;
  app.hasPulls = true;
  await run();
  await expectAsFresh();
});

it('nothing leaves when issues are switched off, or the repository is hidden, while a run asks what is gone', async () => {
  converse();
  app.threads.openIssue();
  await run();
  later();
  app.threads.delete(3);
  const off = (): void => {
    app.hasIssues = false;
  };
  gh.fault('/repos/{owner}/{repo}/issues/{issue_number}', { kind: 'before', run: off });
  expect(await run()).toMatchObject({
    removed: 0,
    failures: [
      { part: 'issues', message: expect.stringMatching(/switched on or off meanwhile/) as string },
      { part: 'comments' },
    ],
  });
  app.hasIssues = true;
  app.threads.edit(2, { title: 'Changed' });
  const missing = { kind: 'status', status: 404 } as const;
  gh.fault('graphql', missing);
  gh.fault('/repos/{owner}/{repo}/pulls/{pull_number}/reviews', missing);
  gh.fault('/repos/{owner}/{repo}', missing, { skip: 2 });
  expect(await run()).toMatchObject({ removed: 1, failures: [{ part: 'reviews', code: 'credential_required' }] });
  expect(await index.keys('pr_review')).toHaveLength(1);
});

it('pull requests that a token may not read are not gone, nor what was said in them', async () => {
  converse();
  await run();
  const keys = await index.keys();
  later();
  app.hasPulls = false;
  gh.quirks.tellsHiddenPulls = false;
  const { removed, failures } = await run();
  expect(await index.keys()).toEqual(keys);
  const hidden = `${new URL(gh.url).host} shows this token no pull requests of acme/app`;
  expect(removed).toBe(0);
  expect(failures.map(({ part, code, message }) => [part, code, message])).toEqual([
    ['issues', 'credential_required', hidden],
    ['comments', 'credential_required', hidden],
    ['review comments', 'not_found', expect.any(String)],
    ['reviews', 'credential_required', hidden],
  ]);
});

it.each([500, 502])('reviews are read one by one where GitHub gives their query up (%i)', async (status) => {
  converse();
  gh.fault('graphql', { kind: 'status', status, body: 'Bad gateway' });
  expect(await run()).toMatchObject({ failures: [] });
  expect(await index.keys('pr_review')).toHaveLength(1);
});

it('everything since the epoch is everything', async () => {
  for (let at = 0; at < 3; at += 1) app.threads.openIssue();
  await run({ since: '1970-01-01' }, {}, 2);
  expect(await index.keys('issue')).toHaveLength(3);
});
