import * as z from 'zod';
import { allowedRepo, documentPredicate, type Filters, filterConditions, Parameters } from '../corpus/filters.ts';
import { type StoredEmbedder } from '../corpus/embedder-store.ts';
import { bytesOf } from '../corpus/vector-store.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import { OPENING } from './opening.ts';

/** Signatures that are compared by their vectors. */
const SHORTLIST = 200;
/** How many of the nearest passages come with how they begin; others that are used are judged by their titles alone. */
const WITH_TEXT = 60;

const denseRow = z.object({
  passage_id: z.int(),
  document_id: z.int(),
  entity: z.string(),
  type: z.string(),
  title: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
  score: z.number(),
  near: z.int().transform(Boolean),
  opening: z.string().nullable(),
});

/** A passage with its similarity to the question. */
export type DenseRow = z.output<typeof denseRow>;

/** What a signature tells of its document without a look at it. */
const IN_SIGNATURE: ReadonlySet<keyof Filters> = new Set(['repo', 'type']);

/**
 * The dense side as one statement: the nearest passages that the filters let through by the Hamming distance of their
 * signatures, compared by the cosine of their vectors; `near` rows are those, best first. Beside them the passages that
 * `others` names, with their similarity. The first of the near ones come with how they begin, and no more of them: what travels is bounded.
 */
export function denseQuery(
  vector: Float32Array,
  { id }: StoredEmbedder,
  filters: Filters,
  allowed: Allowed,
  others: readonly number[],
): Query<DenseRow> {
  const parameters = new Parameters();
  const asked = parameters.add(bytesOf(vector));
  const embedder = parameters.add(id);
  const ids = parameters.add(JSON.stringify(others));
  const signatures = `FROM passage_signatures AS d WHERE d.embedder_id = ${embedder}`;
  const conditions = filterConditions(filters, parameters);
  const known = [...conditions].flatMap(([name, condition]) => (IN_SIGNATURE.has(name) ? [condition] : []));
  const unknown = [...conditions].some(([name]) => !IN_SIGNATURE.has(name));
  const predicate = documentPredicate(filters, allowed, parameters);
  const shortlisted = [
    ...allowedRepo(allowed, parameters),
    ...known,
    ...(unknown ? [`d.passage_id >> 16 IN (SELECT d.id FROM documents d WHERE ${predicate})`] : []),
  ];
  // A question's vector in a subquery is converted once, and not for every row.
  const sql = `WITH near AS MATERIALIZED (
      SELECT d.passage_id ${[signatures, ...shortlisted].join(' AND ')}
      ORDER BY vector_distance_cos(d.signature, (SELECT vector1bit(${asked}))), d.passage_id LIMIT ${String(SHORTLIST)}),
    looked AS MATERIALIZED (SELECT passage_id FROM near UNION SELECT value FROM json_each(${ids})),
    scored AS MATERIALIZED (
      SELECT v.passage_id, 1 - vector_distance_cos(v.vector, (SELECT vector8(${asked}))) AS score
      FROM looked CROSS JOIN passage_vectors v ON v.embedder_id = ${embedder} AND v.passage_id = looked.passage_id),
    placed AS MATERIALIZED (
      SELECT *, row_number() OVER (ORDER BY near DESC, score DESC, passage_id) AS place FROM (
        SELECT *, passage_id IN (SELECT passage_id FROM near) AS near FROM scored WHERE score IS NOT NULL))
    SELECT s.passage_id, d.id AS document_id, d.entity, d.type, d.title, d.created_at, d.updated_at, s.score, s.near,
      CASE WHEN s.place <= ${String(WITH_TEXT)} THEN ${OPENING} END AS opening
    FROM placed s CROSS JOIN documents d ON d.id = s.passage_id >> 16
      CROSS JOIN passages p ON p.id = s.passage_id CROSS JOIN bodies b ON b.document_id = d.id
    WHERE ${predicate} ORDER BY s.score DESC, s.passage_id`;
  return query(sql, parameters.values, (row) => denseRow.parse(row));
}
