import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { status } from '../../src/lib/admin/status.ts';
import { formatTime } from '../../src/lib/core/time.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { backfill } from '../../src/lib/operations.ts';
import { query } from '../../src/lib/engine/database.ts';
import { testEngine } from '../support/engine.ts';
import { sourceFor } from '../support/github-index.ts';
import { eachWithGitHub, type GitHubProject } from '../support/github-project.ts';
import { TestIndex } from '../support/test-index.ts';

const ISSUES = '/repos/{owner}/{repo}/issues';
const API = ['issue', 'pull_request', 'issue_comment', 'pr_review', 'pr_review_comment'];
let index: GitHubProject['index'];
let gh: GitHubProject['gh'];
let app: GitHubProject['app'];
const cache = eachWithGitHub((project) => {
  ({ index, gh, app } = project);
});

const run = (input: Record<string, unknown> = {}, parts: Partial<Engine> = {}, pageSize = 100) =>
  index.run('acme/app', input, { source: sourceFor(gh, cache, { pageSize }), ...parts });
const later = (seconds = 60): void => {
  index.test.clock.ms += seconds * 1000;
};
/** What messages call the fake. */
const host = (): string => new URL(gh.url).host;
const asked = (): string[] => gh.requests.filter(({ route }) => route !== 'git').map(({ path }) => path);

/** What the files of the database hold, its log among them. */
function databaseFiles(): string[] {
  const directory = dirname(index.test.file);
  return readdirSync(directory).map((file) => readFileSync(join(directory, file), 'latin1'));
}

function hasSecret(texts: readonly string[]): boolean {
  const secrets = [gh.token, Buffer.from(`x-access-token:${gh.token}`).toString('base64')];
  return secrets.some((secret) => texts.some((text) => text.includes(secret)));
}

/** Something of everything. */
function fill(): void {
  converse();
  app.push('Start', { 'README.md': '# App\n\nSells things.\n', 'src/a.ts': 'export const a = 1;\n' });
  app.git.git('tag', 'v1');
  app.git.git('tag', 'v2');
  app.releases.publish({ tag: 'v2', name: 'Second', body: 'Faster than the first' });
  app.wiki.commit('Begin', { 'Home.md': 'Welcome to all of you', 'How to.md': 'See [[Home]]', '_Sidebar.md': 'Home' });
}

function converse(): void {
  const issue = app.threads.openIssue({ title: 'Slow start', labels: ['bug'], milestone: 'One' });
  app.comments.add(issue.number, 'Here it takes a minute', 'grace');
  app.comments.add(issue.number, 'Thanks', 'grace');
  app.comments.add(issue.number, 'This is marked as stale', 'helper[bot]');
  const pull = app.threads.openPull({ title: 'Start faster' });
  app.reviews.submit(pull.number, { body: 'Please measure it first', state: 'CHANGES_REQUESTED' });
  app.reviews.addComment(pull.number, { body: 'Why not in the cache?', path: 'src/a.ts' });
  app.threads.merge(pull.number);
}

describe('a project on GitHub', () => {
  it('becomes documents of every type, and a run without change asks at most eight times', async () => {
    fill();
    later();
    const report = await run();
    expect(report).toMatchObject({ kind: 'github', repos: ['acme/app'], skipped: { bot: 1, short: 2 }, failures: [] });
    const { comments } = app;
    const [first] = [...comments.shelf.values()];
    expect((await index.keys()).map((key) => key.replace(/@[0-9a-f]{40}/, '@'))).toEqual([
      '#1',
      `#1/comment/${String(first?.id)}`,
      '#2',
      '#2/review/1400000001',
      '#2/review_comment/1500000001',
      '/release/v1',
      '/release/v2',
      '/wiki/Home',
      '/wiki/How-to',
      ':README.md',
      '@:README.md',
      '@:src/a.ts',
    ]);
    await run();
    gh.forget();
    later();
    const again = await run();
    expect(again).toMatchObject({ written: 0, removed: 0 });
    expect(asked().length).toBeLessThanOrEqual(8);
    expect(again.requests).toEqual({ made: asked().length, left: expect.any(Number), limit: 5000 });
    const { github, watermarks, repos } = await invoke(status, testEngine(index.test), {});
    // It was looked at, though nothing was new.
    expect(repos).toMatchObject([{ index_updated_at: formatTime(index.test.clock.ms) }]);
    expect(github).toEqual({
      host: host(),
      remaining: again.requests?.left,
      limit: 5000,
      resets_at: '2024-06-01T13:01:00.000Z',
    });
    expect(watermarks.filter(({ complete }) => !complete)).toEqual([]);
    expect(hasSecret(databaseFiles())).toBe(false);
  });

  it('is counted by a dry run as a run brings it, reviews included', async () => {
    converse();
    const dry = await run({ types: API, dry_run: true });
    expect(await index.keys()).toEqual([]);
    expect(dry).toMatchObject({ written: (await run({ types: API })).written, failures: [] });
    expect(dry.written).toBe(5);
    later();
    app.reviews.submit(2, { body: 'It was measured since then' });
    app.threads.edit(1, { title: 'Slower start' });
    const again = await run({ types: API, dry_run: true });
    expect(again.written).toBe((await run({ types: API })).written);
    later();
    expect(await run({ types: API, dry_run: true })).toMatchObject({ written: 0 });
  });

  it('has edits of reviews seen that change nothing else, with the reviews of others and at no request more', async () => {
    gh.quirks.touchThreads = false;
    for (let at = 0; at < 27; at += 1) app.threads.openPull();
    const { id } = app.reviews.submit(1, { body: 'Please measure it first' });
    later();
    await run({ types: API });
    later();
    app.reviews.edit(id, 'Please measure it twice');
    const bodies: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      app.threads.edit(27, { title: `Changed ${String(round)}` });
      later();
      gh.forget();
      await run({ types: API });
      expect(gh.requests.filter(({ route }) => /graphql|reviews/.test(route))).toHaveLength(1);
      bodies.push(...(await index.documents('pr_review')).map(({ body }) => body));
    }
    expect(bodies).toEqual(['Please measure it first', 'Please measure it twice']);
  });

  it('gives what an export of it gives', async () => {
    converse();
    await run({ types: API });
    const read = async (path: string): Promise<Record<string, unknown>[]> => {
      const headers = { authorization: `Bearer ${gh.token}` };
      return (await (await fetch(`${gh.url}/repos/acme/app${path}`, { headers })).json()) as Record<string, unknown>[];
    };
    const number = (url: unknown): number => Number(String(url).split('/').pop());
    const lines = [
      ...(await read('/issues?state=all')).map((each) => ({
        ...each,
        type: 'pull_request' in each ? 'pull_request' : 'issue',
        merged_at: (each.pull_request as { merged_at?: string } | undefined)?.merged_at,
        url: each.html_url,
      })),
      ...(await read('/issues/comments')).map((each) => ({
        ...each,
        type: 'issue_comment',
        number: number(each.issue_url),
        url: each.html_url,
      })),
      ...(await read('/pulls/comments')).map((each) => ({
        ...each,
        type: 'pr_review_comment',
        number: number(each.pull_request_url),
        url: each.html_url,
      })),
      ...(await read('/pulls/2/reviews')).map((each) => ({
        ...each,
        type: 'pr_review',
        number: 2,
        url: each.html_url,
      })),
    ];
    const file = join(cache, 'export.jsonl');
    writeFileSync(file, lines.map((line) => JSON.stringify({ ...line, repo: 'acme/app' })).join('\n'));
    const exported = new TestIndex();
    await exported.run(file);
    expect(await index.digest()).toBe(await exported.digest());
    await exported.remove();
  });

  it('can be found newest first while the rest arrives', async () => {
    for (let at = 0; at < 6; at += 1) {
      app.threads.openIssue();
      later(10);
    }
    gh.fault(ISSUES, { kind: 'reset' }, { skip: 1 });
    const { failures } = await run({ types: API }, {}, 2);
    expect(failures).toMatchObject([{ part: 'issues', code: 'github_unavailable' }]);
    expect(await index.keys('issue')).toEqual(['#5', '#6']);
    await run({ types: API }, {}, 2);
    expect(await index.keys('issue')).toHaveLength(6);
  });

  it('loses nothing to edits between two pages', async () => {
    for (let at = 0; at < 8; at += 1) app.threads.openIssue();
    later();
    const edit = (number: number) => () => {
      later(1);
      app.threads.edit(number, { title: 'Moves to the end' });
    };
    for (let at = 1; at < 5; at += 1) gh.fault(ISSUES, { kind: 'before', run: edit(at) }, { skip: at });
    await run({ types: ['issue', 'pull_request'] }, {}, 3);
    expect(await index.keys('issue')).toHaveLength(8);
  });

  it('goes on where a limit stopped it', async () => {
    for (let at = 0; at < 12; at += 1) {
      app.threads.openIssue();
      later(10);
    }
    gh.limits.set('core', { remaining: 4 });
    const { failures } = await run({ types: ['issue', 'pull_request'] }, {}, 4);
    expect(failures).toMatchObject([{ part: 'issues', code: 'rate_limited' }]);
    gh.limits.set('core', { remaining: 5000 });
    gh.forget();
    await run({ types: ['issue', 'pull_request'] }, {}, 4);
    expect(await index.keys('issue')).toHaveLength(12);
    // Of four pages two were read before.
    expect(asked().filter((path) => path.includes('per_page=4'))).toHaveLength(2);
  });

  it('is brought up to date as far as possible when a part of it fails', async () => {
    const pull = app.threads.openPull();
    app.comments.add(pull.number, 'Here it takes a minute', 'grace');
    app.reviews.addComment(pull.number, { body: 'Why not in the cache?' });
    gh.fault('/repos/{owner}/{repo}/issues/comments', { kind: 'status', status: 502, body: 'Bad gateway' });
    const { failures } = await run({ types: API });
    expect(failures).toMatchObject([{ part: 'comments', message: `${host()} answered with HTTP status 502` }]);
    expect(await index.keys('pr_review_comment')).toHaveLength(1);
    expect(await index.keys('issue_comment')).toHaveLength(0);
    await run({ types: API });
    expect(await index.keys('issue_comment')).toHaveLength(1);
  });

  it('says so when git shows no code of it, as to a token without a right to contents', async () => {
    app.push('Start', { 'README.md': '# App' });
    gh.fault('git', { kind: 'status', status: 404, body: 'Repository not found.' });
    expect(await run({ types: ['doc'] })).toMatchObject({
      failures: [{ part: 'code', message: `${host()} shows this token no code of acme/app` }],
    });
  });

  it('is followed to a new name', async () => {
    app.threads.openIssue();
    gh.rename(app, 'acme/shop');
    const report = await run({ types: API });
    expect(report).toMatchObject({
      repos: ['acme/shop'],
      notes: ['acme/app is acme/shop now, and is indexed under that name'],
    });
    expect((await index.documents()).map(({ key }) => key)).toEqual(['acme/shop#1']);
  });

  it('may be empty, archived, without wiki and without issues', async () => {
    app.archive();
    app.hasWiki = false;
    app.hasIssues = false;
    expect(await run()).toMatchObject({ failures: [], written: 0 });
  });

  it('loses what is deleted, and with a wiki all of its pages', async () => {
    fill();
    await run();
    const [comment] = [...app.comments.shelf.values()];
    gh.quirks.touchThreads = false;
    app.comments.delete(comment?.id ?? 0);
    app.hasWiki = false;
    for (const { id } of [...app.releases.shelf.values()]) app.releases.delete(id);
    app.git.git('tag', '--delete', 'v1');
    later();
    await run();
    const keys = await index.keys();
    expect(keys.filter((key) => /comment\/13|wiki/.test(key))).toEqual([]);
    // Its tag stands for itself again.
    expect((await index.documents('release')).map(({ key, title }) => [key, title])).toEqual([
      ['acme/app/release/v2', 'v2'],
    ]);
  });

  it('keeps its wiki when GitHub does not say whether there is one', async () => {
    fill();
    await run({ types: ['wiki_doc'] });
    const body = { id: app.id, full_name: 'acme/app', clone_url: `${gh.gitUrl}/acme/app.git` };
    gh.fault('/repos/{owner}/{repo}', { kind: 'status', status: 200, body });
    expect(await run({ types: ['wiki_doc'] })).toMatchObject({ removed: 0, failures: [] });
  });

  it('loses a thread that was transferred, also when it came back under another number', async () => {
    const [away, back] = [app.threads.openIssue(), app.threads.openIssue()];
    app.comments.add(back.number, 'Said before it was moved', 'grace');
    await run({ types: API });
    later();
    const other = gh.repository('acme/other');
    app.threads.transfer(away.number, other);
    other.threads.transfer(app.threads.transfer(back.number, other).number, app);
    await run({ types: API });
    expect(await index.keys()).toEqual(['#3', '#3/comment/1300000001']);
  });

  it('loses a great deal part by part, however often a limit ends it', async () => {
    for (let at = 0; at < 27; at += 1) app.threads.openIssue();
    await run({ types: ['issue', 'pull_request'] });
    for (let number = 1; number <= 26; number += 1) app.threads.delete(number);
    gh.limits.set('core', { remaining: 31 });
    expect(await run({ types: ['issue', 'pull_request'] })).toMatchObject({ failures: [{ code: 'rate_limited' }] });
    expect(await index.keys()).toHaveLength(2);
    gh.limits.set('core', { remaining: 10 });
    expect(await run({ types: ['issue', 'pull_request'] })).toMatchObject({ failures: [], removed: 1 });
  });

  it('loses what was deleted while it was compared with what GitHub has', async () => {
    for (let at = 0; at < 4; at += 1) app.threads.openIssue();
    const open = (): unknown => app.threads.openIssue();
    const remove = (): void => {
      app.threads.delete(1);
    };
    const meanwhile = [open, open, remove];
    for (const [at, change] of meanwhile.entries()) gh.fault(ISSUES, { kind: 'before', run: change }, { skip: at + 1 });
    await run({ types: API }, {}, 4);
    expect(await index.keys()).toContain('#1');
    await run({ types: API }, {}, 4);
    expect(await index.keys()).toEqual(['#2', '#3', '#4', '#5', '#6']);
  });

  it('is watched until somebody stops it, through failures that pass', async () => {
    app.threads.openIssue();
    const controller = new AbortController();
    const notes: string[] = [];
    const step = { advance: () => undefined, end: () => undefined };
    let pauses = 0;
    const pause = (ms: number): Promise<void> => {
      expect(ms).toBe(600_000);
      pauses += 1;
      if (pauses === 1) app.threads.openIssue();
      if (pauses === 2) gh.fault('/repos/{owner}/{repo}', { kind: 'status', status: 503 });
      if (pauses === 4) controller.abort();
      later(600);
      return Promise.resolve();
    };
    const progress = { start: () => step, note: (text: string) => void notes.push(text), end: () => undefined };
    const report = await run({ types: API, watch: '10m' }, { pause, progress, signal: controller.signal });
    expect(report.failures).toEqual([]);
    expect(pauses).toBe(4);
    expect(notes).toEqual([`${host()} answered with HTTP status 503`]);
    expect(await index.keys('issue')).toHaveLength(2);
    for (const watch of ['often', '25d']) {
      await expect(run({ watch })).rejects.toMatchObject({ code: 'invalid_input' });
    }
  });

  it('leaves no token in the database or in what is said when GitHub repeats it', async () => {
    app.threads.openIssue();
    const said: string[] = [];
    const note = (text: string): void => {
      said.push(text);
    };
    const advance = (_done: number, remark = ''): void => {
      note(remark);
    };
    const start = (name: string) => {
      note(name);
      return { advance, end: () => undefined };
    };
    gh.fault(ISSUES, { kind: 'status', status: 500, body: { message: `no ${gh.token}` } });
    const progress = { start, note, end: () => undefined };
    for (let at = 0; at < 2; at += 1) note(JSON.stringify(await run({ types: API }, { progress })));
    expect(said.join()).toContain('requests left');
    expect(hasSecret([...said, ...databaseFiles()])).toBe(false);
  });
});

describe('backfill', () => {
  const fix = (input: Record<string, unknown>) =>
    invoke(backfill, testEngine(index.test, { source: sourceFor(gh, cache, { pageSize: 2 }) }), {
      repo: 'acme/app',
      ...input,
    });
  const change = async (sql: string): Promise<void> => {
    await index.test.database.write([{ kind: 'change', sql, args: [] }]);
  };

  it('index brings in missing threads part by part', async () => {
    for (let at = 0; at < 5; at += 1) app.threads.openIssue();
    app.threads.delete(3);
    await run({ types: API });
    await change("DELETE FROM documents WHERE key IN ('acme/app#1', 'acme/app#4')");
    expect(await fix({ surface: 'index', limit: 2, dry_run: true })).toMatchObject({ repaired: 1, next_cursor: '3' });
    expect(await index.keys('issue')).toEqual(['#2', '#5']);
    expect(await fix({ surface: 'index', limit: 2 })).toMatchObject({ looked: 2, repaired: 1, next_cursor: '3' });
    expect(await fix({ surface: 'index', cursor: '3' })).toMatchObject({ looked: 3, repaired: 1, done: true });
    expect(await index.keys('issue')).toEqual(['#1', '#2', '#4', '#5']);
    expect(await fix({ surface: 'index' })).toMatchObject({ looked: 5, repaired: 0, done: true });
  });

  it('leaves it to be seen that a run ended early', async () => {
    for (let at = 0; at < 4; at += 1) {
      app.threads.openIssue();
      later(10);
    }
    gh.fault(ISSUES, { kind: 'reset' }, { skip: 1 });
    await run({ types: ['issue', 'pull_request'] }, {}, 2);
    const isComplete = async (): Promise<unknown> => {
      const { watermarks } = await invoke(status, testEngine(index.test), {});
      return watermarks.find(({ surface }) => surface === 'github:threads')?.complete;
    };
    expect(await isComplete()).toBe(false);
    expect(await fix({ surface: 'index' })).toMatchObject({ repaired: 2, done: true });
    expect(await isComplete()).toBe(false);
    expect(await run({ types: ['issue', 'pull_request'] }, {}, 2)).toMatchObject({ failures: [] });
    expect(await isComplete()).toBe(true);
  });

  it('index finds the thread that was made last, whatever was updated since', async () => {
    for (let at = 0; at < 4; at += 1) app.threads.openIssue();
    await run({ types: API });
    await change("DELETE FROM documents WHERE key = 'acme/app#4'");
    later();
    for (const number of [1, 2]) app.threads.edit(number, { title: 'Edited' });
    expect(await fix({ surface: 'index' })).toMatchObject({ looked: 4, repaired: 1, done: true });
  });

  it('state closes what was closed, and changes nothing by a list that was cut off', async () => {
    for (let at = 0; at < 5; at += 1) app.threads.openIssue();
    app.threads.close(2);
    await run({ types: API });
    await change("UPDATE documents SET state = 'open', content_hash = 'old' WHERE key = 'acme/app#2'");
    const states = async (): Promise<unknown[]> =>
      (
        await index.test.database.read([query('SELECT state FROM documents ORDER BY number', [], (row) => row.state)])
      )[0];
    gh.fault(ISSUES, { kind: 'truncated', share: 0.5 }, { skip: 1 });
    await expect(fix({ surface: 'state' })).rejects.toMatchObject({ code: 'github_unavailable' });
    expect(await states()).toEqual(['open', 'open', 'open', 'open', 'open']);
    expect(await fix({ surface: 'state' })).toMatchObject({ looked: 1, repaired: 1, done: true });
    expect(await states()).toEqual(['open', 'closed', 'open', 'open', 'open']);
    await expect(fix({ surface: 'state', cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' });
    await expect(fix({ surface: 'state', repo: 'acme/none' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
