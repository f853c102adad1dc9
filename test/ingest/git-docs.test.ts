import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestRepository } from '../support/repository.ts';
import { abortAfter, freshDigest, TestIndex } from '../support/test-index.ts';

let repository: TestRepository;
let index: TestIndex;

beforeEach(() => {
  repository = TestRepository.init();
  index = new TestIndex(2);
});

afterEach(async () => {
  repository.remove();
  await index.remove();
});

const DOCS = { types: ['doc'] };

/** `path version` of each doc; versions in seconds after the first commit could be made. */
async function docs(): Promise<string[]> {
  return (await index.documents('doc')).map(
    ({ key, version }) => `${key.slice('acme/app:'.length)} ${String(Date.parse(version) / 1000 - 1_700_000_000)}`,
  );
}

describe('the docs of HEAD', () => {
  it('have the committer date of the last commit that touched them as their version', async () => {
    repository.commit('one', { 'a.md': '# Alpha\n', 'b.txt': 'beta\n', 'c.ts': 'gamma\n' });
    repository.commit('two', { 'docs/d.rst': 'delta\n', 'b.txt': 'beta, again\n' });
    const report = await index.run(repository, DOCS);
    expect(report).toMatchObject({ repos: ['acme/app'], written: 3, unchanged: 0, removed: 0 });
    expect(await docs()).toEqual(['a.md 60', 'b.txt 120', 'docs/d.rst 120']);
    expect(await index.found('passages_nat', 'alphas')).toEqual(['acme/app:a.md']);
    expect(await index.found('passages_nat', 'gamma')).toEqual([]);
  });

  it('are written only where a commit changed them, and leave every surface when they are gone', async () => {
    repository.commit('one', { 'a.md': 'alpha\n', 'b.md': 'beta\n', 'c.md': 'gamma, which has its words\n' });
    await index.run(repository, DOCS);
    repository.commit('two', {
      'a.md': 'omega\n',
      'b.md': null,
      'c.md': null,
      'moved.md': 'gamma, which has its words\n',
    });
    expect(await index.run(repository, DOCS)).toMatchObject({ written: 2, unchanged: 0, removed: 2 });
    expect(await docs()).toEqual(['a.md 120', 'moved.md 120']);
    for (const gone of ['alpha', 'beta']) expect(await index.found('passages_nat', gone)).toEqual([]);
    expect(await index.found('passages_nat', 'gamma')).toEqual(['acme/app:moved.md']);
    repository.commit('three', { 'e.md': 'epsilon\n' });
    expect(await index.run(repository, DOCS)).toMatchObject({ written: 1, unchanged: 2, removed: 0 });
    expect(await index.digest()).toBe(await freshDigest([repository], DOCS));
  });

  it('get a new version when they go back to older contents', async () => {
    repository.commit('A', { 'a.md': 'state A\n' });
    await index.run(repository, DOCS);
    repository.commit('B', { 'a.md': 'state B\n' });
    repository.commit('A again', { 'a.md': 'state A\n' });
    expect(await index.run(repository, DOCS)).toMatchObject({ written: 1 });
    expect(await docs()).toEqual(['a.md 180']);
    expect(await index.digest()).toBe(await freshDigest([repository], DOCS));
  });

  it('follow HEAD back, also after a run that was interrupted on its way forward', async () => {
    const names = ['a.md', 'b.md', 'c.md', 'd.md', 'e.md'];
    const all = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
    repository.commit('one', all('before\n'));
    await index.run(repository, DOCS);
    const before = await index.digest();
    repository.commit('two', all('after\n'));
    await expect(index.run(repository, DOCS, abortAfter(4))).rejects.toMatchObject({ code: 'interrupted' });
    expect((await index.found('passages_nat', 'after')).length).toBe(4);
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    await index.run(repository, DOCS);
    expect(await index.digest()).toBe(before);
  });

  it('follow rewritten history whose old tip is gone', async () => {
    repository.commit('one', { 'a.md': 'alpha\n', 'b.md': 'beta\n' });
    const old = repository.commit('two', { 'a.md': 'omega\n', 'c.md': 'gamma\n' });
    await index.run(repository, DOCS);
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    repository.commit('other', { 'd.md': 'delta\n' });
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    expect(() => repository.git('cat-file', '-e', old)).toThrow();
    await index.run(repository, DOCS);
    expect(await docs()).toEqual(['a.md 60', 'b.md 60', 'd.md 180']);
    expect(await index.digest()).toBe(await freshDigest([repository], DOCS));
  });

  it('that come back from a branch have the time of their newest commit, as in a fresh index', async () => {
    repository.commit('base', { 'a.md': 'alpha\n', 'kept.md': 'x\n' });
    repository.git('branch', 'side');
    repository.git('checkout', '--quiet', 'side');
    repository.commit('edit on a branch', { 'a.md': 'alpha of the branch\n' });
    repository.git('checkout', '--quiet', 'main');
    repository.commit('delete', { 'a.md': null });
    await index.run(repository, DOCS);
    expect(() => repository.git('merge', '--quiet', 'side')).toThrow();
    repository.commit('merge: keep it', { 'a.md': 'alpha of the branch\n' });
    await index.run(repository, DOCS);
    // The commit that deleted it is the newest one that touched it: the merge took the file as the branch had it.
    expect(await docs()).toEqual(['a.md 180', 'kept.md 60']);
    expect(await index.digest()).toBe(await freshDigest([repository], DOCS));
  });

  it('are read in the encoding that they are in', async () => {
    repository.commit('encodings', {
      'utf8.md': '\uFEFFZürich\n',
      'latin.txt': Uint8Array.from([0x93, 0x5a, 0xfc, 0x72, 0x69, 0x63, 0x68, 0x94]),
      'utf16.txt': Buffer.from('\uFEFFZürich', 'utf16le'),
      'crlf.md': 'one\r\ntwo\r',
      'binary.txt': 'a\0b',
      'empty.md': '',
    });
    expect((await index.run(repository, DOCS)).skipped).toEqual({ binary: 1 });
    expect((await index.documents('doc')).map(({ key, body }) => [key.slice(9), body])).toEqual([
      ['crlf.md', 'one\ntwo\n'],
      ['empty.md', ''],
      ['latin.txt', '“Zürich”'],
      ['utf16.txt', 'Zürich'],
      ['utf8.md', 'Zürich\n'],
    ]);
  });

  it('may have names that are no text, and are told apart by them', async () => {
    const blob = repository.object('blob', 'gamma\n');
    const entry = (name: Uint8Array) => Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name, Buffer.from('\0')]);
    const names = [
      Buffer.from('caf\u00e9.md', 'latin1'),
      Buffer.from('café.md'),
      Buffer.from('a\rb.md'),
      Buffer.from('日本.md'),
    ];
    const tree = repository.gitWith({ input: Buffer.concat(names.map(entry)) }, 'mktree', '-z');
    repository.git('update-ref', 'HEAD', repository.git('commit-tree', '-m', 'names', tree));
    await index.run(repository, DOCS);
    expect(await index.keys('doc')).toEqual([':a\nb.md', ':caf%E9.md', ':café.md', ':日本.md']);
    // Whatever a name holds, the doc stays when something else changes.
    repository.git('read-tree', 'HEAD');
    repository.git('checkout-index', '--all', '--force');
    repository.commit('more', { 'x.ts': 'x\n' });
    expect(await index.run(repository, DOCS)).toMatchObject({ written: 0, removed: 0, unchanged: 4 });
  });

  it('leave out links, submodules, generated, vendored and huge files, and say how many', async () => {
    repository.write({ 'real.md': 'real\n' });
    symlinkSync('real.md', join(repository.path, 'link.md'));
    symlinkSync('/etc/hostname', join(repository.path, 'out.md'));
    const tip = repository.commit('one', {
      'vendor/x/readme.md': 'v\n',
      'dist/readme.md': 'g\n',
      'huge.txt': 'x'.repeat(4 * 1024 * 1024 + 1),
    });
    repository.git('update-index', '--add', '--cacheinfo', `160000,${tip},module.md`);
    repository.git('commit', '--quiet', '-m', 'a submodule');
    const report = await index.run(repository, DOCS);
    expect(await index.keys('doc')).toEqual([':real.md']);
    expect(report.skipped).toEqual({ vendored: 1, generated: 1, 'too large or missing': 1 });
  });

  it('leave when they become binary, and come back', async () => {
    repository.commit('one', { 'a.txt': 'alpha\n' });
    await index.run(repository, DOCS);
    repository.commit('two', { 'a.txt': 'alpha\0' });
    expect(await index.run(repository, DOCS)).toMatchObject({ removed: 1, skipped: { binary: 1 } });
    repository.commit('three', { 'b.md': 'beta\n' });
    expect(await index.run(repository, DOCS)).toMatchObject({ written: 1, removed: 0, skipped: { binary: 1 } });
    repository.commit('four', { 'a.txt': 'alpha\n' });
    await index.run(repository, DOCS);
    expect(await index.digest()).toBe(await freshDigest([repository], DOCS));
  });

  it('follow what .gitattributes says, in both directions', async () => {
    repository.commit('one', { 'api.md': 'generated\n', 'vendor/ours.md': 'ours\n', 'a.md': 'alpha\n' });
    await index.run(repository, DOCS);
    expect(await index.keys('doc')).toEqual([':a.md', ':api.md']);
    repository.commit('two', { '.gitattributes': 'api.md linguist-generated\nvendor/* -linguist-vendored\n' });
    expect(await index.run(repository, DOCS)).toMatchObject({ written: 1, removed: 1, skipped: { generated: 1 } });
    // A doc that was left out before has the time of the commit that made it.
    expect(await docs()).toEqual(['a.md 60', 'vendor/ours.md 60']);
    repository.commit('three', { '.gitattributes': null });
    await index.run(repository, DOCS);
    expect(await index.digest()).toBe(await freshDigest([repository], DOCS));
  });
});

describe('since', () => {
  it('leaves old docs out, and a later run without it brings them with their own time', async () => {
    repository.commit('one', { 'old.md': 'old\n', 'edited.md': 'v1\n' });
    repository.commit('two', { 'edited.md': 'v2\n' });
    const since = new Date(repository.now).toISOString();
    expect(await index.run(repository, { ...DOCS, since })).toMatchObject({
      written: 1,
      skipped: { 'before since': 1 },
    });
    expect(await docs()).toEqual(['edited.md 120']);
    expect(await index.run(repository, DOCS)).toMatchObject({ written: 1, unchanged: 1 });
    expect(await docs()).toEqual(['edited.md 120', 'old.md 60']);
  });

  it('does not keep an older state of a doc that is indexed', async () => {
    repository.commit('one', { 'a.md': 'v1\n' });
    await index.run(repository, DOCS);
    repository.commit('two', { 'a.md': 'v2\n' });
    await index.run(repository, { ...DOCS, since: new Date(repository.now + 1).toISOString() });
    expect(await docs()).toEqual(['a.md 120']);
  });

  it('makes the next run write nothing, though an age means a later time each day', async () => {
    repository.commit('one', { 'old.md': 'old\n' });
    repository.commit('two', { 'new.md': 'new\n' });
    index.test.clock.ms = repository.now + 40_000;
    await index.run(repository, { since: '1m' });
    expect(await index.keys()).toHaveLength(2);
    index.test.clock.ms += 20_000;
    expect(await index.counted(repository, { since: '1m' })).toMatchObject({ writes: 0, report: { written: 0 } });
    // Nor does it cost a later run without it more than what it left out.
    expect(await index.run(repository)).toMatchObject({ written: 2 });
    expect(await index.digest()).toBe(await freshDigest([repository]));
  });
});
