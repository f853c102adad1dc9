import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { isReference, splitReference } from '../corpus/reference.ts';
import { documentPredicate, type Filters, Parameters } from '../corpus/filters.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import { firstPassage, type Hit, unrankedHit } from './hit.ts';

const SOURCE_ID = /^src_[A-Za-z0-9_-]{43}$/;

const fetchedRow = z.object({
  place: z.int(),
  passes: z.int(),
  document_id: z.int(),
  entity: z.string(),
  type: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

/** A document that was asked for by name; `place` is the position of the name, from 0. */
export interface Fetched {
  readonly place: number;
  /** Whether the filters let it through. */
  readonly passes: boolean;
  readonly hit: Hit;
}

/**
 * Documents by `src_…` id or canonical reference. Fails with `invalid_input` for a text that is neither; whether each
 * was found is told by {@link requireAll}.
 */
export function fetchQuery(sources: readonly string[], filters: Filters, allowed: Allowed): Query<Fetched> {
  const wanted = sources.map((source, place) => {
    if (SOURCE_ID.test(source)) return { place, by: 'source', value: source };
    const parts = splitReference(source);
    if (parts === undefined) {
      throw new Failure('invalid_input', `sources[${String(place)}]: is neither a source id nor a reference`, {
        hint: 'References look like owner/repo#12, owner/repo:docs/a.md or owner/repo/release/v1.0.0',
      });
    }
    const { repo, commit, rest } = parts;
    if (commit === undefined) return { place, by: 'key', repo, value: rest };
    // A commit may be named by its first digits; `g` comes after every digit.
    return { place, by: 'commit', repo, value: rest, low: commit, high: `${commit}g` };
  });
  const parameters = new Parameters();
  const list = parameters.add(JSON.stringify(wanted));
  const visible = documentPredicate({}, allowed, parameters);
  const columns = `(${documentPredicate(filters, allowed, parameters)}) IS TRUE AS passes, d.id AS document_id, d.entity, d.type, d.created_at, d.updated_at`;
  const named = `SELECT w.value ->> 'place' AS place, ${columns} FROM json_each(${list}) AS w CROSS JOIN documents d`;
  return query(
    `${named} ON d.source_id = w.value ->> 'value' WHERE w.value ->> 'by' = 'source' AND ${visible}
     UNION ALL
     ${named} ON d.key = (SELECT slug FROM repos WHERE slug = w.value ->> 'repo') || (w.value ->> 'value')
     WHERE w.value ->> 'by' = 'key' AND ${visible}
     UNION ALL
     ${named} ON d.commit_sha >= w.value ->> 'low' AND d.commit_sha < w.value ->> 'high'
       AND d.path = w.value ->> 'value' AND d.type = 'diff'
       AND d.repo_id = (SELECT id FROM repos WHERE slug = w.value ->> 'repo')
     WHERE w.value ->> 'by' = 'commit' AND ${visible}`,
    parameters.values,
    (row) => {
      const { place, passes, document_id, entity, type, created_at, updated_at } = fetchedRow.parse(row);
      const hit = unrankedHit({
        passageId: firstPassage(document_id),
        documentId: document_id,
        entity,
        type,
        createdAt: created_at,
        updatedAt: updated_at,
      });
      return { place, passes: passes === 1, hit };
    },
  );
}

/**
 * One hit for each name, in the order asked, without those that a filter keeps out. Fails with `unknown_source` when
 * one is not in the index at all, and with `invalid_input` when the first digits of a commit fit several.
 */
export function requireAll(sources: readonly string[], fetched: readonly Fetched[]): Hit[] {
  return sources.flatMap((source, place) => {
    const [found, another] = fetched.filter((each) => each.place === place);
    if (found === undefined) {
      throw new Failure('unknown_source', `${nameOf(source, place)}: no such source in this index`, {
        hint: 'A newer version has another id; search again, or name it by its reference.',
      });
    }
    if (another !== undefined) {
      throw new Failure('invalid_input', `${nameOf(source, place)}: several commits begin like this`, {
        hint: 'Give more digits.',
      });
    }
    return found.passes ? [found.hit] : [];
  });
}

/** A handle is not repeated; a reference is what a person typed, as far as it fits into a message of one line. */
function nameOf(source: string, place: number): string {
  const field = `sources[${String(place)}]`;
  return isReference(source) && /^[^\p{C}\u2028\u2029]{1,200}$/u.test(source) ? `${field} ${source}` : field;
}
