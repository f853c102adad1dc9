import * as z from 'zod';
import type { SqlRow } from '../engine/database.ts';
import { DOCUMENT_TYPE_NAMES } from './document-types.ts';

const stringList = z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text)));

const storedDocument = z.object({
  id: z.int(),
  repo: z.string(),
  type: z.enum(DOCUMENT_TYPE_NAMES),
  source_id: z.string().nullable(),
  version: z.string(),
  number: z.int().nullable(),
  comment_id: z.string().nullable(),
  review_id: z.string().nullable(),
  tag: z.string().nullable(),
  path: z.string().nullable(),
  commit_sha: z.string().nullable(),
  line: z.int().nullable(),
  title: z.string(),
  state: z.string().nullable(),
  labels: stringList,
  milestone: z.string().nullable(),
  assignees: stringList,
  author: z.string().nullable(),
  url: z.string().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  default_branch: z.string().nullable(),
  head_commit: z.string().nullable(),
  indexed_at: z.string().nullable(),
  thread_title: z.string().nullable(),
});

/** Columns of a stored document `d` of repository `r`, as {@link decodeStoredDocument} reads them. */
export const STORED_DOCUMENT_COLUMNS = `d.id, r.slug AS repo, d.type, d.source_id, d.version, d.number, d.comment_id,
  d.review_id, d.tag, d.path, d.commit_sha, d.line, d.title, d.state, d.labels, d.milestone, d.assignees, d.author, d.url,
  d.created_at, d.updated_at, r.default_branch, r.head_commit, r.indexed_at,
  CASE WHEN d.title = '' THEN (SELECT t.title FROM documents t WHERE t.key = r.slug || '#' || d.number) END AS thread_title`;

type StoredRow = z.output<typeof storedDocument>;

/** A document as the database holds it, without its body. */
export interface StoredDocument
  extends Omit<
    StoredRow,
    | 'comment_id'
    | 'review_id'
    | 'commit_sha'
    | 'default_branch'
    | 'head_commit'
    | 'indexed_at'
    | 'source_id'
    | 'thread_title'
  > {
  readonly commentId: string | null;
  readonly reviewId: string | null;
  readonly commit: string | null;
  readonly sourceId: string | null;
  readonly defaultBranch: string | null;
  readonly headCommit: string | null;
  readonly indexedAt: string | null;
}

export function decodeStoredDocument(row: SqlRow): StoredDocument {
  const {
    comment_id: commentId,
    review_id: reviewId,
    commit_sha: commit,
    source_id: sourceId,
    default_branch: defaultBranch,
    head_commit: headCommit,
    indexed_at: indexedAt,
    thread_title: threadTitle,
    ...rest
  } = storedDocument.parse(row);
  const title = rest.title === '' && threadTitle !== null ? threadTitle : rest.title;
  return { ...rest, title, commentId, reviewId, commit, sourceId, defaultBranch, headCommit, indexedAt };
}
