import * as z from 'zod';
import { type Guard, guard, type Query, query, type SqlRow } from '../engine/database.ts';
import { DOCUMENT_TYPE_NAMES } from './document-types.ts';

const placeRow = z.object({
  passage_id: z.int(),
  document_id: z.int(),
  heading_path: z.string(),
  start: z.int(),
  length: z.int(),
});

/** A passage by its place in the body of its document, in code points. */
export interface PassagePlace {
  readonly passageId: number;
  readonly documentId: number;
  readonly headingPath: readonly string[];
  readonly start: number;
  readonly length: number;
}

const headings = z.array(z.string());

/** The place in a row of its columns. */
export function decodePlace(row: SqlRow): PassagePlace {
  const { passage_id, document_id, heading_path, start, length } = placeRow.parse(row);
  return {
    passageId: passage_id,
    documentId: document_id,
    headingPath: headings.parse(JSON.parse(heading_path)),
    start,
    length,
  };
}

/** The passages of documents, in the order of their ids. */
export function passagesOfQuery(documentIds: readonly number[]): Query<PassagePlace> {
  return query(
    `SELECT p.id AS passage_id, p.document_id, p.heading_path, p.start, p.length FROM json_each(?) AS wanted
     JOIN passages p ON p.document_id = wanted.value ORDER BY p.id`,
    [JSON.stringify(documentIds)],
    decodePlace,
  );
}

/** Of the passages with the greatest ids, `newest` of them, at most `most`, evenly spread; in the order of their ids. */
export function newestPassagesQuery(newest: number, most: number): Query<PassagePlace> {
  return query(
    `SELECT p.id AS passage_id, p.document_id, p.heading_path, p.start, p.length FROM passages p WHERE p.id IN (
       SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id DESC) - 1 AS place FROM passages ORDER BY id DESC LIMIT ?1)
       WHERE place % ?2 = 0) ORDER BY p.id`,
    [newest, Math.max(1, Math.ceil(newest / most))],
    decodePlace,
  );
}

const textRow = z.object({
  document_id: z.int(),
  repo: z.string(),
  entity: z.string(),
  type: z.enum(DOCUMENT_TYPE_NAMES),
  title: z.string(),
  preface: z.string(),
  body: z.string(),
  content_hash: z.string(),
});

/** What the text of passages is made from. */
export type DocumentText = z.output<typeof textRow>;

/** Texts of documents by id. */
export function documentTextsQuery(documentIds: readonly number[]): Query<DocumentText> {
  return query(
    `SELECT d.id AS document_id, r.slug AS repo, d.entity, d.type, d.title, b.preface, b.body, d.content_hash FROM json_each(?) AS wanted
     JOIN documents d ON d.id = wanted.value JOIN bodies b ON b.document_id = d.id JOIN repos r ON r.id = d.repo_id`,
    [JSON.stringify(documentIds)],
    (row) => textRow.parse(row),
  );
}

/** Holds while documents are as they were read; without a hash: while there is none of that id. */
export function textsUnchanged(
  texts: readonly { readonly document_id: number; readonly content_hash: string | null }[],
): Guard {
  return guard(
    'texts',
    `NOT EXISTS (SELECT 1 FROM json_each(?) seen LEFT JOIN documents d ON d.id = seen.value ->> 0
       WHERE d.content_hash IS NOT seen.value ->> 1)`,
    [JSON.stringify(texts.map(({ document_id, content_hash }) => [document_id, content_hash]))],
  );
}

/** Holds while passages are where they were. */
export function placesUnchanged(places: readonly PassagePlace[]): Guard {
  return guard(
    'places',
    `NOT EXISTS (SELECT 1 FROM json_each(?) seen LEFT JOIN passages p ON p.id = seen.value ->> 0
       WHERE p.start IS NOT seen.value ->> 1 OR p.length IS NOT seen.value ->> 2)`,
    [JSON.stringify(places.map(({ passageId, start, length }) => [passageId, start, length]))],
  );
}
