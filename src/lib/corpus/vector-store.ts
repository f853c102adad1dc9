import * as z from 'zod';
import type { Allowed } from '../engine/allow-list.ts';
import { DOCUMENT_TYPE_NAMES } from './document-types.ts';
import { allowedRepo, Parameters } from './filters.ts';
import {
  type Change,
  change,
  type Guard,
  guard,
  type Query,
  query,
  type SqlRow,
  type SqlValue,
  type WriteStep,
} from '../engine/database.ts';

/** What made vectors that are stored. */
export interface StoredEmbedder {
  readonly id: number;
  readonly name: string;
  readonly kind: 'lsa' | 'endpoint';
  readonly dimensions: number;
  /** Passages that there were when it was trained; 0 of an endpoint. */
  readonly trainedOn: number;
  /** Searches use the newest that is `ready`. */
  readonly state: 'training' | 'filling' | 'ready';
}

const embedderRow = z.object({
  id: z.int(),
  name: z.string(),
  kind: z.enum(['lsa', 'endpoint']),
  dimensions: z.int(),
  trained_on: z.int(),
  state: z.enum(['training', 'filling', 'ready']),
});

/** The embedders, the newest first. An endpoint of which nothing is stored is none: its name binds no dimensions. */
export function embeddersQuery(): Query<StoredEmbedder> {
  return embeddersWhere(`kind = 'lsa' OR EXISTS (SELECT 1 FROM passage_vectors v WHERE v.embedder_id = e.id)`);
}

/** As {@link embeddersQuery}, with the endpoints of which nothing is stored any more. */
export function allEmbeddersQuery(): Query<StoredEmbedder> {
  return embeddersWhere('true');
}

function embeddersWhere(condition: string): Query<StoredEmbedder> {
  return query(
    `SELECT id, name, kind, dimensions, trained_on, state FROM embedders e
     WHERE ${condition} ORDER BY id DESC`,
    [],
    (row) => {
      const { trained_on: trainedOn, ...rest } = embedderRow.parse(row);
      return { ...rest, trainedOn };
    },
  );
}

/** Dimensions that libSQL stores at most. */
export const MAX_DIMENSIONS = 65_536;

/**
 * Makes an endpoint known, in the batch that stores its first vectors; the batch fails where vectors of other dimensions are
 * stored under its name.
 */
export function introduceEndpoint(name: string, dimensions: number): WriteStep[] {
  return [
    change(
      `INSERT INTO embedders (name, kind, dimensions, trained_on, state) VALUES (?, 'endpoint', ?, 0, 'ready')
       ON CONFLICT (name) DO UPDATE SET dimensions = excluded.dimensions
       WHERE NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.embedder_id = embedders.id)`,
      [name, dimensions],
    ),
    guard('dimensions', 'EXISTS (SELECT 1 FROM embedders WHERE name = ? AND dimensions = ?)', [name, dimensions]),
  ];
}

/** Makes an embedder known; one of the same name stays, and is trained on as much as is said now. */
export function insertEmbedder({ name, kind, dimensions, trainedOn, state }: Omit<StoredEmbedder, 'id'>): Change {
  return change(
    'INSERT INTO embedders (name, kind, dimensions, trained_on, state) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET trained_on = excluded.trained_on',
    [name, kind, dimensions, trainedOn, state],
  );
}

/** A condition on passages `p`: an embedder has yet to make their vectors; `embedder` is an SQL expression of its id. */
function missing(embedder: string): string {
  return `NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.embedder_id = ${embedder} AND v.passage_id = p.id)`;
}

/** Which passages are embedded: those after an id, of what is allowed, up to a limit, in the order of their ids. */
export interface MissingPassages {
  readonly embedderId: number;
  readonly after: number;
  readonly limit: number;
  readonly allowed: Allowed;
}

/** What stands after FROM for them. */
function missingPassages({ embedderId, after, limit, allowed }: MissingPassages, parameters: Parameters): string {
  const conditions = [
    missing(parameters.add(embedderId)),
    `p.id > ${parameters.add(after)}`,
    ...allowedRepo(allowed, parameters).map(
      (condition) => `EXISTS (SELECT 1 FROM documents d WHERE d.id = p.document_id AND ${condition})`,
    ),
  ];
  return `passages p WHERE ${conditions.join(' AND ')} ORDER BY p.id LIMIT ${parameters.add(limit)}`;
}

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

function decodePlace(row: SqlRow): PassagePlace {
  const { passage_id, document_id, heading_path, start, length } = placeRow.parse(row);
  return {
    passageId: passage_id,
    documentId: document_id,
    headingPath: headings.parse(JSON.parse(heading_path)),
    start,
    length,
  };
}

/** Passages that have no vector of an embedder. */
export function missingPassagesQuery(wanted: MissingPassages): Query<PassagePlace> {
  const parameters = new Parameters();
  return query(
    `SELECT p.id AS passage_id, p.document_id, p.heading_path, p.start, p.length FROM ${missingPassages(wanted, parameters)}`,
    parameters.values,
    decodePlace,
  );
}

/** How many passages have no vector of an embedder, and the last of them. */
export function missingCountQuery(
  wanted: MissingPassages,
): Query<{ readonly passages: number; readonly last: number | null }> {
  const parameters = new Parameters();
  return query(
    `SELECT count(*) AS passages, max(id) AS last FROM (SELECT p.id FROM ${missingPassages(wanted, parameters)})`,
    parameters.values,
    (row) => z.object({ passages: z.int(), last: z.int().nullable() }).parse(row),
  );
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

/** How many passages there are (of no embedder), or have a vector of an embedder. */
export interface Coverage {
  readonly embedderId: number | null;
  readonly passages: number;
}

/** How many of the passages that `embedder` has made vectors of, by rows of {@link coverageQuery}; null: how many there are. */
export function covered(
  coverage: readonly Coverage[],
  embedder: Pick<StoredEmbedder, 'id'> | null | undefined,
): number {
  if (embedder === undefined) return 0;
  return coverage.find(({ embedderId }) => embedderId === (embedder?.id ?? null))?.passages ?? 0;
}

/** What stands after FROM where the passages of what is allowed are counted. */
export function allowedPassages(allowed: Allowed, parameters: Parameters): string {
  const where = allowedRepo(allowed, parameters).map((condition) => ` WHERE ${condition}`);
  return where.length === 0 ? 'passages' : `passages p CROSS JOIN documents d ON d.id = p.document_id${where.join('')}`;
}

/** How many passages there are of what is allowed, and how many have a vector of each embedder. */
export function coverageQuery(allowed: Allowed): Query<Coverage> {
  const parameters = new Parameters();
  const where = allowedRepo(allowed, parameters).map((condition) => ` d WHERE ${condition}`);
  return query(
    `SELECT NULL AS id, count(*) AS n FROM ${allowedPassages(allowed, parameters)}
     UNION ALL SELECT embedder_id, count(*) FROM passage_signatures${where.join('')} GROUP BY embedder_id`,
    parameters.values,
    (row) => {
      const { id, n } = z.object({ id: z.int().nullable(), n: z.int() }).parse(row);
      return { embedderId: id, passages: n };
    },
  );
}

/** A stored passage by id, or one that is stored by the same batch, by the key of its document. */
export type PassageId = number | { readonly key: string; readonly ordinal: number };

/** A vector to be stored, of unit length; zero where there was nothing to embed. */
export interface PassageVector {
  readonly passage: PassageId;
  readonly vector: Float32Array;
}

/** Rows of one statement; each has three arguments, and SQLite takes some 32,000. */
const ROWS = 500;

/**
 * Stores vectors by the embedder of a name, of passages that are stored, or are by an earlier step of the batch. Nothing where the embedder was
 * removed meanwhile.
 */
export function vectorSteps(embedder: string, vectors: readonly PassageVector[]): Change[] {
  const steps: Change[] = [];
  for (let from = 0; from < vectors.length; from += ROWS) {
    const args: SqlValue[] = [embedder];
    const values = vectors.slice(from, from + ROWS).map(({ passage, vector }) => {
      args.push(...(typeof passage === 'number' ? [passage, null] : [passage.ordinal, passage.key]), bytesOf(vector));
      const at = args.length;
      return `(?${String(at - 2)}, ?${String(at - 1)}, ?${String(at)})`;
    });
    steps.push(
      change(
        `WITH given (passage, key, vector) AS (VALUES ${values.join(', ')})
         INSERT INTO passage_vectors (embedder_id, passage_id, vector)
         SELECT e.id, p.id, vector8(given.vector) FROM given JOIN embedders e ON e.name = ?1 JOIN passages p ON p.id = CASE WHEN given.key IS NULL
           THEN given.passage ELSE (SELECT id FROM documents WHERE key = given.key) * 65536 + given.passage END
         WHERE true ON CONFLICT DO NOTHING`,
        args,
      ),
    );
  }
  return steps;
}

/** libSQL stores the bytes of a vector in words of this many, and does not say what it fills the last one with. */
const WORD = 4;

/**
 * A vector as libSQL reads it: 32-bit floats, little-endian; zeros up to a whole word, which no distance notices, so that
 * equal vectors are stored as equal bytes.
 */
export function bytesOf(vector: Float32Array): Uint8Array {
  const whole = new Float32Array(Math.ceil(vector.length / WORD) * WORD);
  whole.set(vector);
  return new Uint8Array(whole.buffer);
}

/** Removes an embedder with all that it made. */
export function removeEmbedderSteps(embedderId: number): Change[] {
  return ['passage_vectors', 'lsa_terms']
    .map((table) => change(`DELETE FROM ${table} WHERE embedder_id = ?`, [embedderId]))
    .concat(change('DELETE FROM embedders WHERE id = ?', [embedderId]));
}

/** Moves an embedder on. */
export function setEmbedderState(embedderId: number, state: StoredEmbedder['state']): Change {
  return change('UPDATE embedders SET state = ? WHERE id = ?', [state, embedderId]);
}

/** Holds while every passage has a vector of the embedder. */
export function everythingEmbedded(embedderId: number): Guard {
  return guard('complete', `NOT EXISTS (SELECT 1 FROM passages p WHERE ${missing('?')})`, [embedderId]);
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
