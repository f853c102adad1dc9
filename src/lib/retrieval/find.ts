import type { Filters } from '../corpus/filters.ts';
import type { Engine } from '../engine/engine.ts';
import { aggregate, type Group } from './aggregate.ts';
import { fetchQuery, requireAll } from './fetch.ts';
import { filtersOf } from './filter-input.ts';
import type { Hit } from './hit.ts';
import { type Ranking, rank, UNRANKED } from './rank.ts';
import { scanQuery } from './scan.ts';
import { DEFAULT_SCAN_WINDOW_MS, type SearchInput, type SearchOutput } from './search-contract.ts';

/** An answer names folded rows until it has this many rows, and always some: agents pay for every character. */
export const MAX_ROWS = 11;

const EARLIEST_TIME_MS = -8.64e15;

/** What a search is about to do. */
export interface Plan {
  readonly mode: SearchOutput['mode'];
  /** As asked for; what `filters_unmatched` is about. */
  readonly asked: Filters;
  /** With the default window of a scan. */
  readonly effective: Filters;
}

/** Chooses the mode, and the window of a scan; `now` in milliseconds. */
export function planOf(input: SearchInput, now: number): Plan {
  const asked = filtersOf(input, now);
  if (input.sources !== undefined) return { mode: 'fetch', asked, effective: asked };
  if (input.query !== undefined && input.query.trim() !== '') return { mode: 'search', asked, effective: asked };
  const until = asked.until ?? now + 1;
  const since = asked.since ?? Math.max(EARLIEST_TIME_MS, (asked.until ?? now) - DEFAULT_SCAN_WINDOW_MS);
  return { mode: 'scan', asked, effective: { ...asked, since, until } };
}

/** What matches, folded by entity, best first. */
export interface Found extends Omit<Ranking, 'hits'> {
  readonly groups: readonly Group<Hit>[];
  readonly truncated: boolean;
}

/** Finds what matches: one round trip, and a second one where vectors are compared. */
export async function findHits(engine: Engine, input: SearchInput, { effective, mode }: Plan): Promise<Found> {
  const { top_k: limit, sort, sources = [] } = input;
  if (mode === 'fetch') {
    const [fetched] = await engine.database.read([fetchQuery(sources, effective, engine.allowed)]);
    const hits = requireAll(sources, fetched);
    const groups = hits.map((representative) => ({ representative, others: [], count: 0 }));
    return { groups, truncated: false, ...UNRANKED };
  }
  if (mode === 'scan') {
    const order = sort === 'created_desc' ? 'created_at' : 'updated_at';
    const scan = scanQuery(effective, engine.allowed, order, { entities: limit + 1, rows: MAX_ROWS });
    const [hits] = await engine.database.read([scan]);
    const groups = aggregate(hits, limit + 1).map((group) => ({
      ...group,
      count: group.representative.entityRows - 1,
    }));
    return { groups: groups.slice(0, limit), truncated: groups.length > limit, ...UNRANKED };
  }
  const { hits, ...found } = await rank(engine, input, effective);
  return { groups: aggregate(inOrder(hits, sort), limit), truncated: false, ...found };
}

function inOrder(hits: readonly Hit[], sort: SearchInput['sort']): readonly Hit[] {
  if (sort === 'relevance') return hits;
  const time = (hit: Hit): number => (sort === 'updated_desc' ? hit.updatedAt : hit.createdAt);
  return hits.toSorted((a, b) => time(b) - time(a) || a.documentId - b.documentId);
}
