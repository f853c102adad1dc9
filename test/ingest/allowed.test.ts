import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Allowed, allowedBy } from '../../src/lib/engine/allow-list.ts';
import { query } from '../../src/lib/engine/database.ts';
import type { GitHubSource, RemoteRepository } from '../../src/lib/engine/github.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { backfill } from '../../src/lib/operations.ts';
import { testEngine } from '../support/engine.ts';
import { temporaryDirectory, TestRepository } from '../support/repository.ts';
import { TestIndex } from '../support/test-index.ts';

const ACME = allowedBy(['acme/*']);
const refused = (message: string) => ({
  code: 'invalid_input',
  message,
  hint: expect.stringContaining('allowed_repos') as string,
});
const NOT_ALLOWED = 'the configuration does not allow the repository vault/hidden';

let index: TestIndex;
let repository: TestRepository;
beforeAll(() => {
  repository = TestRepository.init();
  repository.commit('Begin', { 'README.md': 'How to boil water in a kettle.\n' });
});
afterAll(() => {
  repository.remove();
});
beforeEach(() => {
  index = new TestIndex();
});
afterEach(() => index.remove());

/** How many rows the tables hold that an index run writes. */
async function rows(): Promise<unknown> {
  const tables = ['repos', 'documents', 'watermarks'].map((name) => `(SELECT count(*) FROM ${name})`);
  const [[sum]] = await index.test.database.read([query(`SELECT ${tables.join(' + ')} AS n`, [], (row) => row.n)]);
  return sum;
}

/** A GitHub that knows a repository by the name that it has now, and nothing else. */
function source(fullName: string, asked: string[]): GitHubSource {
  const facts = {
    id: 1,
    fullName,
    defaultBranch: 'main',
    private: false,
    archived: false,
    hasWiki: false,
    hasIssues: true,
    hasPulls: true,
    cloneUrl: 'https://127.0.0.1/',
  };
  const repositoryOf = (repo: string): Promise<RemoteRepository> => {
    asked.push(repo);
    return Promise.resolve(facts);
  };
  return { host: 'github.com', requests: 0, budget: undefined, repository: repositoryOf } as unknown as GitHubSource; // more is not asked for
}

describe('index refuses, before anything is written,', () => {
  it('a repository on disk by the name it is given', async () => {
    const run = index.run(repository, { repo: 'vault/hidden' }, { allowed: ACME });
    await expect(run).rejects.toMatchObject(refused(`repo: ${NOT_ALLOWED}`));
    expect(await rows()).toBe(0);
  });

  it('one by the name of its remote, also behind another that is allowed', async () => {
    repository.git('remote', 'add', 'origin', 'https://github.com/vault/hidden.git');
    const other = TestRepository.init();
    other.commit('Begin', { 'README.md': 'Text.\n' });
    other.git('remote', 'add', 'origin', 'git@github.com:acme/lib.git');
    const run = index.index('', { targets: [other.path, repository.path] }, { allowed: ACME });
    await expect(run).rejects.toMatchObject(refused(`targets: ${NOT_ALLOWED}`));
    expect(await rows()).toBe(0);
    await index.index('', { targets: [other.path] }, { allowed: ACME });
    expect((await index.documents('doc')).map(({ key }) => key)).toEqual(['acme/lib:README.md']);
    other.remove();
  });

  it('one on GitHub, which is not asked', async () => {
    const asked: string[] = [];
    const run = index.run('vault/hidden', {}, { allowed: ACME, source: source('vault/hidden', asked) });
    await expect(run).rejects.toMatchObject(refused(`targets: ${NOT_ALLOWED}`));
    expect([await rows(), asked]).toEqual([0, []]);
  });

  it('one that goes by another name now', async () => {
    const run = index.run('acme/app', {}, { allowed: ACME, source: source('vault/hidden', []) });
    await expect(run).rejects.toMatchObject(refused(NOT_ALLOWED));
    expect(await rows()).toBe(0);
  });

  it('everything, with an empty list', async () => {
    await expect(index.run(repository, {}, { allowed: allowedBy([]) })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(await rows()).toBe(0);
  });
});

describe('an export', () => {
  const record = (repo: string, number: number) =>
    `${JSON.stringify({ repo, type: 'issue', number, title: 'Kettle', body: 'It leaks.', updated_at: '2024-01-01T00:00:00Z' })}\n`;
  let file: string;
  beforeEach(() => {
    file = join(temporaryDirectory(), 'export.jsonl');
    writeFileSync(file, record('Acme/app', 1) + record('vault/hidden', 2) + record('acme/lib', 3));
  });
  const run = (allowed: Allowed, input = {}) => index.run(file, input, { allowed });

  it('gives what is allowed, says how much it left out, and gives the rest when that is allowed too', async () => {
    const skipped = { 'not in allowed_repos': 1 };
    expect(await run(ACME)).toMatchObject({ written: 2, skipped, repos: ['Acme/app', 'acme/lib'] });
    expect(await run(ACME)).toMatchObject({ written: 0, repos: ['Acme/app', 'acme/lib'] });
    expect(await run(allowedBy(['acme/*', 'vault/hidden']))).toMatchObject({ written: 1, unchanged: 2, skipped: {} });
    expect((await index.keys('issue')).length).toBe(3);
  });

  it('of which nothing is allowed is refused', async () => {
    await expect(run(allowedBy(['octo/*']))).rejects.toMatchObject({
      ...refused(`targets: ${file} holds no record of a repository that the configuration allows`),
    });
    await expect(run(ACME, { repo: 'vault/hidden' })).rejects.toMatchObject(refused(`repo: ${NOT_ALLOWED}`));
    expect(await rows()).toBe(0);
  });
});

it('backfill refuses a repository that is not allowed, whatever it is to repair', async () => {
  await index.run(repository, { repo: 'vault/hidden' });
  const asked: string[] = [];
  const engine = testEngine(index.test, { allowed: ACME, source: source('vault/hidden', asked) });
  for (const surface of ['index', 'state', 'identities', 'wiki']) {
    const repair = invoke(backfill, engine, { surface, repo: 'vault/hidden' });
    await expect(repair).rejects.toMatchObject(refused(`repo: ${NOT_ALLOWED}`));
  }
  expect(asked).toEqual([]);
});
