import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory, TestRepository } from '../support/repository.ts';
import { freshDigest, TestIndex } from '../support/test-index.ts';

let repository: TestRepository;
let index: TestIndex;
const clones: TestRepository[] = [];

beforeEach(() => {
  repository = TestRepository.init();
  index = new TestIndex();
});

afterEach(async () => {
  for (const each of [repository, ...clones.splice(0)]) each.remove();
  await index.remove();
});

function cloned(...args: string[]): TestRepository {
  const clone = new TestRepository(temporaryDirectory());
  clones.push(clone);
  clone.git('clone', '--quiet', ...args, repository.path, '.');
  return clone;
}

const HISTORY = { 'readme.md': '# Alpha\n', 'src/a.ts': 'const a = 1;\n' };

describe('a git repository', () => {
  it('gives docs, diffs and releases, and nothing more when nothing has changed', async () => {
    repository.commit('one', HISTORY);
    repository.git('tag', 'v1');
    expect(await index.run(repository)).toMatchObject({ kind: 'git', written: 4, problem_count: 0 });
    const again = await index.counted(repository);
    expect(again).toMatchObject({ writes: 0, report: { written: 0, unchanged: 0, removed: 0 } });
    expect(again.reads).toBeLessThanOrEqual(4);
  });

  it('gives only the documents of a new commit', async () => {
    repository.commit('one', HISTORY);
    await index.run(repository);
    repository.commit('two', { 'src/a.ts': 'const a = 2;\n' });
    const { report, writes } = await index.counted(repository);
    expect(report).toMatchObject({ written: 1, unchanged: 1, removed: 0 });
    expect(writes).toBe(2);
  });

  it('writes nothing in a dry run, and says what a real one does', async () => {
    repository.commit('one', HISTORY);
    const dry = await index.counted(repository, { dry_run: true });
    expect(dry).toMatchObject({ writes: 0, report: { written: 3 } });
    expect(await index.keys()).toEqual([]);
    expect(await index.run(repository)).toMatchObject({ written: 3 });
    repository.commit('two', { 'readme.md': null });
    expect(await index.run(repository, { dry_run: true })).toMatchObject({ written: 1, removed: 1 });
    expect(await index.run(repository)).toMatchObject({ written: 1, removed: 1 });
  });

  it('is the same one as a linked worktree, a bare clone, and from a folder inside', async () => {
    repository.commit('one', HISTORY);
    await index.run(repository);
    const bare = cloned('--bare');
    const worktree = new TestRepository(join(temporaryDirectory(), 'linked'));
    repository.git('worktree', 'add', '--quiet', worktree.path);
    for (const other of [bare.path, worktree.path, join(repository.path, 'src')]) {
      expect(await index.run(other, { repo: 'acme/app' })).toMatchObject({ written: 0, removed: 0 });
    }
    expect(await freshDigest([bare])).toBe(await freshDigest([worktree]));
    worktree.commit('two', { 'other.md': 'beta\n' });
    expect(await index.run(worktree)).toMatchObject({ written: 2 });
    worktree.remove();
  });

  it('has the name of its GitHub remote, or the one that is given, in one spelling', async () => {
    repository.commit('one', HISTORY);
    repository.git('remote', 'add', 'origin', 'git@github.com:Acme/App.git');
    expect((await index.run(repository.path)).repos).toEqual(['Acme/App']);
    expect(await index.run(repository.path, { repo: 'acme/APP' })).toMatchObject({ repos: ['Acme/App'], written: 0 });
    expect(await index.run(repository.path, { repo: 'acme/other' })).toMatchObject({
      repos: ['acme/other'],
      written: 3,
    });
    expect(await index.keys('doc')).toEqual(['Acme/App:readme.md', 'acme/other:readme.md']);
  });

  it('keeps the known default branch while HEAD is detached', async () => {
    repository.commit('one', HISTORY);
    await index.run(repository);
    repository.git('checkout', '--quiet', '--detach');
    repository.commit('two', { 'readme.md': '# Beta\n' });
    await index.run(repository);
    const [rows] = await index.test.database.read([
      { sql: 'SELECT default_branch, head_commit FROM repos', args: [], decode: (row) => ({ ...row }) },
    ]);
    expect(rows).toEqual([{ default_branch: 'main', head_commit: repository.git('rev-parse', 'HEAD') }]);
  });
});

describe('what cannot be indexed', () => {
  it('is a repository without a name', async () => {
    repository.commit('one', HISTORY);
    await expect(index.run(repository.path)).rejects.toMatchObject({
      code: 'invalid_input',
      message: `repo: ${repository.path} has no remote on GitHub to take its name from`,
      hint: 'Name it yourself: --repo owner/name',
    });
    repository.git('remote', 'add', 'origin', 'https://example.org/acme/app.git');
    await expect(index.run(repository.path)).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(index.run(repository.path, { repo: 'app' })).rejects.toMatchObject({
      message: 'repo: must be owner/name',
    });
  });

  it('is a repository without commits, until it has one', async () => {
    await expect(index.run(repository)).rejects.toMatchObject({
      code: 'unreadable_input',
      message: `${repository.path} has no commits yet`,
    });
    repository.commit('one', HISTORY);
    expect(await index.run(repository)).toMatchObject({ written: 3 });
  });

  it('is a folder that is no repository, and a path where nothing is', async () => {
    const folder = new TestRepository(temporaryDirectory());
    clones.push(folder);
    await expect(index.run(folder)).rejects.toMatchObject({ code: 'not_a_repository' });
    await expect(index.run(join(folder.path, 'absent'))).rejects.toMatchObject({
      code: 'unreadable_input',
      message: `there is no file or folder ${join(folder.path, 'absent')}`,
    });
    await expect(index.run('acme/app')).rejects.toMatchObject({
      message: 'this program was put together without access to GitHub',
    });
  });

  it('is a time that is none', async () => {
    repository.commit('one', HISTORY);
    await expect(index.run(repository, { since: 'yesterday' })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
