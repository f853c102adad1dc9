import { markQuery } from '../admin/db-copy-mark.ts';
import type { Engine } from '../engine/engine.ts';

/** What a person is told of a database into which a copy was begun and not finished; it looks whole. */
export const UNFINISHED_COPY =
  'This database is an unfinished copy, a part of its source: run the same gh-rag db copy again before you use it, or make a new copy.';

/** {@link UNFINISHED_COPY} of such a file. Of a server nothing: the round trip would be a third of a search; `status` tells. */
export async function copyNotes({ database }: Pick<Engine, 'database'>): Promise<string[]> {
  if (database.backend !== 'local') return [];
  const [marks] = await database.read([markQuery()]);
  return marks.length === 0 ? [] : [UNFINISHED_COPY];
}
