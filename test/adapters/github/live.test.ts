import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { gitMirror } from '../../../src/lib/adapters/git/mirror.ts';
import { githubLive } from '../../../src/lib/adapters/github/live.ts';
import { TestClock } from '../../support/database.ts';
import { type GitHub, startGitHub } from '../../support/github/start.ts';
import { temporaryDirectory } from '../../support/repository.ts';

const cache = temporaryDirectory();
const signal = new AbortController().signal;
afterAll(() => {
  rmSync(cache, { recursive: true, force: true });
});

const liveOf = (gh: GitHub, variables: NodeJS.ProcessEnv = {}) =>
  githubLive({
    mirror: gitMirror(cache),
    variables: Object.assign(variables, { PATH: '', GH_TOKEN: gh.token, GITHUB_API_URL: gh.url }),
    timeoutMs: 30_000,
  });

it('reads one wiki for several at once', async (t) => {
  const gh = await startGitHub(t, { clock: new TestClock() });
  const { wiki } = gh.repository('acme/app');
  const live = liveOf(gh);
  for (const text of ['One', 'Two']) {
    wiki.commit(text, { 'Home.md': text });
    const clones = await Promise.all(Array.from({ length: 3 }, () => live.wiki('acme/app', signal)));
    expect(new Set(clones.map((clone) => JSON.stringify(clone))).size).toBe(1);
  }
});

it('does not leave the repository by a path', async (t) => {
  const gh = await startGitHub(t, { clock: new TestClock() });
  gh.repository('acme/app').push('Start', { 'README.md': 'Open to all' });
  gh.repository('acme/plans', { private: true }).push('Start', { 'README.md': 'Not for all' });
  const live = liveOf(gh);
  await expect(live.file('acme/app', 'README.md', signal)).resolves.toEqual(Buffer.from('Open to all'));
  await expect(live.file('acme/app', '../../plans/contents/README.md', signal)).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('believes of GitHub alone that a file is gone', async (t) => {
  const gh = await startGitHub(t, { clock: new TestClock() });
  gh.repository('acme/app').push('Start', { 'README.md': 'Open to all' });
  const live = liveOf(gh);
  gh.fault(/README/, { kind: 'status', status: 404, body: '' });
  await expect(live.file('acme/app', 'README.md', signal)).rejects.toMatchObject({ code: 'github_unavailable' });
  gh.fault(/README/, { kind: 'status', status: 404 });
  await expect(live.file('acme/app', 'README.md', signal)).rejects.toMatchObject({ code: 'not_found' });
});

it('looks for another token once one is refused', async (t) => {
  const gh = await startGitHub(t, { clock: new TestClock() });
  gh.repository('acme/app').push('Start', { 'README.md': 'Open to all' });
  const variables: NodeJS.ProcessEnv = {};
  const live = liveOf(gh, variables);
  gh.revokeToken(gh.token);
  await expect(live.file('acme/app', 'README.md', signal)).rejects.toMatchObject({ code: 'credential_required' });
  variables.GH_TOKEN = gh.addToken({ value: 'ghp_renewed' });
  await expect(live.file('acme/app', 'README.md', signal)).resolves.toEqual(Buffer.from('Open to all'));
});
