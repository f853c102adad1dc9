import * as z from 'zod';
import { documentPredicate, type Filters, Parameters } from '../corpus/filters.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import { firstPassage, type Hit, unrankedHit } from './hit.ts';

const scanRow = z.object({
  document_id: z.int(),
  entity: z.string(),
  type: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
  entity_rows: z.int(),
});

/** A row of a scan, and how many rows its entity has in the window, itself included. */
export type ScanHit = Hit & { readonly entityRows: number };

/**
 * The newest documents, folded by entity inside the statement so that the cut counts entities: gives `entities` of
 * them, and of each at most `rows`.
 */
export function scanQuery(
  filters: Filters,
  allowed: Allowed,
  order: 'updated_at' | 'created_at',
  cut: { readonly entities: number; readonly rows: number },
): Query<ScanHit> {
  const parameters = new Parameters();
  const predicate = documentPredicate(filters, allowed, parameters);
  return query(
    `WITH matching AS MATERIALIZED (
       SELECT d.id, d.entity, d.type, d.created_at, d.updated_at FROM documents d WHERE ${predicate}),
     newest AS (
       SELECT entity, max(${order}) AS at, max(id) AS last, count(*) AS entity_rows FROM matching GROUP BY entity
       ORDER BY at DESC, last DESC LIMIT ${parameters.add(cut.entities)})
     SELECT document_id, entity, type, created_at, updated_at, entity_rows FROM (
       SELECT m.id AS document_id, m.entity, m.type, m.created_at, m.updated_at, n.at, n.last, n.entity_rows,
         row_number() OVER (PARTITION BY m.entity ORDER BY m.${order} DESC, m.id DESC) AS place
       FROM newest n JOIN matching m ON m.entity = n.entity)
     WHERE place <= ${parameters.add(cut.rows)}
     ORDER BY at DESC, last DESC, entity, place`,
    parameters.values,
    (row) => {
      const { document_id, entity, type, created_at, updated_at, entity_rows } = scanRow.parse(row);
      const hit = unrankedHit({
        passageId: firstPassage(document_id),
        documentId: document_id,
        entity,
        type,
        createdAt: created_at,
        updatedAt: updated_at,
      });
      return { ...hit, entityRows: entity_rows };
    },
  );
}
