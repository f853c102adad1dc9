import { expect, test } from 'vitest';
import { startSide } from './client.ts';

test('an answer that has not changed costs nothing with a token', async (t) => {
  const { gh, get } = await startSide(t);
  const app = gh.repository('acme/app');
  app.threads.openIssue();
  gh.limits.set('core', { limit: 10, remaining: 10 });
  const etag = (await get('/repos/acme/app/issues')).headers.get('etag') ?? '';
  const again = await get('/repos/acme/app/issues', { 'if-none-match': etag });
  expect([again.status, again.headers.get('x-ratelimit-remaining'), await again.text()]).toEqual([304, '9', '']);
  app.comments.add(1, 'News');
  expect((await get('/repos/acme/app/issues', { 'if-none-match': etag })).status).toBe(200);
  expect(gh.requests.map(({ status }) => status)).toEqual([200, 304, 200]);
});

test('a used up hour is refused until it ends', async (t) => {
  const { gh, clock, get } = await startSide(t);
  gh.repository('acme/app');
  gh.limits.set('core', { remaining: 1, resetAt: clock.ms + 60_000 });
  expect((await get('/repos/acme/app')).status).toBe(200);
  const refused = await get('/repos/acme/app');
  expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
  expect(Number(refused.headers.get('x-ratelimit-reset'))).toBe(Math.ceil((clock.ms + 60_000) / 1000));
  expect(await (await get('/rate_limit')).json()).toMatchObject({ resources: { core: { remaining: 0 } } });
  clock.ms += 60_000;
  expect((await get('/repos/acme/app')).status).toBe(200);
});

test('what a credential may see', async (t) => {
  const { gh, clock, get } = await startSide(t);
  gh.repository('acme/open');
  gh.repository('acme/secret', { private: true });
  const status = async (path: string, token?: string): Promise<number> =>
    (await fetch(`${gh.url}${path}`, { headers: token === undefined ? {} : { authorization: `token ${token}` } }))
      .status;
  const poor = gh.addToken({ value: 'poor', scopes: [] });
  const stranger = gh.addToken({ value: 'stranger', login: 'bob', scopes: null, private: false });
  const short = gh.addToken({ value: 'short', expiresAt: clock.ms + 1000 });
  const outside = gh.addToken({ value: 'outside', ssoMissing: ['acme'] });
  expect(
    await Promise.all([gh.token, poor, stranger, short].map((token) => status('/repos/acme/secret', token))),
  ).toEqual([200, 404, 404, 200]);
  expect([await status('/repos/acme/open'), await status('/repos/acme/secret'), await status('/user')]).toEqual([
    200, 404, 401,
  ]);
  expect([await status('/user', 'wrong'), await status('/user', stranger)]).toEqual([401, 200]);
  clock.ms += 1000;
  expect(await status('/user', short)).toBe(401);
  const sso = await get('/repos/acme/open', { authorization: `Bearer ${outside}` });
  expect([sso.status, sso.headers.get('x-github-sso')?.startsWith('required; url=')]).toEqual([403, true]);
  expect((await get('/user')).headers.get('x-oauth-scopes')).toBe('repo, read:org');
  expect((await get('/user', { authorization: `Bearer ${stranger}` })).headers.has('x-oauth-scopes')).toBe(false);
  expect(gh.requests.at(-1)).toMatchObject({
    route: '/user',
    authorized: true,
    headers: { authorization: 'Bearer stranger' },
  });
});

test('renamed, deleted and transferred things answer as such', async (t) => {
  const { gh, get, list } = await startSide(t);
  const app = gh.repository('acme/app');
  const other = gh.repository('acme/other');
  other.threads.openIssue();
  for (let count = 0; count < 3; count += 1) app.threads.openIssue();
  const comment = app.comments.add(3, 'Moves along');
  app.threads.delete(2);
  const moved = app.threads.transfer(3, other);
  expect((await get('/repos/acme/app/issues/2')).status).toBe(410);
  const to = await get('/repos/acme/app/issues/3');
  const target = `${gh.url}/repositories/${String(other.id)}/issues/2`;
  expect([to.status, to.headers.get('location'), moved.number]).toEqual([301, target, 2]);
  expect(await list('/repos/acme/app/issues')).toEqual([1]);
  expect(await list('/repos/acme/other/issues/comments')).toEqual([comment.id]);
  gh.rename(app, 'acme/tool');
  const renamed = await get('/repos/acme/app/issues?state=all');
  expect([renamed.status, renamed.headers.get('location')]).toEqual([
    301,
    `${gh.url}/repositories/${String(app.id)}/issues?state=all`,
  ]);
  expect(await (await get('/repos/acme/tool')).json()).toMatchObject({ id: app.id, full_name: 'acme/tool' });
  const successor = gh.repository('acme/app');
  expect(await (await get('/repos/acme/app')).json()).toMatchObject({ id: successor.id });
  gh.deleteRepository(app);
  expect([(await get('/repos/acme/tool')).status, (await get('/repos/acme/app')).status]).toEqual([404, 200]);
});

test('the prefix of an enterprise server leads to the same project, and stays in the links', async (t) => {
  const { gh, get } = await startSide(t);
  for (let count = 0; count < 2; count += 1) gh.repository('acme/app').threads.openIssue();
  const answer = await get(`${gh.enterpriseUrl}/repos/acme/app/issues?per_page=1`);
  expect(answer.headers.get('link')).toContain(`<${gh.enterpriseUrl}/repositories/`);
  expect(answer.headers.get('x-github-enterprise-version')).toMatch(/^3\./);
  expect(gh.requests.at(-1)).toMatchObject({ path: '/repos/acme/app/issues?per_page=1', page: 1 });
});

test('the time of an answer can be ahead of the clock', async (t) => {
  const { gh, clock, get } = await startSide(t);
  gh.settings.skewMs = 90_000;
  expect(Date.parse((await get('/user')).headers.get('date') ?? '')).toBe(Math.floor(clock.ms / 1000) * 1000 + 90_000);
});
