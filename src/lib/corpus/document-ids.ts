import * as z from 'zod';
import { type Change, change, type Query, query } from '../engine/database.ts';

/** SQL of the least id above `after` under which a table holds anything, or NULL. Each is one look into an index. */
type Least = (after: string) => string;

const column =
  (table: string, name: string): Least =>
  (after) =>
    `SELECT min(${name}) AS id FROM ${table} WHERE ${name} > ${after}`;
const ofPassages =
  (table: string): Least =>
  (after) =>
    `SELECT min(id) >> 16 AS id FROM ${table} WHERE id >= (${after} + 1) << 16`;
const ofVectors =
  (table: string): Least =>
  (after) =>
    `SELECT min((SELECT min(v.passage_id) FROM ${table} v
       WHERE v.embedder_id = e.id AND v.passage_id >= (${after} + 1) << 16)) >> 16 AS id FROM embedders e`;

const DOCUMENTS = column('documents', 'id');

/** Where something is stored under the id of a document. */
const PLACES = {
  edges: [DOCUMENTS, column('edges', 'document_id')],
  passages: [
    DOCUMENTS,
    column('bodies', 'document_id'),
    column('passages', 'document_id'),
    ofPassages('passages_nat_docsize'),
    ofPassages('passages_code_docsize'),
    ofVectors('passage_vectors'),
    ofVectors('passage_signatures'),
  ],
} as const satisfies Record<string, readonly Least[]>;

/**
 * The next ids of documents, those included that no document has and something is stored under all the same. In their
 * order; however much there is, the query looks for no more than it gives.
 */
export function documentIdsQuery(of: keyof typeof PLACES, after: number, limit: number): Query<number> {
  const next = (id: string) => `(SELECT min(id) FROM (${PLACES[of].map((least) => least(id)).join(' UNION ALL ')}))`;
  return query(
    `WITH RECURSIVE ids (n) AS (
       SELECT ${next('?1')} UNION ALL SELECT ${next('ids.n')} FROM ids WHERE ids.n IS NOT NULL LIMIT ?2)
     SELECT n FROM ids WHERE n IS NOT NULL`,
    [after, limit],
    (row) => z.object({ n: z.int() }).parse(row).n,
  );
}

const RANGE = 'BETWEEN w.value << 16 AND (w.value << 16) + 65535';

/** Removes the full-text rows of documents by id, whether their passages are stored or not. */
export function removeSearchSteps(ids: readonly number[]): Change[] {
  if (ids.length === 0) return [];
  return ['passages_nat', 'passages_code'].map((table) =>
    change(
      `DELETE FROM ${table} WHERE rowid IN (SELECT s.id FROM json_each(?) w CROSS JOIN ${table}_docsize s ON s.id ${RANGE})`,
      [JSON.stringify(ids)],
    ),
  );
}

/** Removes the passages of documents by id, with all that is stored for them. */
export function removePassagesSteps(ids: readonly number[]): Change[] {
  if (ids.length === 0) return [];
  const given = [JSON.stringify(ids)];
  return [
    change(
      `DELETE FROM passages WHERE document_id IN (SELECT value FROM json_each(?1))
         OR id IN (SELECT p.id FROM json_each(?1) w CROSS JOIN passages p ON p.id ${RANGE})`,
      given,
    ),
    ...removeSearchSteps(ids),
    ...['passage_vectors', 'passage_signatures'].map((table) =>
      change(
        `DELETE FROM ${table} WHERE (embedder_id, passage_id) IN (
           SELECT e.id, v.passage_id FROM json_each(?) w CROSS JOIN embedders e
           CROSS JOIN ${table} v ON v.embedder_id = e.id AND v.passage_id ${RANGE})`,
        given,
      ),
    ),
  ];
}

/** Removes what is stored under ids that no document has. */
export function removeOrphansSteps(ids: readonly number[]): Change[] {
  if (ids.length === 0) return [];
  return [
    ...removePassagesSteps(ids),
    change('DELETE FROM bodies WHERE document_id IN (SELECT value FROM json_each(?))', [JSON.stringify(ids)]),
  ];
}

const stored = z.object({
  document_id: z.int(),
  nat: z.string(),
  code: z.string(),
  vectors: z.int(),
  unpaired: z.int(),
});

/** What is stored for the passages of a document. */
export interface StoredSearch {
  readonly documentId: number;
  /** Ids of its full-text rows, ascending, by table. */
  readonly nat: readonly number[];
  readonly code: readonly number[];
  readonly vectors: number;
  /** Vectors without passage or signature, and signatures without vector. */
  readonly unpaired: number;
}

const rowids = (text: string): number[] =>
  z
    .array(z.int())
    .parse(JSON.parse(text))
    .sort((a, b) => a - b);

/** What is stored for the passages of documents by id. */
export function storedSearchQuery(ids: readonly number[]): Query<StoredSearch> {
  const rows = (table: string) => `(SELECT json_group_array(s.id) FROM ${table}_docsize s WHERE s.id ${RANGE})`;
  const count = (table: string, where: string) =>
    `(SELECT count(*) FROM embedders e CROSS JOIN ${table} v ON v.embedder_id = e.id AND v.passage_id ${RANGE} ${where})`;
  const lacks = (table: string) =>
    `NOT EXISTS (SELECT 1 FROM ${table} o WHERE o.embedder_id = v.embedder_id AND o.passage_id = v.passage_id)`;
  return query(
    `SELECT w.value AS document_id, ${rows('passages_nat')} AS nat, ${rows('passages_code')} AS code,
       ${count('passage_vectors', '')} AS vectors,
       ${count(
         'passage_vectors',
         `WHERE ${lacks('passage_signatures')} OR NOT EXISTS (SELECT 1 FROM passages p WHERE p.id = v.passage_id)`,
       )} + ${count('passage_signatures', `WHERE ${lacks('passage_vectors')}`)} AS unpaired
     FROM json_each(?) w`,
    [JSON.stringify(ids)],
    (row) => {
      const { document_id, nat, code, ...counts } = stored.parse(row);
      return { documentId: document_id, nat: rowids(nat), code: rowids(code), ...counts };
    },
  );
}
