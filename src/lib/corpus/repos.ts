import * as z from 'zod';
import { type Database, query } from '../engine/database.ts';

const slugRow = z.object({ slug: z.string() });

/** The indexed repository of a name, as it is spelt in the index; undefined where it is not indexed. One round trip. */
export async function indexedSlug(database: Database, slug: string): Promise<string | undefined> {
  const [[row]] = await database.read([
    query('SELECT slug FROM repos WHERE slug = ? AND indexed_at IS NOT NULL', [slug], (each) => slugRow.parse(each)),
  ]);
  return row?.slug;
}
