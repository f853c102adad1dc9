import * as z from 'zod';
import { type Query, query } from '../engine/database.ts';
import type { Document } from './document.ts';
import { PROVENANCE_COLUMNS, provenanceFields } from './provenance-columns.ts';

/** A stored document with everything that it was made searchable from. */
export interface WholeDocument {
  readonly id: number;
  readonly key: string;
  readonly contentHash: string;
  /** As it is stored; whether its version was known is not. Undefined: it has no body. */
  readonly document: Document | undefined;
}

const names = z.string().transform((text) => z.array(z.string()).catch([]).parse(JSON.parse(text)));

const row = z.object({
  id: z.int(),
  key: z.string(),
  contentHash: z.string(),
  ...provenanceFields,
  inReplyTo: z.string().nullable(),
  title: z.string(),
  state: z.string().nullable(),
  labels: names,
  milestone: z.string().nullable(),
  assignees: names,
  author: z.string().nullable(),
  url: z.string().nullable(),
  createdAt: z.int(),
  updatedAt: z.int(),
  blob: z.string().nullable(),
  body: z.string().nullable(),
  preface: z.string().nullable(),
});

/** Stored documents by id, in the order of their ids. Lists that cannot be read come empty. */
export function wholeDocumentsQuery(ids: readonly number[]): Query<WholeDocument> {
  const list = (name: string) => `CASE WHEN json_valid(d.${name}) THEN d.${name} ELSE '[]' END AS ${name}`;
  return query(
    `SELECT d.id, d.key, d.content_hash AS "contentHash", ${PROVENANCE_COLUMNS}, d.in_reply_to AS "inReplyTo", d.title,
       d.state, ${list('labels')}, d.milestone, ${list('assignees')}, d.author, d.url, d.created_at AS "createdAt",
       d.updated_at AS "updatedAt", d.blob, b.body, b.preface
     FROM json_each(?) AS wanted CROSS JOIN documents d ON d.id = wanted.value JOIN repos r ON r.id = d.repo_id
       LEFT JOIN bodies b ON b.document_id = d.id ORDER BY d.id`,
    [JSON.stringify(ids)],
    (each) => {
      const { id, key, contentHash, body, preface, ...fields } = row.parse(each);
      const document = body === null ? undefined : { ...fields, body, preface: preface ?? '', versionIsKnown: true };
      return { id, key, contentHash, document };
    },
  );
}
