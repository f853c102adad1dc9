import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import Backfill from '../../src/commands/backfill.ts';
import { backfillOutput } from '../../src/lib/admin/backfill.ts';
import type { EngineOptions } from '../../src/lib/cli/base-command.ts';
import { change } from '../../src/lib/engine/database.ts';
import { sourceFor } from '../support/github-index.ts';
import { eachWithGitHub, type GitHubProject } from '../support/github-project.ts';
import { temporaryDirectory } from '../support/repository.ts';
import { configIn, TestHost } from './example.ts';

let project: GitHubProject;
const cache = eachWithGitHub((made) => {
  project = made;
});
const directory = temporaryDirectory();
let host = new TestHost();
beforeEach(async () => {
  const { app, index, gh } = project;
  for (let at = 0; at < 3; at += 1) app.threads.openIssue();
  app.wiki.commit('Begin', { 'Home.md': 'Hello', "It's\u00AD here.md": 'Hello', 'Zoo.md': 'Hello' });
  const types = ['issue', 'wiki_doc'];
  await index.run('acme/app', { types }, { source: sourceFor(gh, cache) });
  const file = join(directory, 'export.jsonl');
  const comments = [1, 2].map((number) => ({
    repo: 'acme/app',
    type: 'issue_comment',
    number,
    body: 'Nobody knows who said this',
    author: 'grace',
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2020-01-01T00:00:00Z',
  }));
  writeFileSync(file, comments.map((each) => JSON.stringify(each)).join('\n'));
  await index.run(file);
  for (const number of [1, 2, 3]) app.threads.close(number);
  await index.test.database.write([change("DELETE FROM documents WHERE key = 'acme/app/wiki/Zoo'")]);
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

class Repair extends Backfill {
  static override id = 'backfill';
  static override args = Backfill.args;
  static override flags = Backfill.flags;

  protected override createHost(): TestHost {
    return host;
  }

  protected override async composeEngine(options: EngineOptions) {
    const { engine, close } = await super.composeEngine(options);
    return { engine: { ...engine, source: sourceFor(project.gh, cache) }, close };
  }
}

/** The words that a shell makes of a command line. */
function wordsOf(line: string): string[] {
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`]).toString();
  return words.split('\0').slice(0, -1);
}

/** Runs a command line; what it looked at, and the command line that goes on, told in text or in JSON. */
async function runPart(line: string, asJson: boolean): Promise<readonly [looked: number, next: string | null]> {
  host = new TestHost();
  const [, , ...argv] = wordsOf(line);
  expect(await Repair.run([...argv, asJson ? '--json' : '--quiet'], await configIn(directory))).toBe(0);
  if (asJson) {
    const { looked, next_command } = backfillOutput.parse(JSON.parse(host.out));
    return [looked, next_command];
  }
  const [, looked, end = ''] = /: (\d+) looked at, .*\n(?: {2}.*\n)*(.*)\n$/.exec(host.out) ?? [];
  const next = /^More is left; go on with: (.*)$/.exec(end)?.[1] ?? null;
  if (next === null) expect(end).toBe('Done.');
  return [Number(looked), next];
}

/** What each part of a repair looked at, from the first command line to the last. */
async function partsOf(name: string, limit: number, more: readonly string[]): Promise<number[]> {
  const given = [...more, '--limit', String(limit), '--db', project.index.test.file];
  const parts: number[] = [];
  let line: string | null = ['gh-rag', 'backfill', name, ...given].join(' ');
  for (let asJson = false; line !== null; asJson = !asJson) {
    expect(wordsOf(line)).toEqual(expect.arrayContaining(['gh-rag', 'backfill', name, ...given]));
    const [looked, next]: Awaited<ReturnType<typeof runPart>> = await runPart(line, asJson);
    parts.push(looked);
    line = next;
  }
  return parts;
}

it('each part of every repair ends with the command that goes on, until all is looked at', async () => {
  const repo = ['-R', 'acme/app'];
  expect(await partsOf('index', 1, repo)).toEqual([1, 1, 1]);
  expect(await partsOf('state', 1, repo)).toEqual([1, 1, 1]);
  expect(await partsOf('wiki', 1, repo)).toEqual([1, 1, 1]);
  // In the index, then on GitHub.
  expect(await partsOf('identities', 1, repo)).toEqual([1, 1, 1, 1]);
  expect(await partsOf('segments', 3, [])).toEqual([3, 3, 2]);
  expect(await partsOf('edges', 3, ['--dry-run'])).toEqual([3, 3, 2]);
});
