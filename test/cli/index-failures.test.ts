import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sourceFor } from '../support/github-index.ts';
import { eachWithGitHub, type GitHubProject } from '../support/github-project.ts';
import { temporaryDirectory } from '../support/repository.ts';
import { configIn, TestHost } from './example.ts';
import { indexOn } from './index-command.ts';

let gh: GitHubProject['gh'];
const cache = eachWithGitHub((project) => {
  ({ gh } = project);
});
const directory = temporaryDirectory();
let host = new TestHost();
beforeEach(() => {
  host = new TestHost();
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const Indexing = indexOn(
  () => host,
  () => ({ source: sourceFor(gh, cache) }),
);

it('one of several that is not on GitHub ends the command as its failure, beside what became of the others', async () => {
  const config = await configIn(directory);
  const file = join(directory, 'export.jsonl');
  writeFileSync(file, '{"repo":"acme/app","type":"issue","number":1,"title":"Slow start"}\n');
  expect(await Indexing.run(['acme/none', file, '--quiet'], config)).toBe(4);
  const why = `${new URL(gh.url).host} shows this token no repository acme/none`;
  expect(host.out).toContain(`acme/none: could not be brought up to date\n  repository: ${why} (`);
  expect(host.out).toContain('1 written');
  expect(host.err).toContain(`error: acme/none could not be brought up to date: ${why}\nhint: `);
  host = new TestHost();
  expect(await Indexing.run(['acme/none', '--quiet'], config)).toBe(4);
  expect(host.out).toBe('');
  expect(host.err).toContain(`error: ${why}\n`);
});

it('a part that failed is named with its repository where there are several', async () => {
  const config = await configIn(directory);
  gh.repository('acme/lib');
  gh.fault('/repos/{owner}/{repo}/issues', { kind: 'status', status: 500, body: {} }, { times: 2 });
  expect(await Indexing.run(['acme/app', 'acme/lib', '--types', 'issue', '--quiet'], config)).toBe(1);
  expect(host.err).toBe(
    `error: issues of acme/app could not be brought up to date: ${new URL(gh.url).host} answered with HTTP status 500\n` +
      'hint: What came before is stored. Run the same command again later.\n',
  );
});
