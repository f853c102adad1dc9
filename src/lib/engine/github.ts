/**
 * What is read from GitHub while somebody waits for an answer. Nothing is tried twice, and each call ends within a few
 * seconds. All fail as a {@link GitHubSource} does.
 */
export interface GitHub {
  /** Whether there is a token, and the configuration allows to read the repository. Asks nobody. */
  mayRead(repo: string): Promise<boolean>;
  /** A file at the tip of the default branch, whole; `too_large` for one over {@link MAX_LIVE_BYTES}. */
  file(repo: string, path: string, signal: AbortSignal): Promise<Uint8Array | 'too_large'>;
  /** A clone of the wiki as it is now, without its history. */
  wiki(repo: string, signal: AbortSignal): Promise<ClonedRepository>;
}

/** GitHub gives a file with its size and its text up to this, in bytes. */
export const MAX_LIVE_BYTES = 1 << 20;

/** Lists of a whole repository. Threads are issues and pull requests, as far as they are not switched off. */
export type GitHubList = 'threads' | 'pulls' | 'issue_comments' | 'review_comments' | 'releases';

/** A repository as GitHub describes it. */
export interface RemoteRepository {
  /** Stays the same when the repository is renamed or transferred. */
  readonly id: number;
  /** `owner/name` by which it goes now. */
  readonly fullName: string;
  readonly defaultBranch: string | null;
  readonly private: boolean;
  readonly archived: boolean;
  readonly hasWiki: boolean;
  /** False where issues are switched off: they are there still, and GitHub shows none of them. */
  readonly hasIssues: boolean;
  /** The same of pull requests. */
  readonly hasPulls: boolean;
  /** Of its code; http or https, without a credential. */
  readonly cloneUrl: string;
}

/** Fields of an artefact in the names and forms of an export record (docs/indexing.md), without its repository. */
export type RemoteRecord = Readonly<Record<string, unknown>>;

/** One artefact as GitHub lists it. */
export interface RemoteItem {
  /** What it is asked for by: the number of a thread, the id of a comment or review, the tag of a release. */
  readonly id: string;
  /** Number of the thread that it is, or belongs to. */
  readonly number: number | null;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly record: RemoteRecord;
  /** Of a thread: how many comments it has. */
  readonly comments?: number;
}

/** A page of a list. */
export interface RemotePage {
  readonly items: readonly RemoteItem[];
  /** Whether there is another page. */
  readonly more: boolean;
  /** How many pages there are, where GitHub says so. */
  readonly pages: number | undefined;
  /** By which the same page is asked for again, if it changed. */
  readonly etag: string | undefined;
}

/** Which page of a list. */
export interface PageQuery {
  /** By the time of the last update, or the one that was made last first. Releases come as GitHub has them. */
  readonly order: 'oldest' | 'newest' | 'made_last';
  /** Only open threads, or pull requests. */
  readonly open?: boolean | undefined;
  /** Only what was updated at or after this, in milliseconds since the epoch; the list of pull requests has all of them. */
  readonly since?: number | undefined;
  readonly page: number;
  /** At most 100. */
  readonly perPage: number;
  /** Of the page as it was; unchanged, it is not answered again. */
  readonly etag?: string | undefined;
}

/** How many requests GitHub still allows, as its last answer said. */
export interface RequestBudget {
  readonly limit: number;
  readonly remaining: number;
  /** When `limit` requests are allowed again, in milliseconds since the epoch. */
  readonly resetsAt: number;
}

/** Reviews of pull requests. */
export interface RemoteReviews {
  readonly byNumber: ReadonlyMap<number, readonly RemoteItem[]>;
  /** GitHub's time of the answer, milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Reading projects from GitHub. Every answer was checked to be whole: one that was cut off, or is no answer of GitHub, is a
 * failure. All fail with `credential_required` (no token, or one that GitHub refuses), `not_found`, `rate_limited`,
 * `github_unavailable` (network, server, nonsense) and `interrupted`, and refuse a repository that the configuration does
 * not allow with `invalid_input`.
 */
export interface GitHubSource {
  /** Host of the web pages, e.g. `github.com`. */
  readonly host: string;
  /** What messages call the API that is asked: `host`, or host and port of another address where one is set. */
  readonly asked: string;
  /** Requests that were made so far. */
  readonly requests: number;
  /** Undefined before the first answer, and where GitHub sets no limit. */
  readonly budget: RequestBudget | undefined;
  repository(repo: string, signal: AbortSignal): Promise<RemoteRepository>;
  /** Undefined: the page is what it was (only where an ETag was given). `not_found`: GitHub does not show that list. */
  list(repo: string, list: GitHubList, query: PageQuery, signal: AbortSignal): Promise<RemotePage | undefined>;
  /** How many items a list has; undefined where GitHub does not say. One request. */
  count(repo: string, list: GitHubList, signal: AbortSignal): Promise<number | undefined>;
  /** One item of a list, by its id; undefined where it was deleted, or belongs to another repository now. */
  item(repo: string, list: GitHubList, id: string, signal: AbortSignal): Promise<RemoteItem | undefined>;
  /** A page of the comments of a thread, oldest first, 100 at most. */
  threadComments(repo: string, number: number, page: number, signal: AbortSignal): Promise<RemotePage>;
  /**
   * All reviews of some pull requests, pending ones apart; none of a number that is no pull request. Those of `others` are
   * told as far as they come with the same request.
   */
  reviews(
    repo: string,
    numbers: readonly number[],
    signal: AbortSignal,
    others?: readonly number[],
  ): Promise<RemoteReviews>;
  /**
   * Brings a clone in the cache up to date, and gives its path. `none`: there is no such repository (a wiki without a
   * page); `empty`: nothing was committed yet.
   */
  clone(of: RemoteRepository, part: 'code' | 'wiki', signal: AbortSignal): Promise<ClonedRepository>;
}

export type ClonedRepository = { readonly path: string } | 'none' | 'empty';
