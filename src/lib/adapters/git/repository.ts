import { Failure } from '../../core/failure.ts';
import type { Commit, CommitRange, GitRepository, ObjectId, Tag, TreeEntry } from '../../engine/git.ts';
import { blobContents } from './blobs.ts';
import type { GitRunner } from './child.ts';
import { history, touchedPaths } from './history.ts';
import { isObjectId } from './objects.ts';
import { removePrivateDir } from './private-dir.ts';
import { revisions } from './revisions.ts';
import { tagsOf } from './tags.ts';
import { treeEntries } from './tree.ts';

/** What is read of a repository when it is opened. */
export interface RepositoryFacts {
  readonly head: ObjectId | null;
  readonly slug: string | null;
  readonly defaultBranch: string | null;
  readonly shallow: readonly ObjectId[];
}

/** A repository read through a private git directory, which {@link close} removes. */
export class ProcessRepository implements GitRepository {
  readonly head: ObjectId | null;
  readonly slug: string | null;
  readonly defaultBranch: string | null;
  readonly shallow: readonly ObjectId[];
  readonly #git: GitRunner;
  readonly #directory: string;
  readonly #cut: ReadonlySet<ObjectId>;

  constructor(git: GitRunner, directory: string, facts: RepositoryFacts) {
    this.head = facts.head;
    this.slug = facts.slug;
    this.defaultBranch = facts.defaultBranch;
    this.shallow = facts.shallow;
    this.#git = git;
    this.#directory = directory;
    this.#cut = new Set(facts.shallow);
  }

  async hasCommit(id: ObjectId): Promise<boolean> {
    if (!isObjectId(id)) return false;
    const { code, output } = await this.#git.run(['cat-file', '-t', id]);
    return code === 0 && output.trim() === 'commit';
  }

  async isAncestor(ancestor: ObjectId, commit: ObjectId): Promise<boolean> {
    if (!(await this.hasCommit(ancestor)) || !(await this.hasCommit(commit))) return false;
    return (await this.#git.run(['merge-base', '--is-ancestor', ancestor, commit])).code === 0;
  }

  tree(commit: ObjectId): AsyncIterable<TreeEntry> {
    return treeEntries(this.#git, known(commit));
  }

  blobs(ids: AsyncIterable<ObjectId> | Iterable<ObjectId>, maxBytes: number): AsyncIterable<Uint8Array | null> {
    return blobContents(this.#git, ids, maxBytes);
  }

  async count(range: CommitRange): Promise<number> {
    const commits = revisions(this.#git, await this.#resolve(range));
    let count = 0;
    while ((await commits.next()).done !== true) count += 1;
    return count;
  }

  async *log(range: CommitRange): AsyncGenerator<Commit> {
    yield* history(this.#git, await this.#resolve(range), this.#cut);
  }

  async touched(range: CommitRange): Promise<Map<string, number>> {
    return touchedPaths(this.#git, await this.#resolve(range), this.#cut);
  }

  tags(): AsyncIterable<Tag> {
    return tagsOf(this.#git);
  }

  async close(): Promise<void> {
    await this.#git.close();
    await removePrivateDir(this.#directory);
  }

  /** A commit that history no longer has (it was rewritten and collected) excludes nothing. */
  async #resolve(range: CommitRange): Promise<CommitRange> {
    const not: ObjectId[] = [];
    for (const id of range.not) if (await this.hasCommit(id)) not.push(id);
    return { ...range, from: known(range.from), not };
  }
}

function known(id: ObjectId): ObjectId {
  if (isObjectId(id)) return id;
  throw new Failure('invalid_input', `not an object id: ${JSON.stringify(id.slice(0, 80))}`);
}
