import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/lib/engine/engine.ts';
import type { IndexOutput } from '../../src/lib/ingest/index-contract.ts';
import { sourceFor } from '../support/github-index.ts';
import { eachWithGitHub, type GitHubProject } from '../support/github-project.ts';

const ISSUES = ['issue', 'pull_request'];
let index: GitHubProject['index'];
let gh: GitHubProject['gh'];
const cache = eachWithGitHub((project) => {
  ({ index, gh } = project);
  project.app.threads.openIssue();
  gh.repository('acme/lib').threads.openIssue();
});

const run = (
  targets: string[],
  input: Record<string, unknown> = {},
  parts: Partial<Engine> = {},
): Promise<IndexOutput> =>
  index.index('', { targets, types: ISSUES, ...input }, { source: sourceFor(gh, cache), ...parts });
const asked = (): string => new URL(gh.url).host;
const limited = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.UTC(2030, 0, 1) / 1000) };
const limit = (route: string): void => {
  gh.fault(route, { kind: 'status', status: 403, headers: limited, body: {} }, { times: 9 });
};

describe('a repository on GitHub that cannot be read', () => {
  it('is told of in its own entry, and the others are indexed', async () => {
    const { targets } = await run(['acme/app', 'acme/none', 'acme/lib']);
    expect(targets).toMatchObject([
      { target: 'acme/app', written: 1, failures: [] },
      {
        target: 'acme/none',
        repos: [],
        written: 0,
        failures: [
          {
            part: 'repository',
            code: 'credential_required',
            message: `${asked()} shows this token no repository acme/none`,
            hint: expect.any(String) as string,
          },
        ],
        requests: { made: expect.any(Number) as number },
      },
      { target: 'acme/lib', written: 1, failures: [] },
    ]);
    // By itself it is what the run is about.
    await expect(run(['acme/none'])).rejects.toMatchObject({ code: 'credential_required' });
  });

  it('is told of where nothing answers for it', async () => {
    gh.fault('/repos/{owner}/{repo}', { kind: 'reset' });
    const { targets } = await run(['acme/app', 'acme/lib']);
    expect(targets).toMatchObject([
      { failures: [{ part: 'repository', code: 'github_unavailable' }] },
      { written: 1, failures: [] },
    ]);
  });

  it.each([
    ['/repos/{owner}/{repo}', 'repository'],
    ['/repos/{owner}/{repo}/issues', 'issues'],
  ])('keeps no other from being asked but by the limit: %s', async (route, part) => {
    limit(route);
    const { targets } = await run(['acme/app', 'acme/lib', 'acme/none']);
    const message = `${asked()} allows no more requests before 2030-01-01T00:00:00.000Z`;
    const unasked = { part: 'repository', code: 'rate_limited', message: `not asked, since ${message}` };
    expect(targets).toMatchObject([
      { failures: [{ part, code: 'rate_limited', message }] },
      { repos: [], failures: [unasked] },
      { repos: [], failures: [unasked] },
    ]);
    expect(gh.requests.filter(({ path }) => !path.includes('acme/app'))).toEqual([]);
  });

  it('does not end a watch, which says so each time', async () => {
    const notes: string[] = [];
    const start = () => ({ advance: () => undefined, end: () => undefined });
    const progress = { start, note: (text: string) => void notes.push(text), end: () => undefined };
    const controller = new AbortController();
    let pauses = 0;
    const pause = (): Promise<void> => {
      pauses += 1;
      if (pauses === 2) controller.abort();
      return Promise.resolve();
    };
    const { signal } = controller;
    const { targets } = await run(['acme/none', 'acme/app'], { watch: '1h' }, { progress, pause, signal });
    expect(targets).toMatchObject([{ failures: [{ part: 'repository' }] }, { target: 'acme/app', failures: [] }]);
    expect(notes).toEqual(Array(2).fill(`${asked()} shows this token no repository acme/none`));
  });
});

it('what fails on disk ends the run before anything is asked', async () => {
  await expect(run(['acme/app', './none.jsonl'])).rejects.toMatchObject({ code: 'unreadable_input' });
  expect(gh.requests).toEqual([]);
});
