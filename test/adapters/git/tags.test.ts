import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTHOR, TestRepository } from '../../support/repository.ts';
import { all, reading } from './reading.ts';

let repository: TestRepository;

beforeAll(() => {
  repository = TestRepository.init();
});

afterAll(() => {
  repository.remove();
});

describe('tags', () => {
  it('are annotated, nested and lightweight ones that lead to a commit', async () => {
    const commit = repository.commit('first\n', { 'a.txt': 'a\n' });
    const committed = repository.now;
    const who = 'Grace Example <grace@example.org> 1700009999 +0000';
    const object = (target: string, type: string, message: string, tagger = `tagger ${who}\n`): string =>
      repository.object('tag', `object ${target}\ntype ${type}\ntag x\n${tagger}\n${message}`);
    const point = (name: string, id: string): string => repository.git('update-ref', `refs/tags/${name}`, id);
    const annotated = object(commit, 'commit', 'one\n\nrefs/tags/false\n');
    point('light', commit);
    point('v1/ünïcode@%{-}"quoted"', annotated);
    point('nested', object(annotated, 'tag', 'outer\n'));
    point(
      'signed',
      object(commit, 'commit', 'text\n-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n'),
    );
    point('old', object(commit, 'commit', 'no tagger\n', ''));
    point('tree', repository.git('rev-parse', 'HEAD^{tree}'));
    point('blob', repository.git('rev-parse', 'HEAD:a.txt'));
    point('tree-object', object(repository.git('rev-parse', 'HEAD^{tree}'), 'tree', 'a tree\n'));
    const lost = object(commit, 'commit', 'lost\n');
    point('lost', lost);
    point('dangling', object(lost, 'tag', 'of what is lost\n'));
    rmSync(join(repository.path, '.git/objects', lost.slice(0, 2), lost.slice(2)));

    const grace = { name: 'Grace Example', time: 1_700_009_999_000 };
    const ada = { name: AUTHOR, time: committed };
    const expected = [
      { name: 'light', commit, message: null, by: ada },
      { name: 'nested', commit, message: 'outer\n', by: grace },
      { name: 'old', commit, message: 'no tagger\n', by: ada },
      { name: 'signed', commit, message: 'text\n', by: grace },
      { name: 'v1/ünïcode@%{-}"quoted"', commit, message: 'one\n\nrefs/tags/false\n', by: grace },
    ];
    expect(await reading(repository, (opened) => all(opened.tags()))).toEqual(expected);

    repository.git('update-ref', '-d', 'refs/tags/lost');
    repository.git('pack-refs', '--all');
    appendFileSync(join(repository.path, '.git/packed-refs'), `${commit} refs/tags/zz\xff\n`, 'latin1');
    const packed = await reading(repository, (opened) => all(opened.tags()));
    expect(packed).toEqual([...expected, { name: 'zz%FF', commit, message: null, by: ada }]);
  });

  it('are none in a new repository', async () => {
    const empty = TestRepository.init();
    expect(await reading(empty, (opened) => all(opened.tags()))).toEqual([]);
    empty.remove();
  });
});
