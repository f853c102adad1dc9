import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type GitHub, startGitHub } from '../support/github/start.ts';
import { TestRepository } from '../support/repository.ts';
import { EXAMPLE, Sandbox } from './sandbox.ts';

const manifest = z.object({
  commands: z.record(z.string(), z.object({ examples: z.array(z.object({ command: z.string() })).min(2) })),
});

let sandbox: Sandbox;
let clone: TestRepository;
let github: GitHub;
let stopGitHub = (): Promise<void> => Promise.resolve();
const env = (): Record<string, string> => ({ GH_TOKEN: github.token, GITHUB_API_URL: github.url });
beforeAll(async () => {
  sandbox = await Sandbox.build();
  github = await startGitHub(
    { onTestFinished: (run: () => Promise<void>) => (stopGitHub = run) },
    { clock: { now: () => Date.now() } },
  );
  github.repository('octo-org/octo-repo').threads.openIssue({ title: 'Make it faster' });
  await sandbox.ok(['index', 'octo-org/octo-repo'], { env: env() });
  clone = TestRepository.init();
  clone.git('remote', 'add', 'origin', 'https://github.com/acme/app.git');
  clone.commit('Say what it is', {
    'README.md': '# acme\n\nSells things.\n',
    'src/cache.ts': 'export const cache_ttl = 60;\n',
  });
  // The file that the help speaks of.
  await sandbox.ok(['index', EXAMPLE]);
  // Done before there was a token, to be adopted.
  await sandbox.ok(SEARCH);
  // A source that nobody writes to meanwhile.
  await sandbox.ok(['index', EXAMPLE, '--db', source()]);
});
afterAll(async () => {
  await stopGitHub();
  clone.remove();
  sandbox.remove();
});

/** Commands whose examples build on each other come in this order, after a search; the others in between do no harm. */
const ORDER = ['index', 'search', 'show', 'use', 'confirm', 'rollback', 'history'];

const SEARCH = ['search', 'why did we drop the v1 cache', '-R', 'acme/app', '--graph-expand'];

const source = (): string => join(sandbox.home, 'source.db');
let copies = 0;

/** Where an example stands for something that a test must make first. */
function prepared(example: string): string {
  const gzip = sandbox.file('', 'txt');
  return example
    .replace(/ export\.jsonl\.gz/, ` ${gzip.replace(/\.txt$/, '')}.jsonl.gz`)
    .replace(/ copy index\.db \S+/, () => ` copy ${source()} ${join(sandbox.home, `copy-${String((copies += 1))}.db`)}`)
    .replace(/ examples\//, ` ${dirname(EXAMPLE)}/`)
    .replace(/ --db \.\/[\w.]+/, ` --db ${sandbox.database}`)
    .replace(/^(gh-rag serve .*)$/, '$1 < /dev/null');
}

describe('every example of every help', () => {
  it('runs and exits with 0', { timeout: 120_000 }, async () => {
    const { commands } = manifest.parse(
      JSON.parse(readFileSync(join(sandbox.program.directory, 'oclif.manifest.json'), 'utf8')),
    );
    const ids = Object.keys(commands);
    expect(ids).toEqual(expect.arrayContaining(ORDER));
    const examples = (id: string): string[] =>
      (commands[id]?.examples ?? []).map(({ command }) =>
        command.replaceAll('<%= config.bin %>', 'gh-rag').replaceAll('<%= command.id %>', id.replaceAll(':', ' ')),
      );
    const bad: unknown[] = [];
    const run = async (line: string): Promise<void> => {
      const example = prepared(line);
      const zipped = /(\S+\.jsonl)\.gz/.exec(example)?.[1];
      const make = zipped === undefined ? '' : `cat ${EXAMPLE} > ${zipped} && gzip ${zipped} && `;
      const { code, err } = await sandbox.shell(`${make}${example}`, { cwd: clone.path, env: env() });
      if (code !== 0) bad.push({ line, code, err });
    };
    const inOrder = async (): Promise<void> => {
      for (const id of ORDER) {
        // The numbers that the next ones use.
        if (id === 'show' || id === 'use') await sandbox.ok(SEARCH, { env: env() });
        for (const line of examples(id)) await run(line);
        // What is confirmed next.
        if (id === 'use') await sandbox.ok(['use', '1', 'g1', '--stage', 'used', '--through'], { env: env() });
      }
    };
    const others = async (): Promise<void> => {
      for (const id of ids) if (!ORDER.includes(id)) for (const line of examples(id)) await run(line);
    };
    await Promise.all([inOrder(), others()]);
    expect(bad).toEqual([]);
  });
});

describe('index of a repository on GitHub', () => {
  it('ends as the part that failed does, and says which, beside what it did', async () => {
    const fault = github.fault('/repos/{owner}/{repo}/pulls/comments', {
      kind: 'status',
      status: 403,
      body: { message: 'Resource not accessible by personal access token' },
    });
    const { code, out, err } = await sandbox.run(['index', 'octo-org/octo-repo', '--json'], { env: env() });
    fault.cancel();
    expect(code).toBe(4);
    expect(JSON.parse(out)).toMatchObject({ targets: [{ failures: [{ part: 'review comments' }] }] });
    expect(err).toContain('review comments could not be brought up to date: the token may not read octo-org/octo-repo');
    const none = await sandbox.run(['index', 'octo-org/none'], { env: env() });
    expect(none).toMatchObject({ code: 4, out: '' });
    expect(none.err).toContain(`${new URL(github.url).host} shows this token no repository octo-org/none`);
  });
});
