/** Who acts; null in the place of one means that the account was deleted since. */
export interface User {
  readonly id: number;
  readonly login: string;
  readonly name: string;
  readonly type: 'User' | 'Bot' | 'Organization';
}

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string;
}

export interface Milestone {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly createdAt: number;
}

/** An issue or a pull request: both have an issue id, and share the numbers of their repository. Times are in ms. */
export interface Thread {
  /** Id as an issue. */
  readonly id: number;
  readonly number: number;
  /** Null for an issue. */
  readonly pull: Pull | null;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'reopened' | 'not_planned' | 'duplicate' | null;
  locked: boolean;
  user: User | null;
  labels: Label[];
  milestone: Milestone | null;
  readonly createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  /** Ids of its issue comments, oldest first. */
  readonly comments: Set<number>;
}

export interface Pull {
  /** Id as a pull request, another number than the id as an issue. */
  readonly id: number;
  draft: boolean;
  mergedAt: number | null;
  readonly head: string;
  readonly base: string;
  readonly headSha: string;
  /** Ids of its reviews, oldest first. */
  readonly reviews: Set<number>;
  /** Ids of its review comments, oldest first. */
  readonly comments: Set<number>;
}

export interface IssueComment {
  readonly id: number;
  /** Number of its thread. */
  readonly thread: number;
  body: string;
  user: User | null;
  readonly createdAt: number;
  updatedAt: number;
}

export interface Review {
  readonly id: number;
  /** Number of its pull request. */
  readonly pull: number;
  body: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  user: User | null;
  /** Null while it is pending: only its author sees it then. */
  submittedAt: number | null;
  updatedAt: number;
  readonly commit: string;
}

export interface ReviewComment {
  readonly id: number;
  /** Number of its pull request. */
  readonly pull: number;
  readonly review: number;
  readonly replyTo: number | null;
  readonly path: string;
  readonly line: number;
  readonly hunk: string;
  body: string;
  user: User | null;
  readonly createdAt: number;
  updatedAt: number;
  readonly commit: string;
}

export interface Release {
  readonly id: number;
  tag: string;
  name: string | null;
  body: string | null;
  /** A draft is seen by those who may push. */
  draft: boolean;
  prerelease: boolean;
  user: User;
  readonly createdAt: number;
  publishedAt: number | null;
  updatedAt: number;
}

/** What became of a number that is no thread any more. */
export type Gone = 'deleted' | { readonly repository: number; readonly number: number };
