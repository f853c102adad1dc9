import * as z from 'zod';
import { documentPredicate, Parameters } from '../corpus/filters.ts';
import { decodeStoredDocument, STORED_DOCUMENT_COLUMNS, type StoredDocument } from '../corpus/stored-document.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query, type SqlRow } from '../engine/database.ts';

const passageColumns = z.object({
  passage_id: z.int(),
  heading_path: z.string(),
  first_line: z.int().nullable(),
  last_line: z.int().nullable(),
  passage: z.string(),
  preface: z.string(),
});

/** A document with the passage that was found in it. */
export interface PassageDetail {
  readonly passageId: number;
  readonly document: StoredDocument;
  readonly headingPath: readonly string[];
  readonly lines: { readonly start: number; readonly end: number } | null;
  readonly passage: string;
  readonly preface: string;
}

const headings = z.array(z.string());

function decodePassage(row: SqlRow): PassageDetail {
  const { passage_id, heading_path, first_line, last_line, passage, preface } = passageColumns.parse(row);
  return {
    passageId: passage_id,
    document: decodeStoredDocument(row),
    headingPath: headings.parse(JSON.parse(heading_path)),
    lines: first_line === null || last_line === null ? null : { start: first_line, end: last_line },
    passage,
    preface,
  };
}

/** Passages by id, with their documents; in no particular order. */
export function passagesQuery(passageIds: readonly number[], allowed: Allowed): Query<PassageDetail> {
  const parameters = new Parameters();
  const ids = parameters.add(JSON.stringify(passageIds));
  return query(
    `SELECT ${STORED_DOCUMENT_COLUMNS}, p.id AS passage_id, p.heading_path, p.first_line, p.last_line,
       substr(b.body, p.start + 1, p.length) AS passage, b.preface
     FROM json_each(${ids}) AS wanted
     JOIN passages p ON p.id = wanted.value
     JOIN documents d ON d.id = p.document_id
     JOIN bodies b ON b.document_id = d.id
     JOIN repos r ON r.id = d.repo_id
     WHERE ${documentPredicate({}, allowed, parameters)}`,
    parameters.values,
    decodePassage,
  );
}

/** Documents by id, without any text; in no particular order. */
export function documentsQuery(documentIds: readonly number[], allowed: Allowed): Query<StoredDocument> {
  const parameters = new Parameters();
  const ids = parameters.add(JSON.stringify(documentIds));
  return query(
    `SELECT ${STORED_DOCUMENT_COLUMNS} FROM json_each(${ids}) AS wanted
     JOIN documents d ON d.id = wanted.value JOIN repos r ON r.id = d.repo_id
     WHERE ${documentPredicate({}, allowed, parameters)}`,
    parameters.values,
    decodeStoredDocument,
  );
}

const bodyRow = z.object({ id: z.int(), content: z.string() });

/**
 * Stored bodies by document id. The body of a diff comes under its commit message, with an empty line between: that is
 * the whole text that was indexed.
 */
export function bodiesQuery(documentIds: readonly number[], allowed: Allowed): Query<z.output<typeof bodyRow>> {
  const parameters = new Parameters();
  const ids = parameters.add(JSON.stringify(documentIds));
  return query(
    `SELECT d.id, CASE WHEN b.preface = '' THEN b.body ELSE b.preface || char(10) || char(10) || b.body END AS content
     FROM json_each(${ids}) AS wanted JOIN documents d ON d.id = wanted.value JOIN bodies b ON b.document_id = d.id
     WHERE ${documentPredicate({}, allowed, parameters)}`,
    parameters.values,
    (row) => bodyRow.parse(row),
  );
}
