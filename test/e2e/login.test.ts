import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LoginOutput } from '../../src/lib/feedback/login.ts';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { type GitHub, startGitHub } from '../support/github/start.ts';
import { EXAMPLE, Sandbox } from './sandbox.ts';

const CANARY = 'ghp_canary5a1f0c2e9d8b7a6f5e4d3c2b1a0f9e8d7c';
let sandbox: Sandbox;
let github: GitHub;
let stopGitHub = (): Promise<void> => Promise.resolve();
let said = '';

beforeAll(async () => {
  sandbox = await Sandbox.build();
  github = await startGitHub(
    { onTestFinished: (run) => (stopGitHub = run) },
    { clock: { now: () => Date.UTC(2024, 5, 1) } },
  );
  github.addToken({ value: CANARY });
  const app = github.repository('acme/app');
  app.push('Begin', { 'docs/configuration.md': '# Configuration\n\nWritten anew since.\n' });
  app.wiki.commit('Begin', { 'Cache history.md': 'Written anew since.\n' });
  // Notes what git is started with.
  const bin = join(sandbox.home, 'bin');
  mkdirSync(bin);
  const git = `#!/bin/sh\necho "$@" >> '${join(sandbox.home, 'argv')}'\nPATH="\${PATH#*:}" exec git "$@"\n`;
  writeFileSync(join(bin, 'git'), git, { mode: 0o755 });
  await sandbox.ok(['index', EXAMPLE]);
}, 60_000);
afterAll(async () => {
  await stopGitHub();
  sandbox.remove();
});

/** Runs the program; an empty token is none. */
async function run(args: readonly string[], token = CANARY) {
  const bin = join(sandbox.home, 'bin');
  const ended = await sandbox.run(args, {
    env: {
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      GITHUB_API_URL: github.url,
      GH_TOKEN: token,
    },
  });
  said += ended.out + ended.err;
  return ended;
}

it('one memory goes from the local user to the verified one, and says so', async () => {
  expect((await run(['search', 'sync resumes'], '')).err).not.toContain('login');
  // Once for a command, and not for programs.
  const { err } = await run(['search', 'sync resumes']);
  expect(err.match(/One retrieval of this file.*gh-rag login --adopt-local/g)).toHaveLength(1);
  expect((await run(['status'])).out).toMatch(/principal +github@127\.0\.0\.1:\d+:101\n/);
  const adopted = JSON.parse((await run(['login', '--adopt-local', '--json'])).out) as LoginOutput;
  expect(adopted).toMatchObject({ login: 'ada', adopted: { traces: 1, receipts: 0, credits: 0 }, local_traces: 0 });
  expect(await run(['login', '--adopt-local'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/nothing to adopt/) as string,
  });
});

it('bodies of the first docs and pages are read live by the program, and shown as stored', async () => {
  const found = await run(['search', 'configuration', '--type', 'doc', '--include-content']);
  expect(found).toMatchObject({ code: 0, out: expect.stringContaining('Written anew since.') as string });
  expect(found.err).toMatch(/Bodies: 1 as on GitHub now/);
  const shown = await run(['show', '1']);
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.out).not.toContain('Written anew since.');
  const wiki = await run(['search', 'cache', '--type', 'wiki_doc', '--include-content', '--json']);
  const { results } = JSON.parse(wiki.out) as SearchOutput;
  expect(results.map(({ wiki_path, content }) => ({ wiki_path, content }))).toContainEqual({
    wiki_path: 'Cache-history',
    content: 'Written anew since.\n',
  });
});

it('a login that fails ends with 4 and the next step', async () => {
  const words = /refuses the token: it is wrong[^]*hint: .*gh auth login/;
  expect(await run(['login'], 'ghp_wrong')).toMatchObject({
    code: 4,
    out: '',
    err: expect.stringMatching(words) as string,
  });
});

it('the token is nowhere: not in what was said, in what git was started with, in any file', () => {
  expect(said).not.toContain(CANARY);
  expect(readFileSync(join(sandbox.home, 'argv'), 'utf8')).toContain('ls-remote');
  const config = join(sandbox.home, 'config', 'gh-rag', 'principals.json');
  expect(statSync(config).mode & 0o777).toBe(0o600);
  expect(Object.keys(JSON.parse(readFileSync(config, 'utf8')) as object)).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  ]);
  const files = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    );
  const kept = [...files(sandbox.home), ...files(join(sandbox.program.directory, 'cache'))];
  expect(kept.length).toBeGreaterThan(3);
  const basic = Buffer.from(`x-access-token:${CANARY}`).toString('base64');
  for (const file of kept) {
    const bytes = readFileSync(file);
    expect(bytes.includes(CANARY) || bytes.includes(basic), file).toBe(false);
  }
});
