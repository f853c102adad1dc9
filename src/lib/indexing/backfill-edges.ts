import * as z from 'zod';
import { otherEdgesQuery, writeEdges } from '../corpus/edge-store.ts';
import { textsUnchanged } from '../corpus/passage-texts.ts';
import { wholeDocumentsQuery } from '../corpus/whole-document.ts';
import { change, type Guard, guard, type Query, query } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import type { BackfillSurface } from '../operation/backfill-surface.ts';
import { edgesOf } from './edges.ts';
import { type RepairPlan, repairPart } from './repair-part.ts';

/**
 * The repair `edges`: finds the edges of stored documents anew and replaces those that differ, among them mentions of wiki
 * pages that came or went. What was learned of edges is kept by their names, apart from them, and stays.
 */
export const edgesBackfill: BackfillSurface = {
  name: 'edges',
  of: 'index',
  description: 'finds the edges of stored texts anew, and replaces those that differ; what was learned of them stays.',
  run: (engine, part) => repairPart(engine, part, 'edges', (ids) => planOf(engine, ids)),
};

async function planOf({ database }: Engine, ids: readonly number[]): Promise<RepairPlan> {
  const [documents, slugs] = await database.read([wholeDocumentsQuery(ids), wikiSlugsQuery(ids)]);
  const wikiSlugs = new Map(slugs.map(({ repo, slugs: text }) => [repo, new Set(names.parse(JSON.parse(text)))]));
  const found = documents.flatMap(({ key, document }) => {
    if (document === undefined) return [];
    const { repo } = document;
    return [{ key, repo, edges: edgesOf(document, { wikiSlugs: wikiSlugs.get(repo) ?? new Set() }) }];
  });
  const [other] = await database.read([otherEdgesQuery(found)]);
  const differ = new Set(other);
  const known = new Set(documents.map(({ id }) => id));
  const orphans = ids.filter((id) => !known.has(id));
  const seen = [
    ...documents.flatMap(({ id, key, contentHash }) =>
      differ.has(key) ? [{ document_id: id, content_hash: contentHash }] : [],
    ),
    ...orphans.map((id) => ({ document_id: id, content_hash: null })),
  ];
  const steps = [
    textsUnchanged(seen),
    wikiSlugsUnchanged(slugs),
    change('DELETE FROM edges WHERE document_id IN (SELECT value FROM json_each(?))', [JSON.stringify(orphans)]),
    ...writeEdges(
      found.filter(({ key }) => differ.has(key)),
      other,
    ),
  ];
  return { steps, repaired: seen.length, notes: [] };
}

const names = z.array(z.string());
const slugsRow = z.object({ repo: z.string(), slugs: z.string() });
type WikiSlugs = z.output<typeof slugsRow>;

const SLUGS = `(SELECT json_group_array(path) FROM (
  SELECT p.path FROM documents p WHERE p.repo_id = r.id AND p.type = 'wiki_doc' AND p.path IS NOT NULL ORDER BY p.path))`;

/** The slugs of all wiki pages, as a JSON list, of each repository with a page among some documents. */
function wikiSlugsQuery(ids: readonly number[]): Query<WikiSlugs> {
  return query(
    `SELECT r.slug AS repo, ${SLUGS} AS slugs FROM repos r WHERE r.id IN (
       SELECT d.repo_id FROM json_each(?) w CROSS JOIN documents d ON d.id = w.value WHERE d.type = 'wiki_doc')`,
    [JSON.stringify(ids)],
    (row) => slugsRow.parse(row),
  );
}

/** Holds while no page came or went. */
function wikiSlugsUnchanged(slugs: readonly WikiSlugs[]): Guard {
  return guard(
    'wiki pages',
    `NOT EXISTS (SELECT 1 FROM json_each(?) seen JOIN repos r ON r.slug = seen.value ->> 'repo'
       WHERE ${SLUGS} IS NOT seen.value ->> 'slugs')`,
    [JSON.stringify(slugs)],
  );
}
