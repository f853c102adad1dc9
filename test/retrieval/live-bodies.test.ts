import { rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allowedBy } from '../../src/lib/engine/allow-list.ts';
import { gitMirror } from '../../src/lib/adapters/git/mirror.ts';
import { githubLive, type LiveOptions } from '../../src/lib/adapters/github/live.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { memoryHistory } from '../../src/lib/feedback/history.ts';
import { recordSourceUse } from '../../src/lib/feedback/source-use.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { liveProblem } from '../../src/lib/retrieval/live-bodies.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import type { SearchResult } from '../../src/lib/retrieval/search-contract.ts';
import type { Fault } from '../support/github/faults.ts';
import { type GitHub, startGitHub } from '../support/github/start.ts';
import { type Asked, TestProject, wiki } from '../support/project.ts';
import { testDocument } from '../support/documents.ts';
import { temporaryDirectory } from '../support/repository.ts';

const CONTENTS = '/repos/{owner}/{repo}/contents/{path}';
const cache = temporaryDirectory();
let gh: GitHub;
let app: ReturnType<GitHub['repository']>;
let project: TestProject;

const doc = (path: string, body: string) =>
  testDocument({ type: 'doc', path, title: path, body, number: null, version: '2024-05-01T00:00:00.000Z' });

let stopGitHub = (): Promise<void> => Promise.resolve();

beforeAll(async () => {
  project = await TestProject.of([
    doc('docs/a b.md', 'The kettle of old, first.'),
    doc('docs/b.md', 'The kettle of old, second.'),
    wiki('How-to', { body: 'The kettle of old, on the wiki.' }),
    ...['gone', 'binary', 'folder', 'large'].map((name) => doc(`${name}.md`, 'The samovar of old.')),
  ]);
  gh = await startGitHub({ onTestFinished: (run) => (stopGitHub = run) }, { clock: project.test.clock });
  app = gh.repository('acme/app', { private: true });
  app.push('Begin', {
    'docs/a b.md': 'The kettle of now\r\n',
    'docs/b.md': 'Second\u202E now\n',
    'binary.md': 'a\u0000b',
    'folder.md/c.md': 'x',
    'large.md': 'x'.repeat((1 << 20) + 1),
  });
  app.wiki.commit('Begin', { 'How to.md': 'Wiki now\n' });
});
afterAll(async () => {
  await stopGitHub();
  await project.test.remove();
  rmSync(cache, { recursive: true, force: true });
});

const live = (options: Partial<LiveOptions> = {}): Partial<Engine> => ({
  github: githubLive({
    mirror: gitMirror(cache),
    variables: { PATH: '', GH_TOKEN: gh.token, GITHUB_API_URL: gh.url },
    ...options,
  }),
});
const ask = (asked: Asked = {}, parts: Partial<Engine> = live()) =>
  invoke(search, { ...project.engine, ...parts }, { query: 'kettle', include_content: true, ...asked });
const by = (results: readonly SearchResult[], reference: string): SearchResult => {
  const found = results.find((result) => result.reference === `acme/app${reference}`);
  if (found === undefined) throw new Error(`${reference} is not there`);
  return found;
};
const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

it('inlines what is on GitHub now, cleaned, under the version of that text', async () => {
  const { results, live_problem } = await ask();
  expect(live_problem).toBeUndefined();
  for (const [reference, text] of [
    [':docs/a b.md', 'The kettle of now\n'],
    [':docs/b.md', 'Second now\n'],
    ['/wiki/How-to', 'Wiki now\n'],
  ] as const) {
    const row = by(results, reference);
    expect(row).toMatchObject({
      content: text,
      content_source: 'github_live',
      content_version: sha(text),
      provenance: { version: sha(text), content_source: 'github_live' },
    });
    expect(row.index_updated_at).toEqual(expect.any(String));
  }
});

it('names a version by its text: the same stays the same, another is another, what is stored is neither', async () => {
  const ranks = (rows: readonly SearchResult[]) => rows.map(({ reference, score }) => [reference, score]);
  const first = await ask();
  const again = await ask();
  const [before] = [by(first.results, ':docs/b.md')];
  expect(by(again.results, ':docs/b.md').source_id).toBe(before.source_id);
  const { trace_id = '' } = first;
  const uses = (['selected', 'validated', 'used'] as const).map((stage) => ({
    source_id: before.source_id ?? '',
    stage,
  }));
  await invoke(recordSourceUse, project.engine, { trace_id, idempotency_key: 'k', uses });
  // Used before, and returned again: what was recorded goes on.
  expect(by((await ask()).results, ':docs/b.md').activation).toMatchObject({
    usage: 1.7,
    retrieved: expect.closeTo((before.activation?.retrieved ?? 0) + 0.2, 10) as number,
  });

  app.push('Edit', { 'docs/b.md': 'Third\n' });
  app.wiki.commit('Edit', { 'How to.md': 'Wiki later\n' });
  const edited = await ask();
  const after = by(edited.results, ':docs/b.md');
  expect(ranks(edited.results)).toEqual(ranks(first.results));
  expect(after.index_updated_at).toBe(before.index_updated_at);
  expect(after.source_id).not.toBe(before.source_id);
  expect(after.activation).toMatchObject({ usage: 0, retrieved: 0.1 });
  expect(by(edited.results, '/wiki/How-to').content).toBe('Wiki later\n');
  const { trace } = await invoke(memoryHistory, project.engine, { trace_id: edited.trace_id });
  expect(trace?.sources.map(({ stage }) => stage)).toEqual(['retrieved', 'retrieved', 'retrieved']);

  const stored = await ask({ query: undefined, sources: ['acme/app:docs/b.md'] });
  expect(stored.results[0]).toMatchObject({ content: 'The kettle of old, second.', content_source: 'index' });
  const indexed = by((await ask({ include_content: false })).results, ':docs/b.md');
  expect(stored.results[0]?.source_id).toBe(indexed.source_id);
  // Nothing of a live text is kept.
  expect(JSON.stringify(trace)).not.toContain('Third');
});

it.each<[string, Fault, RegExp]>([
  ['meets a server in trouble', { kind: 'status', status: 502 }, /502/],
  ['is gone', { kind: 'status', status: 404 }, /has nothing under that path/],
  ['is cut off', { kind: 'cut', share: 0.9 }, /cut off/],
  ['is short', { kind: 'short', share: 0.9 }, /cut off/],
  ['loses its connection', { kind: 'reset' }, /cannot be reached/],
  ['meets a limit', { kind: 'secondaryLimit', retryAfter: 30 }, /left alone for 30 s/],
])('a doc that %s leaves the others as they are, and is no source', async (_, fault, problem) => {
  gh.fault(/b\.md/, fault);
  const { results, live_problem, memory_recording } = await ask({ type: 'doc' });
  expect(live_problem).toMatch(problem);
  const row = by(results, ':docs/b.md');
  expect(row).toMatchObject({ feedback_available: false, memory_exclusion_reason: 'live_version_unavailable' });
  for (const field of ['source_id', 'provenance', 'activation', 'content']) expect(row).not.toHaveProperty(field);
  expect(memory_recording).toMatchObject({
    status: 'partial',
    exclusions: [{ location: `results[${String(results.indexOf(row))}]`, reason: 'live_version_unavailable' }],
  });
  expect(results.filter(({ content_source }) => content_source === 'github_live')).toHaveLength(1);
});

it.each([
  ['gone.md', /has nothing under that path/],
  ['binary.md', /no text/],
  ['folder.md', /none of GitHub/],
])('%s, which is no text there now, is no source', async (path, problem) => {
  const { results, ...answer } = await ask({ query: 'samovar', path });
  expect(answer).toMatchObject({ memory_error: 'all_sources_unresolved' });
  expect(answer.live_problem).toMatch(problem);
  expect(results.map(({ memory_exclusion_reason: reason }) => reason)).toEqual(['live_version_unavailable']);
});

it('a wiki that fails leaves the docs as they are', async () => {
  const fault = gh.fault('git', { kind: 'status', status: 500, body: '' }, { times: 9 });
  expect(await ask()).toMatchObject({ live_problem: expect.stringMatching(/^git could not read/) as string });
  fault.cancel();
  app.hasWiki = false;
  const { results, live_problem } = await ask();
  expect(live_problem).toMatch(/no such page/);
  expect(by(results, '/wiki/How-to').memory_exclusion_reason).toBe('live_version_unavailable');
  expect(results.filter(({ content_source }) => content_source === 'github_live')).toHaveLength(2);
  app.hasWiki = true;
});

it('tells each of several problems once, and of the last only that there are more', async () => {
  const faults = [
    gh.fault(/a%20b\.md/, { kind: 'status', status: 502 }),
    gh.fault(/docs\/b\.md/, { kind: 'status', status: 404 }),
    gh.fault('git', { kind: 'status', status: 500, body: '' }, { times: 9 }),
  ];
  const { live_problem = '' } = await ask();
  const { host } = new URL(gh.url);
  for (const fault of faults) fault.cancel();
  expect(live_problem.split('; ').sort()).toEqual([
    `${host} answered with HTTP status 502`,
    `${host} has nothing under that path of acme/app now, or does not show it to this token`,
    expect.stringMatching(/^git could not read/),
  ]);
  const once = { problem: 'once' };
  const others = ['two', 'three', 'four', 'five'].map((problem) => ({ problem }));
  const live = [once, once, { text: '', version: '' }, ...others].entries();
  expect(liveProblem(new Map(live))).toBe('once; two; three; and 2 more');
  expect(liveProblem(new Map())).toBeUndefined();
});

it('waits for nothing longer than said, for all at the same time', async () => {
  const until = new Promise(() => undefined);
  const fault = gh.fault(() => true, { kind: 'hold', until }, { times: 9 });
  const answer = await ask({}, live({ timeoutMs: 60 }));
  fault.cancel();
  expect(answer.memory_error).toBe('all_sources_unresolved');
  expect(answer.live_problem).toMatch(/within 0.06 s/);
});

it('ends with its caller', async () => {
  const controller = new AbortController();
  const until = new Promise(() => undefined);
  const held = gh.fault(CONTENTS, { kind: 'hold', until }, { times: 9 });
  const asked = ask({}, { ...live(), signal: controller.signal });
  await held.started;
  controller.abort();
  await expect(asked).rejects.toMatchObject({ code: 'interrupted' });
  held.cancel();
});

it.each<[string, () => Partial<LiveOptions>]>([
  ['without a token', () => ({ variables: { PATH: '', GITHUB_API_URL: gh.url } })],
  ['of a repository that the configuration does not allow', () => ({ allowed: allowedBy(['acme/other']) })],
])('%s the stored body stands for it, and nobody is asked', async (_, options) => {
  gh.forget();
  const { results } = await ask({}, live(options()));
  expect(results.map(({ content_source }) => content_source)).toEqual(['index', 'index', 'index']);
  expect(by(results, ':docs/b.md').content).toBe('The kettle of old, second.');
  expect(gh.requests).toEqual([]);
});

it('of a repository that was renamed to what the configuration does not allow no text is given', async () => {
  gh.rename(app, 'secret/plan');
  const { results, live_problem } = await ask({}, live({ allowed: allowedBy(['acme/app']) }));
  gh.rename(app, 'acme/app');
  const { host } = new URL(gh.url);
  expect(live_problem).toBe(`acme/app has another name on ${host} now, which the configuration does not allow`);
  expect(results.filter(({ content }) => content !== undefined)).toEqual([]);
});

it('a file too large for it is given as it is stored', async () => {
  const { results } = await ask({ query: 'samovar', path: 'large.md' });
  expect(results).toMatchObject([{ content: 'The samovar of old.', content_source: 'index' }]);
});

it.each<[string, () => string, RegExp]>([
  ['a wrong token', () => 'wrong', /revoked or has expired. Run gh auth login/],
  ['an expired token', () => gh.addToken({ value: 'old', expiresAt: 1 }), /has expired/],
  ['a token without the scope', () => gh.addToken({ value: 'weak', scopes: [] }), /does not show it to this token/],
  [
    'a token without single sign-on',
    () => gh.addToken({ value: 'sso', ssoMissing: ['acme'] }),
    /sign-on.*Authorise it/,
  ],
])('%s says what is wrong', async (_, token, problem) => {
  const variables = { PATH: '', GH_TOKEN: token(), GITHUB_API_URL: gh.url };
  const { live_problem, results } = await ask({ type: 'doc' }, live({ variables }));
  expect(live_problem).toMatch(problem);
  expect(results.map(({ memory_exclusion_reason: reason }) => reason)).toEqual(
    Array(2).fill('live_version_unavailable'),
  );
});
