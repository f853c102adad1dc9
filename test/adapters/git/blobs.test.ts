import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestRepository } from '../../support/repository.ts';
import { all, reading } from './reading.ts';

let repository: TestRepository;
let head: string;

beforeAll(() => {
  repository = TestRepository.init();
  repository.write({
    'a.txt': 'a\n',
    'bin.dat': Buffer.from([0, 255, 10, 0]),
    'empty.txt': '',
    'd/e/f.txt': 'missing\n',
    'run.sh': 'x\n',
  });
  symlinkSync('/etc/hostname', join(repository.path, 'link'));
  repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
  head = repository.commit('first', { 'big.txt': 'x'.repeat(3 << 20) });
});

afterAll(() => {
  repository.remove();
});

describe('the tree of a commit', () => {
  it('has the regular files, no links and no submodules', async () => {
    const tree = await reading(repository, (opened) => all(opened.tree(head)));
    expect(tree.map((entry) => entry.path)).toEqual([
      'a.txt',
      'big.txt',
      'bin.dat',
      'd/e/f.txt',
      'empty.txt',
      'run.sh',
    ]);
    expect(tree[0]?.blob).toBe(repository.git('rev-parse', 'HEAD:a.txt'));
  });

  it('is not that of something which looks like an option', async () => {
    await reading(repository, (opened) => {
      expect(() => opened.tree('--help')).toThrow('not an object id');
      return Promise.resolve();
    });
  });
});

describe('blobs', () => {
  it('come in the order asked, null when missing, too large, or no blobs', async () => {
    const id = (name: string): string => repository.git('rev-parse', `HEAD:${name}`);
    const asked = [
      id('bin.dat'),
      '1'.repeat(40),
      id('big.txt'),
      head,
      id('d'),
      id('empty.txt'),
      'HEAD:a.txt',
      `${id('a.txt')}\n`,
      id('a.txt'),
      id('bin.dat'),
    ];
    const found = await reading(repository, (opened) => all(opened.blobs(asked, 1000)));
    const binary = Buffer.from([0, 255, 10, 0]);
    expect(found).toEqual([binary, null, null, null, null, Buffer.alloc(0), null, null, Buffer.from('a\n'), binary]);
    expect(await reading(repository, (opened) => all(opened.blobs([id('a.txt')], 1)))).toEqual([null]);
    expect(await reading(repository, (opened) => all(opened.blobs([id('a.txt')], 2)))).toEqual([Buffer.from('a\n')]);
  });

  it('are found for a stream of ids, over the size of a group', async () => {
    const ids = ['HEAD:a.txt', 'HEAD:run.sh'].map((name) => repository.git('rev-parse', name));
    const many = Array.from({ length: 300 }, (_, at) => ids[at % 2] ?? '');
    const texts = await reading(repository, async (opened) => {
      async function* stream(): AsyncGenerator<string> {
        for (const id of many) {
          await Promise.resolve();
          yield id;
        }
      }
      return (await all(opened.blobs(stream(), 1000))).map((blob) => Buffer.from(blob ?? '').toString());
    });
    expect(texts).toEqual(many.map((_, at) => (at % 2 === 0 ? 'a\n' : 'x\n')));
  });
});
