import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TestRepository, temporaryDirectory } from '../support/repository.ts';
import { startSide } from './client.ts';

const run = promisify(execFile);

/** Runs git with a credential in its environment; gives what it prints, or its complaint. */
async function git(args: readonly string[], token?: string): Promise<string> {
  const basic = Buffer.from(`x-access-token:${token ?? ''}`).toString('base64');
  const header = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
  const common = {
    PATH: process.env.PATH,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
  };
  try {
    return (await run('git', [...args], { env: { ...common, ...(token !== undefined && header) } })).stdout.trim();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('a private repository is cloned with its token, and fetched again after a forced push', async (t) => {
  const { gh } = await startSide(t);
  const app = gh.repository('acme/app', { private: true, defaultBranch: 'trunk' });
  const url = `${gh.gitUrl}/acme/app.git`;
  expect(await git(['ls-remote', url], gh.token)).toBe('');
  app.push('Begin', { 'README.md': 'one' });
  app.push('Regret', { 'README.md': 'two' });
  const directory = temporaryDirectory();
  t.onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  await git(['clone', '--quiet', '--bare', '--filter=blob:none', url, directory], gh.token);
  const clone = new TestRepository(directory);
  expect([clone.git('symbolic-ref', 'HEAD'), clone.git('rev-list', '--count', 'HEAD')]).toEqual([
    'refs/heads/trunk',
    '2',
  ]);
  gh.fault('git', { kind: 'cut' }, { skip: 1 });
  expect(await git(['-C', directory, 'fetch', 'origin'], gh.token)).toMatch(/fatal|error/);
  gh.rename(app, 'acme/tool');
  const forced = app.forcePush('Better', { 'README.md': 'three' });
  await git(['-C', directory, 'fetch', '--quiet', 'origin', '+trunk:trunk'], gh.token);
  expect(clone.git('rev-parse', 'trunk')).toBe(forced);
  expect(gh.requests.filter(({ status }) => status === 301).map(({ route }) => route)).toEqual(['git']);
});

test('without a right to see it, and without a wiki, there is nothing to clone', async (t) => {
  const { gh } = await startSide(t);
  const app = gh.repository('acme/app', { private: true });
  const wiki = `${gh.gitUrl}/acme/app.wiki.git`;
  const stranger = gh.addToken({ value: 'stranger', private: false });
  expect(await git(['ls-remote', wiki], gh.token)).toContain('not found');
  expect(await git(['ls-remote', `${gh.gitUrl}/acme/app.git`], stranger)).toContain('not found');
  expect(await git(['ls-remote', `${gh.gitUrl}/acme/app.git`])).toContain('could not read Username');
  expect(gh.requests.map(({ status, repository }) => [status, repository])).toEqual([
    [404, 'acme/app.wiki'],
    [404, 'acme/app'],
    [401, 'acme/app'],
  ]);
  const commit = app.wiki.commit('First page', { 'Home.md': 'Welcome' });
  expect(await git(['ls-remote', wiki, 'HEAD'], gh.token)).toBe(`${commit}\tHEAD`);
});

test('the text of a file comes at any commit, as JSON or raw', async (t) => {
  const { gh, get } = await startSide(t);
  const app = gh.repository('acme/app');
  expect((await get('/repos/acme/app/contents/docs/a.md')).status).toBe(404);
  const old = app.push('One', { 'docs/a.md': 'old text' });
  app.push('Two', { 'docs/a.md': 'new text' });
  const body: unknown = await (await get('/repos/acme/app/contents/docs/a.md')).json();
  expect(body).toMatchObject({ type: 'file', path: 'docs/a.md', content: Buffer.from('new text').toString('base64') });
  const raw = await get(`/repos/acme/app/contents/docs/a.md?ref=${old}`, { accept: 'application/vnd.github.raw+json' });
  expect(await raw.text()).toBe('old text');
  expect(await (await get('/repos/acme/app/contents')).json()).toMatchObject([{ type: 'dir', path: 'docs' }]);
  expect((await get('/repos/acme/app/contents/docs/b.md')).status).toBe(404);
});
