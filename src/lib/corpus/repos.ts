import * as z from 'zod';
import { formatTime } from '../core/time.ts';
import { type Change, change, query } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import { allowedSlug, Parameters } from './filters.ts';

const slugRow = z.object({ slug: z.string() });

/**
 * The indexed repository of a name, as it is spelt in the index; undefined where it is not indexed, or not allowed. One
 * round trip.
 */
export async function indexedSlug(
  { database, allowed }: Pick<Engine, 'database' | 'allowed'>,
  slug: string,
): Promise<string | undefined> {
  const parameters = new Parameters();
  const conditions = [`slug = ${parameters.add(slug)}`, 'indexed_at IS NOT NULL'];
  conditions.push(...allowedSlug(allowed, 'slug', parameters));
  const [[row]] = await database.read([
    query(`SELECT slug FROM repos WHERE ${conditions.join(' AND ')}`, parameters.values, (each) => slugRow.parse(each)),
  ]);
  return row?.slug;
}

/** Notes that all of a repository was looked at, whether or not anything was new; `now` in milliseconds. */
export function lookedAt(slug: string, now: number): Change {
  return change('UPDATE repos SET indexed_at = ? WHERE slug = ?', [formatTime(now), slug]);
}
