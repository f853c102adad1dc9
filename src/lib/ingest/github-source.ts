import type { Document } from '../corpus/document.ts';
import type { DocumentTypeName } from '../corpus/document-types.ts';
import { Failure } from '../core/failure.ts';
import type { GitHubList, GitHubSource, RemoteItem, RemoteRepository } from '../engine/github.ts';
import { decodeValue } from './export-record.ts';
import { countIn, type Run, wants } from './run.ts';

/** A repository on GitHub that is being indexed. */
export interface Remote {
  readonly source: GitHubSource;
  readonly facts: RemoteRepository;
  /** `owner/name` as it is spelt in the index. */
  readonly repo: string;
  readonly signal: AbortSignal;
  /** Of a dry run: pull requests that were read and are not stored, by number, with the time of their update (ms). */
  readonly unstored: Map<number, number>;
}

/** What the lists of GitHub hold. */
export const LIST_TYPES = {
  threads: ['issue', 'pull_request'],
  pulls: ['pull_request'],
  issue_comments: ['issue_comment'],
  review_comments: ['pr_review_comment'],
  releases: ['release'],
} as const satisfies Record<GitHubList, readonly DocumentTypeName[]>;

type ThreadType = (typeof LIST_TYPES.threads)[number];

/** Which threads GitHub shows of a repository. What is switched off there is not gone, and stays in the index as it was. */
export function shownThreads({ hasIssues, hasPulls }: RemoteRepository): ThreadType[] {
  return LIST_TYPES.threads.filter((type) => (type === 'issue' ? hasIssues : hasPulls));
}

/** The one sort of threads that GitHub shows, where the other is switched off. */
export function onlyShown(facts: RemoteRepository): ThreadType | undefined {
  const [type, other] = shownThreads(facts);
  return other === undefined ? type : undefined;
}

/** The list that has the threads of a repository; undefined where it shows none. */
export function threadsList({ hasIssues, hasPulls }: RemoteRepository): 'threads' | 'pulls' | undefined {
  // The list of issues is refused where they are switched off, or holds pull requests alone: GitHub does not say which.
  if (hasIssues) return 'threads';
  return hasPulls ? 'pulls' : undefined;
}

/** Whether all types of a list are wanted, some, or none. */
export function wantedOf(run: Run, list: GitHubList): 'all' | 'some' | 'none' {
  const types: readonly DocumentTypeName[] = LIST_TYPES[list];
  const wanted = types.filter((type) => wants(run, type));
  return wanted.length === types.length ? 'all' : wanted.length > 0 ? 'some' : 'none';
}

/** The document of an item, as an export of the same project gives it. */
export function documentOf(run: Run, repo: string, { record }: Pick<RemoteItem, 'record'>): Document {
  const decoded = decodeValue({ ...record, repo }, run.engine.clock.now());
  if ('problem' in decoded) {
    // To pass over it would lose it for good.
    throw new Failure('github_unavailable', `an item of ${repo} is not understood: ${decoded.problem}`, {
      hint: 'Please report this; everything before it is stored.',
    });
  }
  for (const warning of decoded.warnings) countIn(run.report.warnings, warning);
  return decoded.document;
}
