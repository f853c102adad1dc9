import { expect, test } from 'vitest';
import { countByRoute } from '../support/github/requests.ts';
import { startSide } from './client.ts';

test('faults meet the requests they were planned for, and no others', async (t) => {
  const { gh, get } = await startSide(t);
  gh.fault('/user', { kind: 'status', status: 502, body: '<html>Unicorn!</html>' }, { skip: 1, times: 2 });
  const answers = [];
  for (let count = 0; count < 4; count += 1) answers.push(await get('/user'));
  expect(answers.map(({ status }) => status)).toEqual([200, 502, 502, 200]);
  expect(answers[1]?.headers.get('content-type')).toContain('text/html');
  const never = gh.fault(({ page }) => page > 1, { kind: 'reset' });
  never.cancel();
  expect((await get('/user?page=2')).status).toBe(200);
  expect([never.met, countByRoute(gh.requests)]).toEqual([0, { '/user': 5 }]);
});

test('limits can be met at any request', async (t) => {
  const { gh, get } = await startSide(t);
  gh.fault(/^\/user/, { kind: 'secondaryLimit', status: 429, retryAfter: 7 });
  gh.fault(/^\/user/, { kind: 'primaryLimit' }, { skip: 1 });
  const [secondary, primary] = [await get('/user'), await get('/user')];
  expect([secondary.status, secondary.headers.get('retry-after')]).toEqual([429, '7']);
  expect([primary.status, primary.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
});

test('connections and bodies break', async (t) => {
  const { gh, get } = await startSide(t);
  gh.fault('/user', { kind: 'reset' });
  await expect(get('/user')).rejects.toThrow();
  for (const kind of ['truncated', 'cut'] as const) {
    gh.fault('/user', { kind });
    const answer = await get('/user');
    expect([answer.status, answer.headers.has('content-length')]).toEqual([200, kind === 'truncated']);
    await expect(answer.text()).rejects.toThrow();
  }
  gh.fault('/user', { kind: 'short', share: 0.25 });
  await expect((await get('/user')).json()).rejects.toThrow(SyntaxError);
  expect(gh.requests.map(({ status }) => status)).toEqual([0, 200, 200, 200]);
});

test('an answer waits until it is let go', async (t) => {
  const { gh, get } = await startSide(t);
  let release: () => void = () => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { started } = gh.fault('/user', { kind: 'hold', until });
  const asked = get('/user');
  await started;
  expect(gh.requests.at(-1)?.status).toBe(0);
  release();
  expect((await asked).status).toBe(200);
});
