import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitProcess } from '../../../src/lib/adapters/git/git.ts';
import { TestRepository, temporaryDirectory } from '../../support/repository.ts';
import { commitsOf, reading, snapshot } from './reading.ts';

let directory: string;
let origin: TestRepository;
let head: string;
const never = new AbortController().signal;

beforeAll(() => {
  directory = temporaryDirectory();
  origin = TestRepository.init();
  origin.commit('first', { 'a.txt': 'a\n', 'deep/er/b.txt': 'b\n' });
  head = origin.commit('second', { 'a.txt': 'b\n' });
});

afterAll(() => {
  origin.remove();
  rmSync(directory, { recursive: true, force: true });
});

function clone(name: string, ...args: string[]): string {
  const path = join(directory, name);
  origin.git('clone', '--quiet', ...args, `file://${origin.path}`, path);
  return path;
}

describe('open', () => {
  it('finds work tree, directory inside, git directory and bare clone', async () => {
    const bare = clone('bare.git', '--bare');
    const paths = [origin.path, join(origin.path, 'deep/er'), join(origin.path, '.git'), bare, join(bare, 'refs')];
    for (const path of paths) {
      expect(await reading(path, (repository) => Promise.resolve(repository.head))).toBe(head);
    }
    expect(await snapshot(bare)).toEqual(await snapshot(origin));
  });

  it('finds a linked work tree, with its own HEAD', async () => {
    const linked = join(directory, 'linked');
    origin.git('worktree', 'add', '--quiet', '-b', 'other', linked, 'HEAD~1');
    await reading(linked, async (repository) => {
      expect(repository.defaultBranch).toBe('other');
      expect(repository.head).toBe(origin.git('rev-parse', 'HEAD~1'));
      expect(await repository.hasCommit(head)).toBe(true);
    });
    expect(await commitsOf(linked)).toHaveLength(1);
  });

  it('finds a submodule', async () => {
    const outer = TestRepository.init();
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', `file://${origin.path}`, 'inner');
    outer.commit('submodule');
    expect(await reading(join(outer.path, 'inner'), (repository) => Promise.resolve(repository.head))).toBe(head);
    const [commit] = await commitsOf(outer);
    expect(commit?.files.find((file) => file.path === 'inner')).toMatchObject({
      status: 'added',
      patch: null,
      additions: 0,
    });
    outer.remove();
  });

  it('follows a git directory through a link, and a name with odd characters', async () => {
    const path = clone('li"nk\\ed\nhere');
    renameSync(join(path, '.git'), join(path, 'real'));
    symlinkSync('real', join(path, '.git'));
    expect(await snapshot(path)).toEqual(await snapshot(origin));
  });

  it('reads objects that a clone borrows, through a relative path too', async () => {
    const path = join(directory, 'borrower');
    origin.git('clone', '--quiet', '--shared', origin.path, path);
    const objects = join(path, '.git/objects');
    writeFileSync(
      join(objects, 'info/alternates'),
      `${relative(objects, join(origin.path, '.git/objects'))}
`,
    );
    expect(await commitsOf(path)).toEqual(await commitsOf(origin));
  });

  it('reads a SHA-256 repository', async () => {
    const repository = TestRepository.init('--object-format=sha256');
    const id = repository.commit('first', { 'a.txt': 'a\n' });
    repository.git('tag', 'v1');
    const read = await snapshot(repository);
    expect(read.head).toBe(id);
    expect(read.head).toHaveLength(64);
    expect(read.commits[0]?.files).toMatchObject([{ path: 'a.txt', patch: '@@ -0,0 +1 @@\n+a' }]);
    expect(read.blobs).toEqual(['a\n']);
    repository.remove();
  });

  it('gives null for the HEAD of a repository without commits', async () => {
    const empty = TestRepository.init();
    await reading(empty, async (repository) => {
      expect(repository).toMatchObject({ head: null, defaultBranch: 'main', slug: null, shallow: [] });
      expect(await repository.hasCommit(head)).toBe(false);
    });
    empty.remove();
  });

  it('names the branch of origin before the current one, and none when detached', async () => {
    const path = clone('branches');
    const repository = new TestRepository(path);
    repository.git('checkout', '--quiet', '-b', 'work/one');
    const branch = (): Promise<string | null> => reading(path, (opened) => Promise.resolve(opened.defaultBranch));
    expect(await branch()).toBe('main');
    repository.git('remote', 'set-head', 'origin', '--delete');
    expect(await branch()).toBe('work/one');
    repository.git('checkout', '--quiet', '--detach');
    expect(await branch()).toBeNull();
    expect(await reading(path, (opened) => Promise.resolve(opened.head))).toBe(head);
  });

  it('tells owner and name from the remote, the first URL of it, without its credentials', async () => {
    const path = clone('slug');
    const repository = new TestRepository(path);
    repository.git('config', 'remote.origin.url', 'https://user:secret@github.com/octo/engine.git');
    repository.git('config', '--add', 'remote.origin.url', 'https://github.com/octo/mirror.git');
    await reading(path, (opened) => {
      expect(opened.slug).toBe('octo/engine');
      expect(JSON.stringify(opened)).not.toContain('secret');
      return Promise.resolve();
    });
  });

  it('fails for what is no repository', async () => {
    const plain = join(directory, 'plain');
    mkdirSync(join(plain, 'false/.git'), { recursive: true });
    writeFileSync(join(plain, 'file'), '');
    for (const path of [plain, join(plain, 'false'), join(plain, 'file'), join(plain, 'missing')]) {
      await expect(gitProcess().open(path, never)).rejects.toMatchObject({ code: 'not_a_repository' });
    }
    writeFileSync(join(plain, '.git'), 'gitdir: nowhere\n');
    await expect(gitProcess().open(plain, never)).rejects.toMatchObject({ code: 'not_a_repository' });
  });

  it('fails for a repository that cannot be read', async () => {
    const path = clone('broken');
    const broken = async (name: string, contents: string): Promise<void> => {
      const file = join(path, '.git', name);
      const copy = `${file}.copy`;
      renameSync(file, copy);
      writeFileSync(file, contents);
      await expect(gitProcess().open(path, never)).rejects.toMatchObject({ code: 'unreadable_input' });
      renameSync(copy, file);
    };
    await broken('config', '[core\n');
    await broken('config', '[extensions]\n\trefStorage = reftable\n');
    await broken('HEAD', 'nothing\n');
    await broken('HEAD', `${'1'.repeat(40)}\n`);
    expect(await reading(path, (opened) => Promise.resolve(opened.head))).toBe(head);
  });

  it('knows a branch whose name is not ASCII', async () => {
    const repository = TestRepository.init();
    repository.git('checkout', '--quiet', '--orphan', 'voilà');
    const id = repository.commit('first');
    await reading(repository, (opened) => {
      expect([opened.defaultBranch, opened.head]).toEqual(['voilà', id]);
      return Promise.resolve();
    });
    repository.remove();
  });

  it('removes what it put aside, also after a failure, and nothing else', async () => {
    const refs = join(origin.path, '.git/refs/heads');
    // Other tests put theirs aside at the same time: those with links to this repository count.
    const aside = (): string[] =>
      readdirSync(tmpdir()).filter((name) => {
        try {
          return (
            name.startsWith('gh-rag-git-') && readlinkSync(join(tmpdir(), name, 'refs/heads')) === realpathSync(refs)
          );
        } catch {
          return false;
        }
      });
    const opened = await gitProcess().open(origin.path, never);
    expect(aside()).toHaveLength(1);
    await opened.close();
    await opened.close();
    expect(aside()).toEqual([]);
    const detached = join(origin.path, '.git/HEAD');
    const before = readFileSync(detached);
    writeFileSync(detached, `${'1'.repeat(40)}\n`);
    await expect(gitProcess().open(origin.path, never)).rejects.toMatchObject({ code: 'unreadable_input' });
    writeFileSync(detached, before);
    expect(aside()).toEqual([]);
    expect(existsSync(join(refs, 'main'))).toBe(true);
    expect(origin.git('fsck', '--no-dangling')).toBe('');
  });
});

describe('history that was rewritten', () => {
  it('answers false for commits that are gone, and leaves nothing out for them', async () => {
    const gone = '1'.repeat(40);
    const tree = origin.git('rev-parse', 'HEAD^{tree}');
    await reading(origin, async (repository) => {
      expect(await repository.hasCommit(head)).toBe(true);
      expect(await repository.isAncestor(origin.git('rev-parse', 'HEAD~1'), head)).toBe(true);
      expect(await repository.isAncestor(head, head)).toBe(true);
      expect(await repository.isAncestor(head, origin.git('rev-parse', 'HEAD~1'))).toBe(false);
      for (const id of [gone, tree, 'HEAD', '--all', head.slice(0, 8), '', `${head}\n`]) {
        expect(await repository.hasCommit(id)).toBe(false);
        expect(await repository.isAncestor(id, head)).toBe(false);
        expect(await repository.isAncestor(head, id)).toBe(false);
      }
      expect(await repository.count({ from: head, not: [gone] })).toBe(2);
      await expect(repository.count({ from: gone, not: [] })).rejects.toMatchObject({ code: 'unreadable_input' });
      await expect(repository.count({ from: '--all', not: [] })).rejects.toMatchObject({ code: 'invalid_input' });
    });
  });
});
