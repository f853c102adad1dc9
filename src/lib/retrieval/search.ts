import { formatTime } from '../core/time.ts';
import type { Filters } from '../corpus/filters.ts';
import type { Engine } from '../engine/engine.ts';
import type { Principal } from '../engine/principal.ts';
import { activationsOfDocumentsQuery } from '../feedback/activation-store.ts';
import { requirePrincipal } from '../feedback/principal.ts';
import { type MemoryState, revisionQuery } from '../feedback/trace.ts';
import { defineOperation } from '../operation/operation.ts';
import { aggregate, type Group, nameOthers } from './aggregate.ts';
import { candidatesQuery } from './candidates.ts';
import { bodiesQuery, documentsQuery, passagesQuery } from './details.ts';
import { type Expansion, expand, NO_EXPANSION } from './expand.ts';
import { fetchQuery, requireAll } from './fetch.ts';
import { filtersOf } from './filter-input.ts';
import { buildFtsQuery } from './fts-query.ts';
import { reciprocalRankFusion } from './fusion.ts';
import { firstPassage, type Hit } from './hit.ts';
import { graphResults } from './graph-results.ts';
import { nearest } from './nearest.ts';
import { reposQuery, unmatchedFiltersQuery } from './populations.ts';
import { remember } from './remember.ts';
import { resultOf } from './respond.ts';
import { scanQuery } from './scan.ts';
import {
  DEFAULT_SCAN_WINDOW_MS,
  type SearchInput,
  type SearchOutput,
  type SearchResult,
  searchInput,
  searchOutput,
} from './search-contract.ts';
import { snippetFor } from './snippet-for.ts';
import { poolOf, sparseRanking } from './sparse-ranking.ts';

/** An answer names folded rows until it has this many rows, and always some: agents pay for every character. */
const MAX_ROWS = 11;
const MIN_NAMED = 1;

/** Rows with an inlined body, per type. */
const MAX_INLINED = 3;

const EARLIEST_TIME_MS = -8.64e15;

export const search = defineOperation({
  name: 'search',
  title: 'Search the project memory',
  description:
    'Finds issues, pull requests, comments, reviews, releases, docs, wiki pages and commit diffs of the indexed GitHub repositories. With a query: the best matches. Without: the newest activity in [since, until). With sources: the stored bodies of those sources. Results are folded by thread and file.',
  input: searchInput,
  output: searchOutput,
  effect: 'record',
  openWorld: false,
  faces: ['cli', 'mcp'],
  async handler(engine, input) {
    const principal = requirePrincipal(engine);
    const plan = planOf(input, engine.clock.now());
    const found = await findHits(engine, input, plan);
    const expanded = input.graph_expand && found.groups.length > 0;
    const learned = input.use_memory && plan.mode === 'search';
    const graph = expanded ? await expand(engine, principal, { ...input, learned }, found.groups) : NO_EXPANSION;
    const { state, ...shown } =
      found.groups.length === 0
        ? await explainNothing(engine, principal, plan)
        : await show(engine, principal, input, plan, found, graph);
    const answer = {
      count: shown.results.length,
      mode: plan.mode,
      fusion: input.fusion,
      sort: input.sort,
      since: wireTime(plan.effective.since),
      until: wireTime(plan.effective.until),
      truncated: found.truncated,
      dense_candidates: 0,
      sparse_candidates: found.sparseCandidates,
      rerank_requested: input.rerank,
      rerank_applied: false,
      embedder: engine.embedder?.id ?? null,
      graph_expanded: input.graph_expand,
      ...shown,
    };
    return remember(engine, input, answer, { state, complete: graph.complete });
  },
});

interface Plan {
  readonly mode: SearchOutput['mode'];
  /** As asked for; what `filters_unmatched` is about. */
  readonly asked: Filters;
  /** With the default window of a scan. */
  readonly effective: Filters;
}

function planOf(input: SearchInput, now: number): Plan {
  const asked = filtersOf(input, now);
  if (input.sources !== undefined) return { mode: 'fetch', asked, effective: asked };
  if (input.query !== undefined && input.query.trim() !== '') return { mode: 'search', asked, effective: asked };
  const until = asked.until ?? now + 1;
  const since = asked.since ?? Math.max(EARLIEST_TIME_MS, (asked.until ?? now) - DEFAULT_SCAN_WINDOW_MS);
  return { mode: 'scan', asked, effective: { ...asked, since, until } };
}

interface Found {
  readonly groups: readonly Group<Hit>[];
  readonly truncated: boolean;
  readonly sparseCandidates: number;
}

/** Round trip one: what matches. */
async function findHits(engine: Engine, input: SearchInput, { effective, mode }: Plan): Promise<Found> {
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

interface Shown
  extends Pick<SearchOutput, 'filters_unmatched' | 'nearest_repos' | 'repos' | 'results' | 'graph_results'> {
  /** The caller's memory as it stood in the same snapshot. */
  readonly state: MemoryState;
}

/** Round trip two: everything that is shown of the hits. */
async function show(
  engine: Engine,
  principal: Principal,
  input: SearchInput,
  plan: Plan,
  found: Found,
  graph: Expansion,
): Promise<Shown> {
  const groups = nameOthers(found.groups, Math.max(MIN_NAMED, MAX_ROWS - found.groups.length));
  const representatives = groups.map((group) => group.representative);
  const named = groups.flatMap((group) => group.named).map((hit) => hit.documentId);
  const reached = graph.hits.map(({ hit }) => hit.documentId);
  const shown = [...representatives.map((hit) => hit.documentId), ...named, ...reached];
  const [passages, documents, bodies, [revision = null], activations] = await engine.database.read([
    passagesQuery([...representatives.map((hit) => hit.passageId), ...reached.map(firstPassage)]),
    documentsQuery(named),
    bodiesQuery(inlined(input, plan, representatives)),
    revisionQuery(principal),
    activationsOfDocumentsQuery(principal, shown),
  ]);
  const details = {
    passages: new Map(passages.map((each) => [each.passageId, each])),
    documents: new Map(documents.map((each) => [each.id, each])),
    bodies: new Map(bodies.map((each) => [each.id, each.content])),
    snippet: snippetFor(plan.mode === 'search' ? (input.query ?? '') : ''),
  };
  const results = groups.flatMap((group) => resultOf(group, details) ?? []);
  const indexed = new Map(passages.map(({ document }) => [document.repo, document.indexedAt]));
  return {
    filters_unmatched: [],
    repos: freshness(results, indexed),
    results,
    graph_results: graphResults(graph, details),
    state: { revision, activations },
  };
}

function inlined(input: SearchInput, plan: Plan, hits: readonly Hit[]): number[] {
  if (plan.mode === 'fetch') return hits.map((hit) => hit.documentId);
  if (!input.include_content) return [];
  return (['doc', 'wiki_doc'] as const).flatMap((type) =>
    hits
      .filter((hit) => hit.type === type)
      .slice(0, MAX_INLINED)
      .map((hit) => hit.documentId),
  );
}

function freshness(
  results: readonly SearchResult[],
  indexed: ReadonlyMap<string, string | null>,
): SearchOutput['repos'] {
  const slugs = [...new Set(results.map((result) => result.repo))].sort();
  return slugs.map((repo) => ({ repo, index_updated_at: indexed.get(repo) ?? null }));
}

/** Round trip two of an answer without results: which filters match nothing at all. */
async function explainNothing(engine: Engine, principal: Principal, { asked }: Plan): Promise<Shown> {
  const [[unmatched = []], known, [revision = null]] = await engine.database.read([
    unmatchedFiltersQuery(asked),
    reposQuery(),
    revisionQuery(principal),
  ]);
  const near = new Set((asked.repo ?? []).flatMap((wrong) => nearest(wrong, known, 3)));
  return {
    filters_unmatched: unmatched,
    ...(unmatched.includes('repo') && { nearest_repos: [...near] }),
    repos: [],
    results: [],
    graph_results: [],
    state: { revision, activations: [] },
  };
}

function wireTime(ms: number | undefined): string | null {
  return ms === undefined ? null : formatTime(ms);
}
