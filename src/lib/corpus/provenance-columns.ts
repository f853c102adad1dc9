import * as z from 'zod';
import { DOCUMENT_TYPE_NAMES } from './document-types.ts';

/** The fields of a stored document that say which artefact it is, and at which version. */
export const provenanceFields = {
  repo: z.string(),
  type: z.enum(DOCUMENT_TYPE_NAMES),
  version: z.string(),
  number: z.int().nullable(),
  commentId: z.string().nullable(),
  reviewId: z.string().nullable(),
  tag: z.string().nullable(),
  path: z.string().nullable(),
  commit: z.string().nullable(),
  line: z.int().nullable(),
};

/** Columns of a document `d` of repository `r`, as {@link provenanceFields} reads them. */
export const PROVENANCE_COLUMNS = `r.slug AS repo, d.type, d.version, d.number, d.comment_id AS "commentId",
  d.review_id AS "reviewId", d.tag, d.path, d.commit_sha AS "commit", d.line`;
