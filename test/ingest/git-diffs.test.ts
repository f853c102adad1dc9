import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUTHOR, temporaryDirectory, TestRepository } from '../support/repository.ts';
import { abortAfter, freshDigest, TestIndex } from '../support/test-index.ts';

let repository: TestRepository;
let index: TestIndex;

beforeEach(() => {
  repository = TestRepository.init();
  index = new TestIndex(8);
});

afterEach(async () => {
  repository.remove();
  await index.remove();
});

const DIFFS = { types: ['diff'] };

/** Many commits in one process, each of which changes a file of its own. */
function manyCommits(count: number, from = 0): void {
  const commits = Array.from({ length: count }, (_, at) => {
    const n = from + at;
    const time = String(1_700_000_000 + n * 60);
    const text = `const value${String(n)} = ${String(n)};\n`;
    return [
      'commit refs/heads/main',
      `committer ${AUTHOR} <ada@example.org> ${time} +0000`,
      `data 9\nchange it`,
      ...(n === from && from > 0 ? ['from refs/heads/main^0'] : []),
      `M 100644 inline src/file-${String(n)}.ts\ndata ${String(text.length)}\n${text}`,
    ].join('\n');
  });
  repository.gitWith({ input: `${commits.join('\n')}\n` }, 'fast-import', '--quiet');
}

describe('the diffs of the history', () => {
  it('are one for each file of a commit, with its message', async () => {
    const id = repository.commit('Drop the cache\n\nIt served stale entries.', {
      'src/a.ts': 'one\n',
      'src/b.ts': 'x\n',
    });
    expect(await index.run(repository, DIFFS)).toMatchObject({ written: 2 });
    expect(await index.documents()).toMatchObject([
      {
        key: `acme/app@${id}:src/a.ts`,
        title: 'Drop the cache',
        author: AUTHOR,
        body: '@@ -0,0 +1 @@\n+one',
        preface: 'Drop the cache\n\nIt served stale entries.',
      },
      { key: `acme/app@${id}:src/b.ts` },
    ]);
    expect(await index.found('passages_code', '"stale entries"')).toHaveLength(2);
  });

  it('come with a commit, also one of a merge or without files, and only once', async () => {
    repository.commit('base', { 'a.ts': 'a\n', 'b.ts': 'b\n' });
    await index.run(repository, DIFFS);
    repository.git('checkout', '--quiet', '-b', 'side');
    const side = repository.commit('side', { 'a.ts': 'side\n' });
    repository.git('checkout', '--quiet', 'main');
    const main = repository.commit('main', { 'a.ts': 'main\n', 'b.ts': null });
    expect(() => repository.git('merge', '--quiet', 'side')).toThrow();
    const merge = repository.commit('merge', { 'a.ts': 'both\n' });
    repository.commit('nothing');
    repository.git('mv', 'a.ts', 'renamed.ts');
    const rename = repository.commit('rename');
    expect(await index.run(repository, DIFFS)).toMatchObject({ written: 5, unchanged: 0 });
    expect(await index.keys()).toEqual(
      expect.arrayContaining([
        `@${side}:a.ts`,
        `@${main}:a.ts`,
        `@${main}:b.ts`,
        `@${merge}:a.ts`,
        `@${rename}:renamed.ts`,
      ]),
    );
    expect((await index.documents()).find(({ title }) => title === 'rename')).toMatchObject({
      body: '',
      preface: 'rename\nrenamed from a.ts',
    });
    expect(await index.run(repository, DIFFS)).toMatchObject({ written: 0, unchanged: 0 });
    expect(await index.digest()).toBe(await freshDigest([repository], DIFFS));
  });

  it('leave out binary, generated and vendored files and count them; of links and submodules the message remains', async () => {
    symlinkSync('a.ts', join(repository.path, 'link'));
    const tip = repository.commit('one', {
      'a.ts': 'a\n',
      'logo.png': 'a\0b',
      'package-lock.json': '{}\n',
      'vendor/x.ts': 'x\n',
      'latin.ts': Uint8Array.from([0x93, 0xfc, 0x0a]),
    });
    repository.git('update-index', '--add', '--cacheinfo', `160000,${tip},module`);
    repository.git('commit', '--quiet', '-m', 'a submodule');
    const report = await index.run(repository, DIFFS);
    expect(report.skipped).toEqual({ binary: 1, generated: 1, vendored: 1 });
    expect((await index.documents()).map(({ key, body }) => [key.replace(/.*:/, ''), body]).sort()).toEqual([
      ['a.ts', '@@ -0,0 +1 @@\n+a'],
      ['latin.ts', '@@ -0,0 +1 @@\n+“ü'],
      ['link', ''],
      ['module', ''],
    ]);
  });

  it('of a patch over the limit keep its numbers', async () => {
    repository.commit('large', { 'data.sql': 'insert into t values (1);\n'.repeat(5000) });
    await index.run(repository, DIFFS);
    expect((await index.documents())[0]).toMatchObject({ body: '+5000 -0', preface: 'large' });
  });

  it('stay after a force-push, also when the old tip is gone', async () => {
    repository.commit('base', { 'a.ts': 'a\n' });
    const old = repository.commit('old', { 'a.ts': 'old\n' });
    await index.run(repository, DIFFS);
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    const next = repository.commit('new', { 'a.ts': 'new\n' });
    expect(await index.run(repository, DIFFS)).toMatchObject({ written: 1, removed: 0 });
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    const last = repository.commit('last', { 'a.ts': 'last\n' });
    expect(await index.run(repository, DIFFS)).toMatchObject({ written: 1, removed: 0 });
    const keys = await index.keys();
    expect(keys).toHaveLength(4);
    expect(keys).toEqual(expect.arrayContaining([old, next, last].map((id) => `@${id}:a.ts`)));
    await index.digest();
  });

  it('of a checkout of an older commit are there already', async () => {
    repository.commit('one', { 'a.ts': 'a\n' });
    repository.commit('two', { 'a.ts': 'b\n' });
    await index.run(repository);
    repository.git('checkout', '--quiet', 'HEAD~1');
    await index.run(repository);
    expect(await index.counted(repository, DIFFS)).toMatchObject({ writes: 0 });
    repository.git('checkout', '--quiet', 'main');
    expect(await index.run(repository, DIFFS)).toMatchObject({ written: 0, unchanged: 0 });
  });

  it('leave when the repository calls their file generated, and come back', async () => {
    repository.commit('one', { 'api.ts': 'one\n', 'a.ts': 'a\n' });
    repository.commit('two', { 'api.ts': 'two\n' });
    await index.run(repository);
    repository.commit('three', { '.gitattributes': 'api.ts linguist-generated\n' });
    expect(await index.run(repository, DIFFS)).toMatchObject({ written: 1, removed: 2, skipped: { generated: 2 } });
    expect(await index.found('passages_code', '"api.ts"')).toEqual([expect.stringContaining('.gitattributes')]);
    expect(await index.digest()).toBe(await freshDigest([repository]));
    // Also where the first run under the new rules looked at a part of the history only.
    repository.commit('four', { '.gitattributes': 'a.ts linguist-generated\n' });
    await index.run(repository, { since: new Date(repository.now).toISOString() });
    await index.run(repository);
    expect(await index.digest()).toBe(await freshDigest([repository]));
  });
});

describe('an interrupted walk', () => {
  it('goes on where it stood, also when there are new commits since', async () => {
    manyCommits(30);
    await expect(index.run(repository, DIFFS, abortAfter(20))).rejects.toMatchObject({ code: 'interrupted' });
    expect(await index.keys()).toHaveLength(16);
    manyCommits(5, 30);
    expect(await index.run(repository, DIFFS)).toMatchObject({ written: 19, unchanged: 0 });
    expect(await index.digest()).toBe(await freshDigest([repository], DIFFS));
  });

  it('towards a commit that was given up is not continued', async () => {
    manyCommits(30);
    await expect(index.run(repository, DIFFS, abortAfter(20))).rejects.toMatchObject({ code: 'interrupted' });
    repository.git('reset', '--quiet', '--soft', 'main~10');
    expect(await index.run(repository, DIFFS)).toMatchObject({ written: 14, unchanged: 6 });
    expect(await index.keys()).toHaveLength(30);
    await index.digest();
  });

  it('over one commit with very many files is stored in batches', async () => {
    repository.commit(
      'import',
      Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`src/${String(n)}.ts`, `x${String(n)}\n`])),
    );
    const { writes, report } = await index.counted(repository, DIFFS);
    expect(report.written).toBe(20);
    expect(writes).toBe(3);
  });
});

describe('a shallow clone', () => {
  it('is indexed as far as it goes, and the rest comes with its history, nothing twice', async () => {
    repository.commit('one', { 'old.md': 'old\n', 'a.md': 'one\n' });
    repository.commit('two', { 'a.md': 'two\n' });
    repository.commit('three', { 'a.md': 'three\n' });
    const clone = new TestRepository(temporaryDirectory());
    clone.git('clone', '--quiet', '--depth=2', `file://${repository.path}`, '.');
    await index.run(clone);
    expect(await index.keys('doc')).toEqual([':a.md', ':old.md']);
    expect(await index.keys('diff')).toHaveLength(1);
    expect(await index.counted(clone)).toMatchObject({ writes: 0 });
    repository.commit('four', { 'b.md': 'four\n', 'old.md': 'old, edited\n' });
    clone.git('pull', '--quiet');
    index.test.clock.ms = Date.UTC(2030, 0, 1);
    await index.run(clone);
    expect((await index.documents('doc')).map(({ version }) => version.slice(0, 4))).toEqual(['2023', '2023', '2023']);
    clone.git('fetch', '--quiet', '--unshallow');
    await index.run(clone);
    expect(await index.keys('diff')).toHaveLength(6);
    expect(await index.digest()).toBe(await freshDigest([repository]));
    clone.remove();
  });
});
