import * as z from 'zod';
import { documentPredicate, type Filters, Parameters } from '../corpus/filters.ts';
import { type Query, query } from '../engine/database.ts';
import { type Hit, unrankedHit } from './hit.ts';

/** At most this many rows of one entity come with a scan. */
const ROWS_PER_ENTITY = 30;

const scanRow = z.object({
  document_id: z.int(),
  entity: z.string(),
  type: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

/**
 * The newest documents, folded by entity inside the statement so that the cut counts entities: gives `limit + 1` of
 * them, the last one telling that there are more.
 */
export function scanQuery(filters: Filters, order: 'updated_at' | 'created_at', limit: number): Query<Hit> {
  const parameters = new Parameters();
  const predicate = documentPredicate(filters, parameters);
  return query(
    `WITH matching AS MATERIALIZED (
       SELECT d.id, d.entity, d.type, d.created_at, d.updated_at FROM documents d WHERE ${predicate}),
     newest AS (
       SELECT entity, max(${order}) AS at, max(id) AS last FROM matching GROUP BY entity
       ORDER BY at DESC, last DESC LIMIT ${parameters.add(limit + 1)})
     SELECT document_id, entity, type, created_at, updated_at FROM (
       SELECT m.id AS document_id, m.entity, m.type, m.created_at, m.updated_at, n.at, n.last,
         row_number() OVER (PARTITION BY m.entity ORDER BY m.${order} DESC, m.id DESC) AS place
       FROM newest n JOIN matching m ON m.entity = n.entity)
     WHERE place <= ${String(ROWS_PER_ENTITY)}
     ORDER BY at DESC, last DESC, entity, place`,
    parameters.values,
    (row) => {
      const { document_id, entity, type, created_at, updated_at } = scanRow.parse(row);
      return unrankedHit({
        passageId: document_id * 65536,
        documentId: document_id,
        entity,
        type,
        createdAt: created_at,
        updatedAt: updated_at,
      });
    },
  );
}
