import * as z from 'zod';
import type { SqlRow } from '../engine/database.ts';
import { PROVENANCE_COLUMNS, provenanceFields } from './provenance-columns.ts';

const strings = z.array(z.string());
const stringList = z.string().transform((text) => (text === '[]' ? [] : strings.parse(JSON.parse(text))));

const storedDocument = z.object({
  id: z.int(),
  ...provenanceFields,
  sourceId: z.string().nullable(),
  /** Its own, or that of the thread it stands in; empty where neither is known. */
  title: z.string(),
  state: z.string().nullable(),
  labels: stringList,
  milestone: z.string().nullable(),
  assignees: stringList,
  author: z.string().nullable(),
  url: z.string().nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  defaultBranch: z.string().nullable(),
  headCommit: z.string().nullable(),
  indexedAt: z.string().nullable(),
});

/** Columns of a stored document `d` of repository `r`, as {@link decodeStoredDocument} reads them. */
export const STORED_DOCUMENT_COLUMNS = `d.id, ${PROVENANCE_COLUMNS}, d.source_id AS "sourceId",
  CASE WHEN d.title <> '' THEN d.title
    ELSE coalesce((SELECT t.title FROM documents t WHERE t.key = r.slug || '#' || d.number), '') END AS title,
  d.state, d.labels, d.milestone, d.assignees, d.author, d.url, d.created_at, d.updated_at,
  r.default_branch AS "defaultBranch", r.head_commit AS "headCommit", r.indexed_at AS "indexedAt"`;

/** A document as the database holds it, without its body. */
export type StoredDocument = z.output<typeof storedDocument>;

export function decodeStoredDocument(row: SqlRow): StoredDocument {
  return storedDocument.parse(row);
}
