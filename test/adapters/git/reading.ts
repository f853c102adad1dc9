import { gitProcess } from '../../../src/lib/adapters/git/git.ts';
import type { Commit, CommitRange, GitRepository, Tag, TreeEntry } from '../../../src/lib/engine/git.ts';
import type { TestRepository } from '../../support/repository.ts';

/** Opens a repository for the length of a function, and closes it. */
export async function reading<T>(
  target: TestRepository | string,
  read: (repository: GitRepository) => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  const repository = await gitProcess().open(typeof target === 'string' ? target : target.path, signal);
  try {
    return await read(repository);
  } finally {
    await repository.close();
  }
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** All of the history of HEAD, or of a range. */
export async function commitsOf(target: TestRepository | string, range: Partial<CommitRange> = {}): Promise<Commit[]> {
  return reading(target, async (repository) =>
    repository.head === null ? [] : all(repository.log({ from: repository.head, not: [], ...range })),
  );
}

/** The files of one commit. */
export async function filesOf(target: TestRepository | string, id: string): Promise<Commit['files']> {
  const [commit] = await commitsOf(target, { from: id });
  return commit?.files ?? [];
}

/** What git could be made to print otherwise, of a repository with commits. */
export interface History {
  readonly head: string | null;
  readonly defaultBranch: string | null;
  readonly commits: readonly Commit[];
  readonly tags: readonly Tag[];
}

export async function historyOf(target: TestRepository | string): Promise<History> {
  return reading(target, async (repository) => {
    const { head, defaultBranch } = repository;
    const log = all(repository.log({ from: head ?? '', not: [] }));
    const [commits, tags] = await Promise.all([log, all(repository.tags())]);
    return { head, defaultBranch, commits, tags };
  });
}

export interface Snapshot extends History {
  readonly count: number;
  readonly tree: readonly TreeEntry[];
  readonly blobs: readonly string[];
  readonly touched: ReadonlyMap<string, number>;
}

/** Everything that can be read of a repository with commits, for comparing two of them. */
export async function snapshot(target: TestRepository | string): Promise<Snapshot> {
  const history = await historyOf(target);
  return reading(target, async (repository) => {
    const range = { from: repository.head ?? '', not: [] };
    const tree = await all(repository.tree(range.from));
    const ids = tree.map((entry) => entry.blob);
    const blobs = await all(repository.blobs(ids, 1 << 20));
    return {
      ...history,
      count: await repository.count(range),
      tree,
      blobs: blobs.map((blob) => Buffer.from(blob ?? '').toString('latin1')),
      touched: await repository.touched(range),
    };
  });
}
