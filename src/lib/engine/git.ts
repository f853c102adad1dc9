/**
 * What the library asks of a git repository. The repository is a stranger: an adapter must see to it that nothing in
 * its configuration, attributes, hooks or links runs, reaches outside of it, or changes what is reported.
 */
export interface Git {
  /** Opens the repository at a path: work tree, linked worktree, bare. Fails with `not_a_repository`. */
  open(path: string, signal: AbortSignal): Promise<GitRepository>;
  /** `owner/name` of the GitHub repository that a path lies in, null for any other place. Quick: no process is started. */
  slugAt(path: string): Promise<string | null>;
}

/** An object id, lower-case hex of 40 (SHA-1) or 64 (SHA-256) digits. */
export type ObjectId = string;

export interface GitRepository {
  /** The commit HEAD points to; null in a repository without commits. */
  readonly head: ObjectId | null;
  /** `owner/name` when the `origin` remote is on GitHub, else null. */
  readonly slug: string | null;
  /** Branch that `origin/HEAD` names, else the current branch; null when detached. */
  readonly defaultBranch: string | null;
  /** Commits at which a shallow clone was cut (their parents are missing); sorted, empty when the clone is whole. */
  readonly shallow: readonly ObjectId[];
  /** Whether a commit exists here. */
  hasCommit(id: ObjectId): Promise<boolean>;
  /** Whether `ancestor` is reachable from `commit` (or equal to it). */
  isAncestor(ancestor: ObjectId, commit: ObjectId): Promise<boolean>;
  /** Every blob of a commit's tree, with its path. Submodules and symbolic links are left out. */
  tree(commit: ObjectId): AsyncIterable<TreeEntry>;
  /** Contents of blobs, in the order asked. A blob over `maxBytes` (or missing) comes as null. */
  blobs(ids: AsyncIterable<ObjectId> | Iterable<ObjectId>, maxBytes: number): AsyncIterable<Uint8Array | null>;
  /** Number of commits a `log` with the same range would give. */
  count(range: CommitRange): Promise<number>;
  /** Commits reachable from `range.from` but not from `range.not`, newest first, with the patches of each. */
  log(range: CommitRange): AsyncIterable<Commit>;
  /** For every path touched in the range: the newest committer date (ms) of a commit that touched it. */
  touched(range: CommitRange): Promise<Map<string, number>>;
  /** Annotated and lightweight tags that point (through any chain) to a commit. */
  tags(): AsyncIterable<Tag>;
  /** Removes what was put aside for reading. */
  close(): Promise<void>;
}

export interface CommitRange {
  readonly from: ObjectId;
  readonly not: readonly ObjectId[];
  /** Leaves out commits with a committer date before this (ms). */
  readonly since?: number | undefined;
  /** Leaves out this many of the newest commits. */
  readonly skip?: number | undefined;
}

export interface TreeEntry {
  readonly path: string;
  readonly blob: ObjectId;
}

export interface Signature {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

export interface Commit {
  readonly id: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly author: Signature;
  readonly committer: Signature;
  /** The whole message, decoded. */
  readonly message: string;
  /** One per file. Merges give only files that differ from every parent; a commit at a shallow cut gives none. */
  readonly files: readonly FilePatch[];
}

export interface FilePatch {
  readonly path: string;
  /** Path before a rename or copy. */
  readonly previousPath: string | null;
  readonly status: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type_changed';
  /** Unified hunks (`@@ …`), without file headers; null for a binary file, a submodule, or a patch over the size limit. */
  readonly patch: string | null;
  readonly binary: boolean;
  readonly additions: number;
  readonly deletions: number;
}

export interface Tag {
  readonly name: string;
  readonly commit: ObjectId;
  /** Message of an annotated tag; null for a lightweight one. */
  readonly message: string | null;
  /** Tagger of an annotated tag, else the committer of the commit. */
  readonly by: Signature;
}
