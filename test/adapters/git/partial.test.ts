import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestRepository, temporaryDirectory } from '../../support/repository.ts';
import { all, commitsOf, reading } from './reading.ts';

const BIG = 'big\n'.repeat(1000);
let directory: string;
let origin: TestRepository;
let ids: string[];

beforeAll(() => {
  directory = temporaryDirectory();
  origin = TestRepository.init();
  origin.git('config', 'uploadpack.allowFilter', 'true');
  ids = Array.from({ length: 12 }, (_, at) =>
    origin.commit(String(at), {
      'small.txt': `${String(at)}\n`,
      ...(at % 2 === 0 ? { 'big.txt': `${BIG}${String(at)}\n` } : {}),
    }),
  );
});

afterAll(() => {
  origin.remove();
  rmSync(directory, { recursive: true, force: true });
});

/** A clone whose remote, if it is asked for anything, leaves a file. */
function clone(name: string, ...args: string[]): { path: string; asked: () => boolean } {
  const path = join(directory, name);
  const canary = join(directory, `${name}-canary`);
  origin.git('clone', '--quiet', '--no-checkout', ...args, `file://${origin.path}`, path);
  writeFileSync(canary, `#!/bin/sh\ntouch '${canary}.ran'\n`);
  chmodSync(canary, 0o755);
  const repository = new TestRepository(path);
  repository.git('config', 'core.sshCommand', canary);
  repository.git('config', 'remote.origin.url', 'ssh://git@example.org/a/b');
  return { path, asked: () => existsSync(`${canary}.ran`) };
}

describe('a partial clone', () => {
  it('gives commits and paths, but no patches, where all contents are missing', async () => {
    const { path, asked } = clone('blobless', '--filter=blob:none');
    const whole = await commitsOf(origin);
    const partial = await commitsOf(path);
    expect(partial.map((commit) => [commit.id, commit.message])).toEqual(
      whole.map((commit) => [commit.id, commit.message]),
    );
    expect(partial.map((commit) => commit.files.map((file) => [file.path, file.status]))).toEqual(
      whole.map((commit) => commit.files.map((file) => [file.path, file.status])),
    );
    expect(partial.flatMap((commit) => commit.files).every((file) => file.patch === null && file.additions === 0)).toBe(
      true,
    );
    await reading(path, async (repository) => {
      const tree = await all(repository.tree(ids[11] ?? ''));
      expect(tree.map((entry) => entry.path)).toEqual(['big.txt', 'small.txt']);
      expect(
        await all(
          repository.blobs(
            tree.map((entry) => entry.blob),
            1 << 20,
          ),
        ),
      ).toEqual([null, null]);
      expect((await repository.touched({ from: ids[11] ?? '', not: [] })).size).toBe(2);
    });
    expect(asked()).toBe(false);
  });

  it('gives the patches of the files whose contents are there', async () => {
    const { path, asked } = clone('limited', '--filter=blob:limit=1k');
    const whole = await commitsOf(origin);
    expect((await commitsOf(path)).map((commit) => commit.files)).toEqual(
      whole.map((commit) =>
        commit.files.map((file) =>
          file.path === 'big.txt' ? { ...file, patch: null, additions: 0, deletions: 0 } : file,
        ),
      ),
    );
    expect(asked()).toBe(false);
  });

  it('gives commits without files where the trees are missing', async () => {
    const { path, asked } = clone('treeless', '--filter=tree:0');
    const commits = await commitsOf(path);
    expect(commits.map((commit) => commit.id)).toEqual([...ids].reverse());
    expect(commits.flatMap((commit) => commit.files)).toEqual([]);
    await reading(path, async (repository) => {
      await expect(all(repository.tree(ids[11] ?? ''))).rejects.toMatchObject({ code: 'unreadable_input' });
    });
    expect(asked()).toBe(false);
  });
});

describe('a shallow clone', () => {
  it('stops at the cut, whose commits have no files', async () => {
    const { path } = clone('shallow', '--depth=3');
    const whole = await commitsOf(origin);
    const cut = ids[9] ?? '';
    const head = ids[11] ?? '';
    const commits = await commitsOf(path);
    expect(commits).toEqual(whole.slice(0, 3).map((commit) => (commit.id === cut ? { ...commit, files: [] } : commit)));
    await reading(path, async (repository) => {
      expect(repository.shallow).toEqual([cut]);
      expect(await repository.count({ from: head, not: [] })).toBe(3);
      expect(await repository.isAncestor(cut, head)).toBe(true);
      expect(await repository.isAncestor(ids[8] ?? '', head)).toBe(false);
      expect(await all(repository.log({ from: head, not: [cut] }))).toHaveLength(2);
      const touched = await repository.touched({ from: head, not: [] });
      expect([...touched.keys()].sort()).toEqual(['big.txt', 'small.txt']);
    });
  });
});

describe('a damaged clone', () => {
  it('loses the patches of the broken contents and no more', async () => {
    const copy = TestRepository.init();
    for (const text of ['a', 'b', 'c', 'd']) copy.commit(text, { 'x.txt': `${text}\n`, 'y.txt': `${text}${text}\n` });
    const whole = await commitsOf(copy);
    const blob = copy.git('rev-parse', 'HEAD~1:x.txt');
    const file = join(copy.path, '.git/objects', blob.slice(0, 2), blob.slice(2));
    rmSync(file);
    const lost = (id: string | undefined): boolean => id === whole[0]?.id || id === whole[1]?.id;
    const expected = whole.map((commit) =>
      lost(commit.id)
        ? {
            ...commit,
            files: commit.files.map((each) =>
              each.path === 'x.txt' ? { ...each, patch: null, additions: 0, deletions: 0 } : each,
            ),
          }
        : commit,
    );
    expect(await commitsOf(copy)).toEqual(expected);
    writeFileSync(file, 'not an object');
    expect((await commitsOf(copy)).map((commit) => commit.files.map((each) => each.path))).toEqual(
      whole.map((commit) => commit.files.map((each) => each.path)),
    );
    copy.remove();
  });

  it('fails where history itself is missing', async () => {
    const copy = TestRepository.init();
    for (const text of ['a', 'b', 'c']) copy.commit(text, { 'x.txt': text });
    const parent = copy.git('rev-parse', 'HEAD~1');
    rmSync(join(copy.path, '.git/objects', parent.slice(0, 2), parent.slice(2)));
    await expect(commitsOf(copy)).rejects.toMatchObject({ code: 'unreadable_input' });
    expect(readdirSync(copy.path)).toContain('x.txt');
    copy.remove();
  });
});
