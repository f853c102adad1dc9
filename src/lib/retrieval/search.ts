import { formatTime } from '../core/time.ts';
import type { Engine } from '../engine/engine.ts';
import type { Principal } from '../engine/principal.ts';
import { activationsOfDocumentsQuery, activationsQuery } from '../feedback/activation-store.ts';
import { requirePrincipal } from '../feedback/principal.ts';
import { type MemoryState, revisionQuery } from '../feedback/trace.ts';
import { defineOperation } from '../operation/operation.ts';
import { nameOthers } from './aggregate.ts';
import { bodiesQuery, documentsQuery, passagesQuery } from './details.ts';
import { type Expansion, expand, NO_EXPANSION } from './expand.ts';
import { type Found, findHits, MAX_ROWS, type Plan, planOf } from './find.ts';
import { firstPassage, type Hit } from './hit.ts';
import { graphResults } from './graph-results.ts';
import { liveBodies, liveProblem } from './live-bodies.ts';
import { nearest } from './nearest.ts';
import { reposQuery, unmatchedFiltersQuery } from './populations.ts';
import { remember } from './remember.ts';
import { resultOf } from './respond.ts';
import {
  type SearchInput,
  type SearchOutput,
  type SearchResult,
  searchInput,
  searchOutput,
} from './search-contract.ts';
import { snippetFor } from './snippet-for.ts';

/** Folded rows that are named of every result, as far as there are any. */
const MIN_NAMED = 1;

/** Rows with an inlined body, per type. */
const MAX_INLINED = 3;

export const search = defineOperation({
  name: 'search',
  title: 'Search the project memory',
  description:
    'Finds issues, pull requests, comments, reviews, releases, docs, wiki pages and commit diffs of the indexed GitHub repositories. With a query: the best matches. Without: the newest activity in [since, until). With sources: the stored bodies of those sources. Results are folded by thread and file.',
  input: searchInput,
  output: searchOutput,
  effect: 'record',
  // Bodies of docs and wiki pages come from GitHub.
  openWorld: true,
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
      dense_candidates: found.denseCandidates,
      sparse_candidates: found.sparseCandidates,
      rerank_requested: input.rerank,
      rerank_applied: found.reranked,
      embedder: found.embedder,
      ...(found.denseProblem !== null && { dense_problem: found.denseProblem.message }),
      ...(found.rerankProblem !== null && { rerank_problem: found.rerankProblem }),
      graph_expanded: input.graph_expand,
      ...shown,
    };
    return remember(engine, input, answer, { state, complete: graph.complete && found.denseProblem?.failed !== true });
  },
});

interface Shown
  extends Pick<
    SearchOutput,
    'filters_unmatched' | 'nearest_repos' | 'index_empty' | 'live_problem' | 'repos' | 'results' | 'graph_results'
  > {
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
  const { allowed } = engine;
  const shown = [...representatives.map((hit) => hit.documentId), ...named, ...reached];
  const [passages, documents, bodies, [revision = null], activations] = await engine.database.read([
    passagesQuery([...representatives.map((hit) => hit.passageId), ...reached.map(firstPassage)], allowed),
    documentsQuery(named, allowed),
    bodiesQuery(inlined(input, plan, representatives), allowed),
    revisionQuery(principal),
    activationsOfDocumentsQuery(principal, shown, allowed),
  ]);
  const byPassage = new Map(passages.map((each) => [each.passageId, each]));
  const toInline = new Set(plan.mode === 'fetch' ? [] : bodies.map(({ id }) => id));
  const asked = representatives.flatMap(({ documentId, passageId }) =>
    toInline.has(documentId) ? (byPassage.get(passageId)?.document ?? []) : [],
  );
  const live = await liveBodies(engine, asked);
  const details = {
    passages: byPassage,
    documents: new Map(documents.map((each) => [each.id, each])),
    bodies: new Map(bodies.map((each) => [each.id, each.content])),
    live,
    snippet: snippetFor(plan.mode === 'search' ? (input.query ?? '') : ''),
  };
  const results = groups.flatMap((group) => resultOf(group, details) ?? []);
  const indexed = new Map(passages.map(({ document }) => [document.repo, document.indexedAt]));
  const problem = liveProblem(live);
  return {
    filters_unmatched: [],
    ...(problem !== undefined && { live_problem: problem }),
    repos: freshness(results, indexed),
    results,
    graph_results: graphResults(graph, details),
    state: { revision, activations: [...activations, ...(await activationsOfLive(engine, principal, results))] },
  };
}

/**
 * Activation of the versions that were read live, which no stored document names. Read after the revision, which holds them
 * true: a write of the principal's in between moves it, and the trace starts anew.
 */
async function activationsOfLive(engine: Engine, principal: Principal, results: readonly SearchResult[]) {
  const ids = results.flatMap(({ content_source, source_id }) =>
    content_source === 'github_live' && source_id !== undefined ? [source_id] : [],
  );
  if (ids.length === 0) return [];
  const [activations] = await engine.database.read([activationsQuery(principal, ids)]);
  return activations;
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
    unmatchedFiltersQuery(asked, engine.allowed),
    reposQuery(engine.allowed),
    revisionQuery(principal),
  ]);
  const near = new Set((asked.repo ?? []).flatMap((wrong) => nearest(wrong, known, 3)));
  return {
    filters_unmatched: unmatched,
    ...(unmatched.includes('repo') && { nearest_repos: [...near] }),
    ...(known.length === 0 && { index_empty: true as const }),
    repos: [],
    results: [],
    graph_results: [],
    state: { revision, activations: [] },
  };
}

function wireTime(ms: number | undefined): string | null {
  return ms === undefined ? null : formatTime(ms);
}
