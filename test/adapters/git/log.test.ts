import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMIT_TEXT_LIMIT } from '../../../src/lib/adapters/git/diff-tree.ts';
import { COMMIT_OBJECT_LIMIT } from '../../../src/lib/adapters/git/history.ts';
import { AUTHOR, TestRepository } from '../../support/repository.ts';
import { all, commitsOf, filesOf, reading } from './reading.ts';

let repository: TestRepository;

beforeEach(() => {
  repository = TestRepository.init();
});

afterEach(() => {
  repository.remove();
});

// Each is a thing that the parser looks for, put where a stranger can put it.
const IMITATION = [
  'diff --git a/a.txt b/a.txt',
  '--- a/a.txt',
  '+++ b/a.txt',
  '@@ -1,9 +1,9 @@',
  ':100644 100644 abc def M',
  'end',
  '\\ No newline at end of file',
  '%H%x00%n%B',
  'Binary files a and b differ',
  '1111111111111111111111111111111111111111',
].join('\n');

describe('the files of a commit', () => {
  it('come with status, path before, hunks and counts', async () => {
    const long = Array.from({ length: 30 }, (_, at) => `line ${String(at)}`).join('\n');
    repository.commit('first', {
      'kept.txt': 'a\nb\n',
      'moved.txt': long,
      'gone.txt': 'x\n',
      'bin.dat': 'a\0b',
      'run.sh': 'x\n',
    });
    repository.write({
      'kept.txt': 'a\nc\nd\n',
      'moved.txt': null,
      'new/name.txt': `${long}\nmore`,
      'gone.txt': null,
      'bin.dat': 'a\0c',
    });
    repository.git('add', '--all');
    repository.git('update-index', '--chmod=+x', 'run.sh');
    repository.git('config', 'core.fileMode', 'false');
    const id = repository.commit('second', { 'added.txt': 'n\n', 'empty.txt': '' });
    const plain = { previousPath: null, binary: false, additions: 0, deletions: 0 };
    expect(await filesOf(repository, id)).toEqual([
      { ...plain, path: 'added.txt', status: 'added', patch: '@@ -0,0 +1 @@\n+n', additions: 1 },
      { ...plain, path: 'bin.dat', status: 'modified', patch: null, binary: true },
      { ...plain, path: 'empty.txt', status: 'added', patch: '' },
      { ...plain, path: 'gone.txt', status: 'deleted', patch: '@@ -1 +0,0 @@\n-x', deletions: 1 },
      {
        ...plain,
        path: 'kept.txt',
        status: 'modified',
        patch: '@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d',
        additions: 2,
        deletions: 1,
      },
      {
        path: 'new/name.txt',
        previousPath: 'moved.txt',
        status: 'renamed',
        binary: false,
        additions: 2,
        deletions: 1,
        patch: [
          '@@ -27,4 +27,5 @@ line 25',
          ' line 26',
          ' line 27',
          ' line 28',
          '-line 29',
          '\\ No newline at end of file',
          '+line 29',
          '+more',
          '\\ No newline at end of file',
        ].join('\n'),
      },
      { ...plain, path: 'run.sh', status: 'modified', patch: '' },
    ]);
  });

  it('come without renames of empty files, and with copies of changed ones', async () => {
    const long = Array.from({ length: 30 }, (_, at) => `line ${String(at)}\n`).join('');
    repository.commit('first', { 'source.txt': long, 'empty.txt': '' });
    const id = repository.commit('second', {
      'source.txt': `${long}x\n`,
      'copy.txt': long,
      'empty.txt': null,
      'other.txt': '',
    });
    const files = await filesOf(repository, id);
    expect(files.map((file) => [file.path, file.status, file.previousPath])).toEqual([
      ['copy.txt', 'copied', 'source.txt'],
      ['empty.txt', 'deleted', null],
      ['other.txt', 'added', null],
      ['source.txt', 'modified', null],
    ]);
  });

  it('have no patch when they are symbolic links', async () => {
    repository.commit('first', { file: 'text\n' });
    symlinkSync('/etc/hostname', join(repository.path, 'link'));
    const added = repository.commit('link');
    repository.write({ file: null });
    symlinkSync('link', join(repository.path, 'file'));
    const changed = repository.commit('type');
    const none = { previousPath: null, patch: null, binary: false, additions: 0, deletions: 0 };
    expect(await filesOf(repository, added)).toEqual([{ ...none, path: 'link', status: 'added' }]);
    expect(await filesOf(repository, changed)).toEqual([{ ...none, path: 'file', status: 'type_changed' }]);
  });

  it('are none for an empty commit, and additions for a root commit', async () => {
    const root = repository.commit('root', { 'a.txt': 'a\r\nb\r\n', 'b.txt': 'b' });
    const empty = repository.commit('empty');
    expect(await filesOf(repository, empty)).toEqual([]);
    expect((await filesOf(repository, root)).map((file) => [file.status, file.patch])).toEqual([
      ['added', '@@ -0,0 +1,2 @@\n+a\r\n+b\r'],
      ['added', '@@ -0,0 +1 @@\n+b\n\\ No newline at end of file'],
    ]);
  });

  it('of a merge are those that differ from every parent, against the first', async () => {
    repository.commit('base', {
      'both.txt': 'a\nb\nc\n',
      'ours.txt': '1\n',
      'theirs.txt': '1\n',
      '-x': '1\n',
      'dir*/y[1]': '1\n',
    });
    repository.git('checkout', '--quiet', '-b', 'side');
    const theirs = repository.commit('theirs', { 'both.txt': 'a\ntheirs\nc\n', 'theirs.txt': '2\n', '-x': '3\n' });
    repository.git('checkout', '--quiet', 'main');
    const ours = repository.commit('ours', { 'both.txt': 'a\nours\nc\n', 'ours.txt': '2\n', '-x': '2\n' });
    repository.git('merge', '--quiet', '--no-commit', '-s', 'ours', 'side');
    const evil = {
      'both.txt': 'a\nboth\nc\n',
      'theirs.txt': '2\n',
      '-x': null,
      'dir*/y[1]': 'evil\n',
      'new.txt': 'n\n',
    };
    const merge = repository.commit('merge', evil);
    repository.git('checkout', '--quiet', '-b', 'clean', theirs);
    repository.commit('other', { 'other.txt': 'o\n' });
    repository.git('merge', '--quiet', '-s', 'ours', '--no-commit', merge);
    repository.git('checkout', '--quiet', merge, '--', '.');
    repository.git('rm', '--quiet', '--', '-x');
    const clean = repository.commit('clean merge');
    const commits = new Map((await commitsOf(repository)).map((commit) => [commit.id, commit]));
    expect(commits.get(clean)?.files).toEqual([]);
    expect(commits.get(merge)?.parents).toEqual([ours, theirs]);
    expect(commits.get(merge)?.files.map((file) => [file.path, file.status, file.patch])).toEqual([
      ['-x', 'deleted', '@@ -1 +0,0 @@\n-2'],
      ['both.txt', 'modified', '@@ -1,3 +1,3 @@\n a\n-ours\n+both\n c'],
      ['dir*/y[1]', 'modified', '@@ -1 +1 @@\n-1\n+evil'],
      ['new.txt', 'added', '@@ -0,0 +1 @@\n+n'],
    ]);
  });

  it('keep odd names', async () => {
    const names = [
      '-dash',
      ' space ',
      'new\nline',
      'quo"te',
      "apo'strophe",
      'tab\t',
      'back\\slash',
      '"',
      'é',
      '日本',
      'a => b',
      ':(top)x',
      '%41',
      'end',
    ];
    repository.commit('first', Object.fromEntries(names.map((name) => [name, 'x\n'])));
    mkdirSync(join(repository.path, 'd'));
    writeFileSync(Buffer.concat([Buffer.from(`${repository.path}/d/100% caf`), Buffer.from([0xe9])]), 'x\n');
    repository.commit('second');
    const expected = [...names, 'd/100%25 caf%E9'];
    const commits = await commitsOf(repository);
    expect(new Set(commits.flatMap((commit) => commit.files.map((file) => file.path)))).toEqual(new Set(expected));
    expect(commits.every((commit) => commit.files.every((file) => file.patch === '@@ -0,0 +1 @@\n+x'))).toBe(true);
    await reading(repository, async (opened) => {
      const range = { from: opened.head ?? '', not: [] };
      expect(new Set((await all(opened.tree(range.from))).map((entry) => entry.path))).toEqual(new Set(expected));
      expect(new Set((await opened.touched(range)).keys())).toEqual(new Set(expected));
    });
  });

  it('of a merge keep names that cannot be arguments', async () => {
    const name = Buffer.concat([Buffer.from(`${repository.path}/caf`), Buffer.from([0xe9])]);
    writeFileSync(name, 'base\n');
    repository.commit('base', { 'b.txt': 'b\n' });
    repository.git('checkout', '--quiet', '-b', 'side');
    writeFileSync(name, 'side\n');
    repository.commit('side');
    repository.git('checkout', '--quiet', 'main');
    writeFileSync(name, 'main\n');
    repository.commit('main', { 'b.txt': 'c\n' });
    repository.git('merge', '--quiet', '--no-commit', '-s', 'ours', 'side');
    writeFileSync(name, 'merged\n');
    const merge = repository.commit('merge');
    expect(await filesOf(repository, merge)).toMatchObject([{ path: 'caf%E9', patch: '@@ -1 +1 @@\n-main\n+merged' }]);
  });

  it('are told apart from contents that imitate a diff', async () => {
    const text = (part: string): string => `${part}\n${IMITATION}\n${part}\n`;
    repository.commit('first', { 'a.txt': text('a'), 'b.txt': text('b') });
    const id = repository.commit(`second\n\n${IMITATION}\n`, {
      'a.txt': text('c'),
      'b.txt': `${IMITATION}\n`,
      'c.txt': IMITATION.replaceAll(/^/gm, '+'),
    });
    const [commit] = await commitsOf(repository);
    expect(commit?.message).toBe(`second\n\n${IMITATION}\n`);
    const oracle = (path: string): string => {
      const patch = repository.git('diff-tree', '-p', '--root', id, '--', path);
      return patch.slice(patch.indexOf('\n@@') + 1);
    };
    expect(commit?.files.map((file) => [file.path, file.patch])).toEqual(
      ['a.txt', 'b.txt', 'c.txt'].map((path) => [path, oracle(path)]),
    );
    expect(commit?.files[2]?.additions).toBe(10);
  });

  it('may hold NUL after what git looks at to tell text from binary', async () => {
    const text = 'x\n'.repeat(5000);
    repository.commit('first', { 'a.txt': text, 'b.txt': 'b\n' });
    const tail = '\0\0:100644 100644 1 2 M\0a.txt\0end\n';
    const id = repository.commit('second', { 'a.txt': `${text}${tail}`, 'b.txt': 'c\n' });
    expect(await filesOf(repository, id)).toMatchObject([
      { path: 'a.txt', binary: false, additions: 1, patch: `@@ -4998,3 +4998,4 @@ x\n x\n x\n x\n+${tail.trimEnd()}` },
      { path: 'b.txt', patch: '@@ -1 +1 @@\n-b\n+c' },
    ]);
  });

  it('over the limit are counted but not kept', async () => {
    const line = 'x'.repeat(5 << 20);
    repository.commit('first', { 'a.txt': line, 'b.txt': 'b\n', 'many.txt': '' });
    const id = repository.commit('second', {
      'a.txt': `${line}y\n${line}\n`,
      'b.txt': 'c\n',
      'many.txt': 'many lines\n'.repeat(20_000),
    });
    expect(await filesOf(repository, id)).toMatchObject([
      { path: 'a.txt', patch: null, binary: false, additions: 2, deletions: 1 },
      { path: 'b.txt', patch: '@@ -1 +1 @@\n-b\n+c' },
      { path: 'many.txt', patch: null, binary: false, additions: 20_000, deletions: 0 },
    ]);
  });

  it('of a commit that changes very much keep their text up to a limit', async () => {
    const contents = `${'x'.repeat(6000)}\n`.repeat(10);
    const names = Array.from({ length: 320 }, (_, at) => `f${String(at)}`);
    const id = repository.commit('first', Object.fromEntries(names.map((name) => [name, contents])));
    const files = await filesOf(repository, id);
    const kept = files.filter((file) => file.patch !== null);
    expect(files.every((file) => file.additions === 10)).toBe(true);
    expect(kept.length).toBeGreaterThan(200);
    expect(kept.length).toBeLessThan(320);
    expect(kept.reduce((sum, file) => sum + (file.patch?.length ?? 0), 0)).toBeLessThanOrEqual(COMMIT_TEXT_LIMIT);
  });

  it('are decoded file by file', async () => {
    const id = repository.commit('first', { 'a.txt': Buffer.from('caf\xe9 \x80\n', 'latin1'), 'b.txt': 'café €\n' });
    expect((await filesOf(repository, id)).map((file) => file.patch)).toEqual(Array(2).fill('@@ -0,0 +1 @@\n+café €'));
  });
});

describe('a commit', () => {
  const raw = (fields: string, message: string | Uint8Array, parents: readonly string[] = []): string => {
    const head = [
      `tree ${repository.git('write-tree')}`,
      ...parents.map((parent) => `parent ${parent}`),
      fields,
      '',
      '',
    ].join('\n');
    return repository.object('commit', Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(message)]));
  };
  const who = (date: string, name = AUTHOR): string =>
    `author ${name} <ada@example.org> ${date}\ncommitter ${name} <ada@example.org> ${date}`;

  it('has people, times, parents and the whole message', async () => {
    const first = repository.commit('first\n');
    const second = repository.commit('second\n\nbody\n\n\n  trailer: x\n');
    const by = { name: AUTHOR, time: repository.now };
    expect(await commitsOf(repository)).toMatchObject([
      { id: second, parents: [first], author: by, committer: by, message: 'second\n\nbody\n\n\n  trailer: x\n' },
      { id: first, parents: [], message: 'first\n' },
    ]);
  });

  it('may lack a message or a name, be of another encoding, hold NUL, or have an absurd date', async () => {
    const cases: [id: string, message: string, name: string, time: number][] = [
      [raw(who('1 +0000'), ''), '', AUTHOR, 1000],
      [raw(who('1 +0000', ''), 'm'), 'm', '', 1000],
      [raw(`${who('1 +0000', '\xe9')}\nencoding latin1`, Buffer.from('\xe9\n', 'latin1')), 'é\n', 'é', 1000],
      [raw(who('1 +0000'), Buffer.from('\xe9\x80\n', 'latin1')), 'é€\n', AUTHOR, 1000],
      [raw(who('1 +0000'), 'a\0b\nend\n'), 'a\0b\nend\n', AUTHOR, 1000],
      [raw(who('99999999999999999999 +0000'), 'm'), 'm', AUTHOR, 0],
      [raw(who('253402300800 +0000'), 'm'), 'm', AUTHOR, 0],
      [raw(who('-1 +0000'), 'm'), 'm', AUTHOR, 0],
      [raw(who('never'), 'm'), 'm', AUTHOR, 0],
    ];
    for (const [id, message, name, time] of cases) {
      repository.git('update-ref', 'refs/heads/main', id);
      const [commit] = await commitsOf(repository);
      expect(commit).toMatchObject({ id, message, author: { name, time }, committer: { name, time }, files: [] });
    }
  });

  it('may have a very long message, of which the beginning is given', async () => {
    repository.git('update-ref', 'refs/heads/main', raw(who('1 +0000'), 'x'.repeat(3 << 20)));
    const [commit] = await commitsOf(repository);
    expect(commit?.message.length).toBeGreaterThan(1_000_000);
    expect(commit?.message.length).toBeLessThan(COMMIT_OBJECT_LIMIT);
  });
});

describe('a range', () => {
  it('leaves out what is reachable from others, what is old, and the newest', async () => {
    const ids: string[] = [];
    const times: number[] = [];
    for (let at = 0; at < 6; at += 1) {
      ids.unshift(repository.commit(String(at), { 'a.txt': String(at) }));
      times.unshift(repository.now);
    }
    const from = ids[0] ?? '';
    await reading(repository, async (opened) => {
      const both = async (range: object): Promise<string[]> => {
        const commits = await all(opened.log({ from, not: [], ...range }));
        expect(await opened.count({ from, not: [], ...range })).toBe(commits.length);
        return commits.map((commit) => commit.id);
      };
      expect(await both({})).toEqual(ids);
      expect(await both({ not: ids.slice(4) })).toEqual(ids.slice(0, 4));
      expect(await both({ not: [from] })).toEqual([]);
      expect(await both({ since: times[2] })).toEqual(ids.slice(0, 3));
      expect(await both({ since: (times[2] ?? 0) + 1 })).toEqual(ids.slice(0, 2));
      expect(await both({ skip: 2 })).toEqual(ids.slice(2));
      expect(await both({ skip: 1, since: times[3], not: ids.slice(5) })).toEqual(ids.slice(1, 4));
      expect(await both({ skip: 9 })).toEqual([]);
    });
  });

  it('with since keeps commits behind one with a wrong clock', async () => {
    const first = repository.commit('first');
    const since = repository.now;
    const tree = repository.git('write-tree');
    const old = repository.object(
      'commit',
      `tree ${tree}\nparent ${first}\nauthor A <a@example.org> 5 +0000\ncommitter A <a@example.org> 5 +0000\n\nold\n`,
    );
    repository.git('reset', '--quiet', '--soft', old);
    const last = repository.commit('last');
    expect((await commitsOf(repository, { since })).map((commit) => commit.id)).toEqual([last, first]);
  });

  it('of many commits comes in order, each with its own files', async () => {
    const stream = Array.from({ length: 400 }, (_, at) => {
      const text = `line ${String(at)}\n`;
      const who = `Ada Example <ada@example.org> ${String(1_700_000_000 + at)} +0000`;
      return `commit refs/heads/main\ncommitter ${who}\ndata ${String(text.length)}\n${text}\nM 100644 inline f${String(at)}\ndata ${String(text.length)}\n${text}\n`;
    });
    repository.gitWith({ input: stream.join('') }, 'fast-import', '--quiet');
    const commits = await commitsOf(repository);
    expect(commits).toHaveLength(400);
    expect(commits.every((commit, at) => commit.message === `line ${String(399 - at)}\n`)).toBe(true);
    expect(commits.map((commit) => commit.files.map((file) => file.path))).toEqual(
      commits.map((_, at) => [`f${String(399 - at)}`]),
    );
  });
});

describe('touched', () => {
  it('gives the newest date for every path, of merges only for what they changed themselves', async () => {
    repository.commit('base', { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    const base = repository.now;
    repository.git('checkout', '--quiet', '-b', 'side');
    const side = repository.commit('side', { 'b.txt': 'side\n', 'c.txt': 'side\n' });
    const sideTime = repository.now;
    repository.git('checkout', '--quiet', 'main');
    repository.commit('rename', { 'a.txt': null, 'd.txt': 'a\n', 'c.txt': 'main\n' });
    const renamed = repository.now;
    repository.git('merge', '--quiet', '--no-commit', '-s', 'ours', 'side');
    const merge = repository.commit('merge', { 'b.txt': 'side\n', 'c.txt': 'both\n' });
    const merged = repository.now;
    await reading(repository, async (opened) => {
      const touched = await opened.touched({ from: merge, not: [] });
      expect(new Map([...touched].sort())).toEqual(
        new Map([
          ['a.txt', renamed],
          ['b.txt', sideTime],
          ['c.txt', merged],
          ['d.txt', renamed],
        ]),
      );
      expect(await opened.touched({ from: merge, not: [side], since: renamed + 1 })).toEqual(
        new Map([['c.txt', merged]]),
      );
      expect(base).toBeLessThan(sideTime);
    });
  });
});
