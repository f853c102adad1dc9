import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { allowedBy } from '../../../src/lib/engine/allow-list.ts';
import { githubSource } from '../../../src/lib/adapters/github/source.ts';
import { gitMirror } from '../../../src/lib/adapters/git/mirror.ts';
import { TestClock } from '../../support/database.ts';
import { sourceFor } from '../../support/github-index.ts';
import { type Finishing, type GitHub, startGitHub } from '../../support/github/start.ts';
import type { Fault } from '../../support/github/faults.ts';
import { temporaryDirectory } from '../../support/repository.ts';

const cache = temporaryDirectory();
const signal = new AbortController().signal;
const none = { PATH: '' };
const PATH = process.env.PATH ?? '';
const LIST = '/repos/{owner}/{repo}/issues';
const PAGE = { order: 'oldest', page: 1, perPage: 100 } as const;
afterAll(() => {
  rmSync(cache, { recursive: true, force: true });
});

async function started(t: Finishing): Promise<GitHub> {
  const gh = await startGitHub(t, { clock: new TestClock() });
  gh.repository('acme/app').threads.openIssue();
  return gh;
}

/** What messages call the fake. */
const at = (gh: GitHub): string => new URL(gh.url).host;

const withToken = (gh: GitHub, token: string) =>
  sourceFor(gh, cache, { variables: { ...none, GH_TOKEN: token, GITHUB_API_URL: gh.url } });

describe('a repository that cannot be read is told by what keeps it', () => {
  it('no token', async (t) => {
    const gh = await started(t);
    const source = sourceFor(gh, cache, { variables: { ...none, GITHUB_API_URL: gh.url } });
    await expect(source.repository('acme/app', signal)).rejects.toMatchObject({
      code: 'credential_required',
      message: 'reading acme/app from GitHub needs a token, and there is none',
    });
    expect(gh.requests).toEqual([]);
  });

  it('a wrong, revoked or expired token', async (t) => {
    const gh = await started(t);
    const failure = {
      code: 'credential_required',
      message: `${at(gh)} refuses the token: it is wrong, was revoked or has expired`,
    };
    await expect(withToken(gh, 'ghp_wrong').repository('acme/app', signal)).rejects.toMatchObject(failure);
    const expired = gh.addToken({ value: 'ghp_old', expiresAt: 1 });
    await expect(withToken(gh, expired).repository('acme/app', signal)).rejects.toMatchObject(failure);
  });

  it('a private repository of others, and a token without the scope', async (t) => {
    const gh = await started(t);
    gh.repository('acme/secret', { private: true });
    const token = gh.addToken({ value: 'ghp_public', scopes: ['public_repo'] });
    await expect(withToken(gh, token).repository('acme/secret', signal)).rejects.toMatchObject({
      code: 'credential_required',
      message: `${at(gh)} shows this token no repository acme/secret`,
      hint: 'Check its spelling; if it is private, use a token that may read it (gh auth refresh -s repo).',
    });
  });

  it('an owner that is not there', async (t) => {
    const gh = await started(t);
    await expect(sourceFor(gh, cache).repository('acem/app', signal)).rejects.toMatchObject({
      code: 'not_found',
      message: `there is no user or organisation acem on ${at(gh)}`,
      hint: 'Check the spelling of owner/name, and GITHUB_API_URL where another host is meant.',
    });
  });

  it('single sign-on', async (t) => {
    const gh = await started(t);
    const token = gh.addToken({ value: 'ghp_sso', ssoMissing: ['acme'] });
    await expect(withToken(gh, token).repository('acme/app', signal)).rejects.toMatchObject({
      code: 'credential_required',
      message: 'the organisation of acme/app wants the token authorised for single sign-on',
      hint: 'Authorise it: https://github.com/orgs/acme/sso?authorization_request=A1',
    });
  });

  it('a permission that the token lacks', async (t) => {
    const gh = await started(t);
    const body = { message: 'Resource not accessible by personal access token' };
    gh.fault(LIST, { kind: 'status', status: 403, body, headers: { 'x-accepted-github-permissions': 'issues=read' } });
    await expect(sourceFor(gh, cache).list('acme/app', 'threads', PAGE, signal)).rejects.toMatchObject({
      code: 'credential_required',
      message: 'the token may not read acme/app; it needs one of: issues=read',
    });
  });

  it('the configuration', async (t) => {
    const gh = await started(t);
    const source = sourceFor(gh, cache, { allowed: allowedBy(['acme/other', 'octo/*']) });
    await expect(source.repository('acme/app', signal)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'the configuration does not allow the repository acme/app',
    });
    expect(gh.requests).toEqual([]);
    await expect(
      sourceFor(gh, cache, { allowed: allowedBy(['ACME/*']) }).repository('acme/app', signal),
    ).resolves.toMatchObject({
      fullName: 'acme/app',
    });
  });

  it('nothing that answers, and a proxy that Node passes by', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // of a server that listens on a port
    await new Promise((resolve) => server.close(resolve));
    const variables = { ...none, GH_TOKEN: 't', GITHUB_API_URL: `http://127.0.0.1:${String(port)}` };
    const refused = githubSource({ mirror: gitMirror(cache), retries: 0, variables });
    await expect(refused.repository('acme/app', signal)).rejects.toMatchObject({
      code: 'github_unavailable',
      message: `127.0.0.1:${String(port)} cannot be reached: the connection was refused`,
      hint: 'Check the network and GITHUB_API_URL, then run the same command again.',
    });
    const proxied = githubSource({
      mirror: gitMirror(cache),
      retries: 0,
      variables: { ...variables, HTTPS_PROXY: 'http://proxy:3128' },
    });
    await expect(proxied.repository('acme/app', signal)).rejects.toMatchObject({
      hint: 'A proxy is set, but Node uses it only with NODE_USE_ENV_PROXY=1 (Node 22.21, 24 and newer).',
    });
  });

  it('its limits, with the time of the end', async (t) => {
    const gh = await started(t);
    gh.limits.set('core', { remaining: 0 });
    await expect(sourceFor(gh, cache).repository('acme/app', signal)).rejects.toMatchObject({
      code: 'rate_limited',
      message: `${at(gh)} allows no more requests before 2024-06-01T13:00:00.000Z`,
    });
    gh.limits.set('core', { remaining: 50 });
    for (const status of [403, 429] as const) {
      gh.fault(LIST, { kind: 'secondaryLimit', status, retryAfter: 40 }, { times: 1 });
      gh.forget();
      await expect(sourceFor(gh, cache).list('acme/app', 'threads', PAGE, signal)).rejects.toMatchObject({
        code: 'rate_limited',
        message: `${at(gh)} asks to be left alone for 40 s`,
      });
      expect(gh.requests).toHaveLength(1);
    }
    const body = { errors: [{ type: 'RATE_LIMIT', message: 'API rate limit already exceeded for user ID 1.' }] };
    gh.fault('graphql', { kind: 'status', status: 200, body });
    await expect(sourceFor(gh, cache).reviews('acme/app', [1], signal)).rejects.toMatchObject({ code: 'rate_limited' });
    gh.fault('graphql', { kind: 'primaryLimit' });
    await expect(sourceFor(gh, cache).reviews('acme/app', [1], signal)).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

it.each<[string, Fault, string]>([
  ['no answer', { kind: 'reset' }, 'cannot be reached: there is no answer'],
  ['a server in trouble', { kind: 'status', status: 502 }, 'answered with HTTP status 502'],
])('%s is told before it is tried again, and told once where it is not', async (_, fault, said) => {
  const ended: (() => Promise<void>)[] = [];
  const gh = await started({ onTestFinished: (run) => ended.push(run) });
  gh.fault(LIST, fault, { times: 2 });
  const told: string[] = [];
  // Given up at the first word, so that nothing waits.
  const controller = new AbortController();
  const onRetry = (message: string): void => {
    told.push(message);
    controller.abort();
  };
  const patient = sourceFor(gh, cache, { retries: 3, onRetry });
  await expect(patient.list('acme/app', 'threads', PAGE, controller.signal)).rejects.toMatchObject({
    code: 'interrupted',
  });
  expect(told).toEqual([`${at(gh)} ${said}; trying again in 1 s`]);
  const hasty = sourceFor(gh, cache, { retries: 0, onRetry });
  await expect(hasty.list('acme/app', 'threads', PAGE, signal)).rejects.toMatchObject({ message: `${at(gh)} ${said}` });
  expect(told).toHaveLength(1);
  await Promise.all(ended.map((run) => run()));
});

it('ends at once when it is given up, and asks no more', async (t) => {
  const gh = await started(t);
  let answer = (): void => undefined;
  const until = new Promise<void>((resolve) => (answer = resolve));
  const held = gh.fault(LIST, { kind: 'hold', until });
  const controller = new AbortController();
  const source = sourceFor(gh, cache, { retries: 3 });
  const listed = source.list('acme/app', 'threads', PAGE, controller.signal);
  await held.started;
  controller.abort();
  await expect(listed).rejects.toMatchObject({ code: 'interrupted' });
  answer();
  expect(gh.requests.filter(({ path }) => path.includes('/issues'))).toHaveLength(1);
});

describe('an answer that is not whole is no answer', () => {
  it.each(['truncated', 'cut', 'short'] as const)('%s', async (kind) => {
    const ended: (() => Promise<void>)[] = [];
    const gh = await started({ onTestFinished: (run) => ended.push(run) });
    const source = sourceFor(gh, cache);
    for (const route of ['/repos/{owner}/{repo}', LIST, 'graphql']) gh.fault(route, { kind, share: 0.5 });
    const failure = { code: 'github_unavailable' };
    await expect(source.repository('acme/app', signal)).rejects.toMatchObject(failure);
    await expect(source.list('acme/app', 'threads', PAGE, signal)).rejects.toMatchObject(failure);
    await expect(source.reviews('acme/app', [1], signal)).rejects.toMatchObject(failure);
    await Promise.all(ended.map((run) => run()));
  });

  it.each<[string, number, object | string]>([
    ['an empty text', 404, ''],
    ['a page', 410, '<html>Not found</html>'],
    ['JSON of another kind', 404, { error: 'no such route' }],
    ['a list', 451, [{ message: 'Not Found' }]],
    ['a message that is no text', 404, { message: 404 }],
  ])('that something is gone is believed of GitHub alone, not with %s', async (_, status, body) => {
    const ended: (() => Promise<void>)[] = [];
    const gh = await started({ onTestFinished: (run) => ended.push(run) });
    gh.fault(() => true, { kind: 'status', status, body }, { times: 99 });
    const source = sourceFor(gh, cache);
    const foreign = {
      code: 'github_unavailable',
      message: `${at(gh)} answered with something that is not GitHub's (HTTP status ${String(status)})`,
      hint: 'Check GITHUB_API_URL and what stands between, such as a proxy, then run the same command again.',
    };
    for (const asked of [
      () => source.repository('acme/app', signal),
      () => source.list('acme/app', 'threads', PAGE, signal),
      () => source.item('acme/app', 'threads', '1', signal),
      () => source.item('acme/app', 'releases', 'v1', signal),
      () => source.threadComments('acme/app', 1, 1, signal),
      () => source.reviews('acme/app', [1], signal),
    ]) {
      await expect(asked()).rejects.toMatchObject(foreign);
    }
    await Promise.all(ended.map((run) => run()));
  });

  it('nor that an owner is gone', async (t) => {
    const gh = await started(t);
    gh.fault('/users/{username}', { kind: 'status', status: 404, body: '' });
    await expect(sourceFor(gh, cache).repository('acem/app', signal)).rejects.toMatchObject({
      code: 'github_unavailable',
    });
  });

  it('what GitHub says to be gone is', async (t) => {
    const gh = await started(t);
    const source = sourceFor(gh, cache);
    expect(await source.item('acme/app', 'threads', '99', signal)).toBeUndefined();
    for (const status of [404, 410, 451]) {
      gh.fault(/issues\/1$/, { kind: 'status', status });
      expect(await source.item('acme/app', 'threads', '1', signal)).toBeUndefined();
    }
  });

  it('a page of somebody else', async (t) => {
    const gh = await started(t);
    gh.fault(LIST, { kind: 'status', status: 200, body: '<html>Log in to the network</html>' });
    await expect(sourceFor(gh, cache).list('acme/app', 'threads', PAGE, signal)).rejects.toMatchObject({
      code: 'github_unavailable',
      message: `the answer of ${at(gh)} was cut off, or is none of GitHub (/issues)`,
    });
  });
});

describe('reviews', () => {
  it('are the same by GraphQL and, where that is refused or older, by REST', async (t) => {
    const gh = await started(t);
    const app = gh.repository('acme/app');
    const { number } = app.threads.openPull();
    app.reviews.submit(number, { body: 'Looks good to me', state: 'APPROVED' });
    app.reviews.submit(number, { body: 'Bumped the version', by: 'helper[bot]' });
    app.reviews.submit(number, { body: 'Written before I left', by: null });
    app.reviews.submit(number, { body: 'Not said yet', state: 'PENDING' });
    const read = async () => (await sourceFor(gh, cache).reviews('acme/app', [number, 1, 99], signal)).byNumber;
    const known = await read();
    expect(known.get(number)).toHaveLength(3);
    expect([known.get(1), known.get(99)]).toEqual([[], []]);
    const beside = async () => (await sourceFor(gh, cache).reviews('acme/app', [1], signal, [number, 99])).byNumber;
    expect([...(await beside()).keys()]).toEqual([1, number]);
    for (const access of ['refused', 'forbidden', 'absent'] as const) {
      gh.graphql.access = access;
      expect(await read()).toEqual(known);
    }
    expect([...(await beside()).keys()]).toEqual([1]);
    gh.graphql.access = 'works';
    const data = {
      data: { repository: { [`p${String(number)}`]: null, p1: null, p99: null } },
      errors: [{ type: 'OTHER' }],
    };
    gh.fault('graphql', { kind: 'status', status: 200, body: data });
    expect(await read()).toEqual(known);
    const enterprise = {
      ...none,
      GH_HOST: 'ghe.example',
      GH_ENTERPRISE_TOKEN: gh.token,
      GITHUB_API_URL: gh.enterpriseUrl,
    };
    const reviews = await sourceFor(gh, cache, { variables: enterprise }).reviews('acme/app', [number, 1, 99], signal);
    expect(reviews.byNumber).toEqual(known);
    expect(gh.requests.at(-1)).toMatchObject({ url: '/api/graphql', status: 200 });
    gh.graphql.without = ['PullRequestReview.fullDatabaseId'];
    expect(await read()).toEqual(known);
  });
});

describe('a clone', () => {
  it('has the branch and the tags, and follows a rewritten history', async (t) => {
    const gh = await started(t);
    const app = gh.repository('acme/app');
    const source = sourceFor(gh, cache);
    const clone = async () => source.clone(await source.repository('acme/app', signal), 'code', signal);
    expect(await clone()).toBe('empty');
    app.push('One', { 'a.md': 'one' });
    app.push('Two', { 'a.md': 'two' });
    app.git.git('tag', 'v1');
    const first = await clone();
    if (typeof first === 'string') throw new Error(first);
    const rewritten = app.forcePush('Three', { 'a.md': 'three' });
    expect(await clone()).toEqual(first);
    const ref = readFileSync(join(first.path, 'refs/heads/main'), 'utf8').trim();
    expect(ref).toBe(rewritten);
    // What is up to date is only asked for.
    gh.forget();
    await clone();
    expect(gh.requests.filter(({ route }) => route === 'git').map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('holds no token, gives none to git by argument, and has no wiki where there is none', async (t) => {
    const gh = await started(t);
    // Every git writes its arguments down before it does its work.
    const shim = join(cache, 'bin');
    const log = join(shim, 'log');
    mkdirSync(shim);
    writeFileSync(join(shim, 'git'), `#!/bin/sh\necho "$@" >> '${log}'\nPATH='${PATH}' exec git "$@"\n`, {
      mode: 0o755,
    });
    process.env.PATH = `${shim}:${PATH}`;
    t.onTestFinished(() => {
      process.env.PATH = PATH;
    });
    const app = gh.repository('acme/app');
    app.push('One', { 'a.md': 'one' });
    const source = sourceFor(gh, cache);
    const facts = await source.repository('acme/app', signal);
    const cloned = await source.clone(facts, 'code', signal);
    if (typeof cloned === 'string') throw new Error(cloned);
    expect(await source.clone(facts, 'wiki', signal)).toBe('none');
    const basic = Buffer.from(`x-access-token:${gh.token}`).toString('base64');
    for (const file of readdirSync(cloned.path, { recursive: true, encoding: 'utf8' })) {
      const path = join(cloned.path, file);
      const text = statSync(path).isFile() ? readFileSync(path, 'latin1') : '';
      expect(text.includes(gh.token) || text.includes(basic)).toBe(false);
    }
    const said = readFileSync(log, 'utf8');
    expect(said).toContain('fetch');
    expect(said.includes(gh.token) || said.includes(basic)).toBe(false);
    gh.revokeToken(gh.token);
    await expect(source.clone(facts, 'code', signal)).rejects.toMatchObject({
      code: 'credential_required',
      message: expect.not.stringContaining(gh.token),
    });
  });
});
