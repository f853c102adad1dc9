import { expect, test } from 'vitest';
import { nextOf, numbersOf, startSide } from './client.ts';

const ISSUES = '/repos/{owner}/{repo}/issues';

test('pages of a list are linked by the id of the repository, and together are the list', async (t) => {
  const { gh, get } = await startSide(t);
  const app = gh.repository('acme/app');
  for (let count = 0; count < 7; count += 1) app.threads.openIssue();
  const second = await get('/repos/acme/app/issues?per_page=3&page=2');
  const base = `${gh.url}/repositories/${String(app.id)}/issues?per_page=3&page=`;
  expect(second.headers.get('link')).toBe(
    `<${base}1>; rel="prev", <${base}3>; rel="next", <${base}3>; rel="last", <${base}1>; rel="first"`,
  );
  const all = [];
  for (let at: string | null = '/repos/acme/app/issues?per_page=3'; at !== null; ) {
    const answer = await get(at);
    all.push(...(await numbersOf(answer)));
    at = nextOf(answer);
  }
  expect(all).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(gh.requests.slice(1).map(({ route, page, repository }) => [route, page, repository])).toEqual(
    [1, 2, 3].map((page) => [ISSUES, page, 'acme/app']),
  );
});

test('times have seconds only, and since takes the second it names', async (t) => {
  const { gh, clock, get, list } = await startSide(t);
  const { threads } = gh.repository('acme/app');
  threads.openIssue();
  clock.ms += 1000;
  threads.openIssue();
  const found: unknown = await (await get('/repos/acme/app/issues/2')).json();
  expect(found).toMatchObject({ updated_at: '2024-03-01T10:00:01Z', created_at: '2024-03-01T10:00:01Z' });
  expect(await list('/repos/acme/app/issues?since=2024-03-01T10:00:01Z')).toEqual([2]);
  expect(await list('/repos/acme/app/issues?since=2024-03-01T10:00:00Z')).toEqual([2, 1]);
  expect((await get('/repos/acme/app/issues?since=yesterday')).status).toBe(422);
});

test('the order and the state of a list can be chosen', async (t) => {
  const { gh, clock, list } = await startSide(t);
  const { threads, comments } = gh.repository('acme/app');
  for (let count = 0; count < 3; count += 1) threads.openIssue();
  clock.ms += 1000;
  threads.close(2);
  clock.ms += 1000;
  comments.add(1, 'Touches the issue');
  const path = '/repos/acme/app/issues?sort=updated';
  expect(await list(`${path}&state=all&direction=asc`)).toEqual([3, 2, 1]);
  expect(await list(`${path}&state=all`)).toEqual([1, 2, 3]);
  expect(await list(path)).toEqual([1, 3]);
  threads.reopen(2);
  expect(await list(`${path}&state=closed`)).toEqual([]);
});

test('a pull request is an issue with another id, and has its own lists', async (t) => {
  const { gh, list, get } = await startSide(t);
  const app = gh.repository('acme/app');
  app.threads.openIssue();
  const { id, pull } = app.threads.openPull();
  const said = app.comments.add(2, 'On the pull request');
  const review = app.reviews.submit(2, { state: 'APPROVED', body: 'Good' });
  app.reviews.submit(2, { state: 'PENDING', body: 'Not said yet' });
  const noted = app.reviews.addComment(2, { body: 'On a line', review: review.id });
  expect(await (await get('/repos/acme/app/issues/2')).json()).toMatchObject({ id, pull_request: { merged_at: null } });
  expect(await (await get('/repos/acme/app/pulls/2')).json()).toMatchObject({ id: pull?.id, merged: false });
  expect((await get('/repos/acme/app/pulls/1')).status).toBe(404);
  expect(await list('/repos/acme/app/issues')).toEqual([2, 1]);
  expect(await list('/repos/acme/app/pulls')).toEqual([2]);
  expect(await list('/repos/acme/app/pulls/2/reviews')).toEqual([review.id]);
  expect(await list('/repos/acme/app/issues/comments')).toEqual([said.id]);
  expect(await list('/repos/acme/app/pulls/comments')).toEqual([noted.id]);
  app.threads.merge(2);
  expect(await (await get('/repos/acme/app/pulls/2')).json()).toMatchObject({ state: 'closed', merged: true });
});

test('pages beyond the limit of a list are refused, or the list ends there', async (t) => {
  const { gh, get } = await startSide(t);
  gh.quirks.listLimit = 4;
  for (let count = 0; count < 5; count += 1) gh.repository('acme/app').threads.openIssue();
  const last = await get('/repos/acme/app/issues?per_page=2&page=2');
  expect((await get(nextOf(last) ?? '')).status).toBe(422);
  gh.quirks.atListLimit = 'end';
  expect(nextOf(await get('/repos/acme/app/issues?per_page=2&page=2'))).toBeNull();
});

test('an edit between two pages moves what comes after it: one is skipped, one comes twice', async (t) => {
  const { gh, clock, list } = await startSide(t);
  const { threads } = gh.repository('acme/app');
  for (let count = 0; count < 4; count += 1) {
    threads.openIssue();
    clock.ms += 1000;
  }
  const touch = (): void => {
    threads.edit(1, { title: 'Changed' });
  };
  const page = (number: number): string =>
    `/repos/acme/app/issues?sort=updated&direction=asc&per_page=2&page=${String(number)}`;
  const planned = gh.fault(ISSUES, { kind: 'before', run: touch }, { skip: 1 });
  expect([await list(page(1)), await list(page(2))]).toEqual([
    [1, 2],
    [4, 1],
  ]);
  expect(planned.met).toBe(1);
});

test('releases come newest first, drafts only to who has a token', async (t) => {
  const { gh, clock, list, get } = await startSide(t);
  const { releases } = gh.repository('acme/app');
  const first = releases.publish({ tag: 'v1' });
  clock.ms += 1000;
  const draft = releases.publish({ tag: 'v2', draft: true });
  expect(await list('/repos/acme/app/releases')).toEqual([draft.id, first.id]);
  const open: unknown = await (await fetch(`${gh.url}/repos/acme/app/releases`)).json();
  expect(open).toMatchObject([{ id: first.id, tag_name: 'v1' }]);
  releases.edit(draft.id, { draft: false, body: 'Out now' });
  releases.delete(first.id);
  const left: unknown = await (await get('/repos/acme/app/releases')).json();
  expect(left).toMatchObject([{ id: draft.id, body: 'Out now', published_at: '2024-03-01T10:00:01Z' }]);
});
