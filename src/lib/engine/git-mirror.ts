import type { ClonedRepository } from './github.ts';

/** A repository on a server. */
export interface RemoteGit {
  /** http or https, without a credential. */
  readonly url: string;
  /** Reaches git through its environment only. */
  readonly token: string;
  /** Path of the clone under the cache directory, made of safe segments. */
  readonly name: string;
  /** Without history and tags: the tip of the default branch alone. */
  readonly tipOnly?: boolean;
}

/** Bare clones in the cache directory. */
export interface GitMirror {
  /**
   * Clones a repository, or fetches what is new of its default branch and its tags. Fails with `credential_required`,
   * `github_unavailable`, `unreadable_input` (git itself) and `interrupted`.
   */
  update(remote: RemoteGit, signal: AbortSignal): Promise<ClonedRepository>;
}
