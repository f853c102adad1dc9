import { REPO_SLUG } from '../core/repo-slug.ts';
import { DOCUMENT_TYPES } from './document-types.ts';
import { type IdentityFields, identityOf } from './provenance.ts';

/**
 * Canonical references: how a person, a link and the graph name an artefact.
 *
 *     owner/repo#12                    issue or pull request
 *     owner/repo#12/comment/345        issue comment
 *     owner/repo#12/review/345         review
 *     owner/repo#12/review_comment/345 inline comment
 *     owner/repo:docs/a.md             file of the default branch
 *     owner/repo@<sha>:src/x.ts        file in a commit
 *     owner/repo/release/v1.2.0        release
 *     owner/repo/wiki/Page             wiki page
 */
export function referenceOf(fields: IdentityFields): string | undefined {
  if (identityOf(fields) === undefined) return undefined;
  const { repo, number, path, commit, tag, commentId, reviewId } = fields;
  switch (fields.type) {
    case 'issue':
    case 'pull_request':
      return `${repo}#${String(number)}`;
    case 'issue_comment':
      return `${repo}#${String(number)}/comment/${String(commentId)}`;
    case 'pr_review':
      return `${repo}#${String(number)}/review/${String(reviewId)}`;
    case 'pr_review_comment':
      return `${repo}#${String(number)}/review_comment/${String(commentId)}`;
    case 'doc':
      return `${repo}:${String(path)}`;
    case 'diff':
      return `${repo}@${String(commit)}:${String(path)}`;
    case 'release':
      return `${repo}/release/${String(tag)}`;
    case 'wiki_doc':
      return `${repo}/wiki/${String(path)}`;
  }
}

/** What a document folds into: its thread, its file, or itself. Never the event that brought it. */
export function entityKey(fields: IdentityFields, self: string): string {
  const { repo, number, path } = fields;
  switch (DOCUMENT_TYPES[fields.type].entity) {
    case 'thread':
      return `thread:${repo}:${String(number)}`;
    case 'file':
      return `file:${repo}:${String(path)}`;
    case 'self':
      return `self:${self}`;
  }
}

const THREAD = '#\\d+(?:/(?:comment|review|review_comment)/\\d+)?';
const REFERENCE = new RegExp(
  `^(?<repo>${REPO_SLUG})(?:(?<thread>${THREAD})|@(?<commit>[0-9a-fA-F]{7,64}):(?<file>.+)|(?<named>:.+|/release/.+|/wiki/.+))$`,
  's',
);

/** What a canonical reference consists of; see {@link splitReference}. */
export interface ReferenceParts {
  /** `owner/name` as written. */
  readonly repo: string;
  /** Digits of a commit id, all or the first of them, in lower case; undefined where none is named. */
  readonly commit: string | undefined;
  /** The path of a file in a commit; otherwise what follows the repository. */
  readonly rest: string;
}

/** Takes a canonical reference apart; undefined for a text that is none. Owner, name and commit may be in any case. */
export function splitReference(text: string): ReferenceParts | undefined {
  if (text.length > 1000) return undefined;
  const { repo, thread, commit, file, named } = REFERENCE.exec(text)?.groups ?? {};
  const rest = thread ?? file ?? named;
  return repo === undefined || rest === undefined ? undefined : { repo, commit: commit?.toLowerCase(), rest };
}

/** Whether a text has the form of a canonical reference. */
export function isReference(text: string): boolean {
  return splitReference(text) !== undefined;
}
