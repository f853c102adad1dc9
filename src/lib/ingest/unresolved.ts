import * as z from 'zod';
import type { Document } from '../corpus/document.ts';
import { indexProvenance, sourceId } from '../corpus/provenance.ts';
import { PROVENANCE_COLUMNS, provenanceFields } from '../corpus/provenance-columns.ts';
import { entityKey, referenceOf } from '../corpus/reference.ts';
import { type Change, change, type Guard, guard, type Query, query } from '../engine/database.ts';

const row = z.object({
  id: z.int(),
  key: z.string(),
  contentHash: z.string(),
  ...provenanceFields,
  author: z.string().nullable(),
  createdAt: z.int(),
  updatedAt: z.int(),
  body: z.string(),
  /** Key of another document that is the same artefact and has its identity. */
  twin: z.string().nullable(),
});

/** A document that is stored without a source id. */
export type Unresolved = z.output<typeof row>;

/** Documents of a repository without a source id and after an id, in the order of their ids. */
export function unresolvedQuery(repo: string, after: number, limit: number): Query<Unresolved> {
  return query(
    `SELECT d.id, d.key, d.content_hash AS "contentHash", ${PROVENANCE_COLUMNS}, d.author,
       d.created_at AS "createdAt", d.updated_at AS "updatedAt", b.body,
       (SELECT t.key FROM documents t JOIN bodies tb ON tb.document_id = t.id
        WHERE t.repo_id = d.repo_id AND t.number = d.number AND t.type = d.type AND t.source_id IS NOT NULL
          AND t.author IS d.author AND t.created_at = d.created_at AND tb.body = b.body
          AND (d.path IS NULL OR d.path IS t.path) AND (d.line IS NULL OR t.line IS NULL OR d.line = t.line)
        ORDER BY t.id LIMIT 1) AS twin
     FROM repos r JOIN documents d ON d.repo_id = r.id JOIN bodies b ON b.document_id = d.id
     WHERE r.slug = ? AND d.source_id IS NULL AND d.id > ? ORDER BY d.id LIMIT ?`,
    [repo, after, limit],
    (each) => row.parse(each),
  );
}

/** Whether the index itself tells which artefact it is. */
export function isKnownHere(each: Unresolved): boolean {
  return each.twin !== null || referenceOf(each) !== undefined;
}

/** Steps that give documents the identity that the index knows; one that is stored twice goes. */
export function resolveSteps(rows: readonly Unresolved[]): (Change | Guard)[] {
  const twins = rows.filter(({ twin }) => twin !== null);
  const own = new Map<string, readonly unknown[]>();
  const double = twins.map(({ id }) => id);
  for (const each of rows) {
    const provenance = indexProvenance(each);
    const key = referenceOf(each);
    if (each.twin !== null || provenance === undefined || key === undefined) continue;
    if (own.has(key)) double.push(each.id);
    else own.set(key, [each.id, key, entityKey(each, key), sourceId(provenance)]);
  }
  const given = JSON.stringify([...own.values()]);
  return [
    guard(
      'unresolved',
      `NOT EXISTS (SELECT 1 FROM json_each(?1) seen LEFT JOIN documents d ON d.id = seen.value ->> 0
         WHERE d.content_hash IS NOT seen.value ->> 1 OR d.source_id IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM json_each(?2) WHERE value NOT IN (SELECT key FROM documents WHERE source_id IS NOT NULL))`,
      [
        JSON.stringify(rows.map(({ id, contentHash }) => [id, contentHash])),
        JSON.stringify(twins.map(({ twin }) => twin)),
      ],
    ),
    change('DELETE FROM documents WHERE id IN (SELECT value FROM json_each(?))', [JSON.stringify(double)]),
    // The artefact may be stored under its key already, by another version.
    change(
      `DELETE FROM documents WHERE id IN (SELECT o.value ->> 0 FROM json_each(?) o JOIN documents k ON k.key = o.value ->> 1
         WHERE k.id <> o.value ->> 0)`,
      [given],
    ),
    change(
      `UPDATE documents SET key = o.value ->> 1, entity = o.value ->> 2, source_id = o.value ->> 3
       FROM json_each(?) AS o WHERE documents.id = o.value ->> 0`,
      [given],
    ),
  ];
}

type Told = Pick<Document, 'type' | 'number' | 'author' | 'createdAt' | 'body' | 'path' | 'line'>;

function isSameEvent(a: Told, b: Told): boolean {
  return a.type === b.type && a.number === b.number && a.author === b.author && a.createdAt === b.createdAt;
}

/** Whether a candidate stands in the same place, as far as the row says. */
function isSamePlace(row: Told, { path, line }: Told): boolean {
  return (row.path === null || row.path === path) && (row.line === null || line === null || row.line === line);
}

/**
 * Which candidates a row is: those of the same thread, author, time and text; else the only one of the same thread, author
 * and time, where no other row claims it: its text was edited since. Empty: nobody knows.
 */
export function matchesOf<Candidate extends { readonly document: Told }>(
  row: Told,
  rows: readonly Told[],
  candidates: readonly Candidate[],
): Candidate[] {
  const events = candidates.filter(({ document }) => isSameEvent(row, document) && isSamePlace(row, document));
  const same = events.filter(({ document }) => document.body === row.body);
  if (same.length > 0) return same;
  return events.length === 1 && rows.filter((each) => isSameEvent(row, each)).length === 1 ? events : [];
}
