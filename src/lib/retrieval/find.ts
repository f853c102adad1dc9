import type { Filters } from '../corpus/filters.ts';
import type { Engine } from '../engine/engine.ts';
import { aggregate, type Group } from './aggregate.ts';
import { candidatesQuery } from './candidates.ts';
import { fetchQuery, requireAll } from './fetch.ts';
import { filtersOf } from './filter-input.ts';
import { buildFtsQuery } from './fts-query.ts';
import { reciprocalRankFusion } from './fusion.ts';
import type { Hit } from './hit.ts';
import { scanQuery } from './scan.ts';
import { DEFAULT_SCAN_WINDOW_MS, type SearchInput, type SearchOutput } from './search-contract.ts';
import { poolOf, sparseRanking } from './sparse-ranking.ts';

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
export interface Found {
  readonly groups: readonly Group<Hit>[];
  readonly truncated: boolean;
  readonly sparseCandidates: number;
}

/** Finds what matches: one round trip. */
export async function findHits(engine: Engine, input: SearchInput, { effective, mode }: Plan): Promise<Found> {
  const { top_k: limit, sort, sources = [] } = input;
  if (mode === 'fetch') {
    const [fetched] = await engine.database.read([fetchQuery(sources, effective)]);
    const hits = requireAll(sources, fetched);
    const groups = hits.map((representative) => ({ representative, others: [], count: 0 }));
    return { groups, truncated: false, sparseCandidates: 0 };
  }
  if (mode === 'scan') {
    const order = sort === 'created_desc' ? 'created_at' : 'updated_at';
    const scan = scanQuery(effective, order, { entities: limit + 1, rows: MAX_ROWS });
    const [hits] = await engine.database.read([scan]);
    const groups = aggregate(hits, limit + 1).map((group) => ({
      ...group,
      count: group.representative.entityRows - 1,
    }));
    return { groups: groups.slice(0, limit), truncated: groups.length > limit, sparseCandidates: 0 };
  }
  const hits = await sparseHits(engine, input, effective);
  return { groups: aggregate(inOrder(hits, sort), limit), truncated: false, sparseCandidates: hits.length };
}

async function sparseHits(engine: Engine, input: SearchInput, filters: Filters): Promise<Hit[]> {
  const { query = '', top_k: entities, sort, fusion } = input;
  if (fusion === 'dense_only') return [];
  const pool = Math.max(50, entities * 5);
  const by = sort === 'relevance' ? 'score' : timeOf(sort);
  const candidates = candidatesQuery(buildFtsQuery(query), filters, { pool, entities, by });
  if (candidates === undefined) return [];
  const [rows] = await engine.database.read([candidates]);
  const ranking = sparseRanking(rows);
  // A time sort takes all of them: the newest may rank last.
  const kept = by === 'score' ? poolOf(ranking, pool, entities) : ranking;
  return kept.map((hit) => ({
    passageId: hit.passageId,
    documentId: hit.documentId,
    entity: hit.entity,
    type: hit.type,
    createdAt: hit.createdAt,
    updatedAt: hit.updatedAt,
    score: reciprocalRankFusion([hit.rank]),
    sparseScore: hit.score,
    sparseRank: hit.rank,
    denseScore: null,
    denseRank: null,
    rerankScore: null,
  }));
}

function timeOf(sort: 'updated_desc' | 'created_desc'): 'updated_at' | 'created_at' {
  return sort === 'updated_desc' ? 'updated_at' : 'created_at';
}

function inOrder(hits: readonly Hit[], sort: SearchInput['sort']): readonly Hit[] {
  if (sort === 'relevance') return hits;
  const time = (hit: Hit): number => (sort === 'updated_desc' ? hit.updatedAt : hit.createdAt);
  return hits.toSorted((a, b) => time(b) - time(a) || a.documentId - b.documentId);
}
