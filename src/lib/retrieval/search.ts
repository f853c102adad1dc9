import { formatTime } from '../core/time.ts';
import type { Filters } from '../corpus/filters.ts';
import { type Query, query } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import { defineOperation } from '../operation/operation.ts';
import { aggregate, type Group } from './aggregate.ts';
import { type CandidateRow, candidatesQuery, sparseRanking } from './candidates.ts';
import { bodiesQuery, documentsQuery, passagesQuery } from './details.ts';
import { type Fetched, fetchQuery, requireAll } from './fetch.ts';
import { filtersOf } from './filter-input.ts';
import { buildFtsQuery } from './fts-query.ts';
import { reciprocalRankFusion } from './fusion.ts';
import type { Hit } from './hit.ts';
import { nearest } from './nearest.ts';
import { type KnownRepo, reposQuery, unmatchedFiltersQuery } from './populations.ts';
import { MAX_FOLDED_ROWS, resultOf } from './respond.ts';
import { scanQuery } from './scan.ts';
import { DEFAULT_SCAN_WINDOW_MS, type SearchInput, type SearchOutput, searchInput, searchOutput } from './search-contract.ts';
import { snippetFor } from './snippet-for.ts';

/** Rows with an inlined body, per type. */
const MAX_INLINED = 3;

export const search = defineOperation({
  name: 'search',
  title: 'Search the project memory',
  description:
    'Finds issues, pull requests, comments, reviews, releases, docs, wiki pages and commit diffs of the indexed GitHub repositories. With a query: the best matches. Without: the newest activity in [since, until). With sources: the stored bodies of those sources. Results are folded by thread and file.',
  input: searchInput,
  output: searchOutput,
  effect: 'read',
  openWorld: false,
  faces: ['cli', 'mcp'],
  async handler(engine, input) {
    const plan = planOf(input, engine.clock.now());
    const found = await findHits(engine, input, plan);
    return respond(engine, input, plan, found);
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
  const since = asked.since ?? (asked.until ?? now) - DEFAULT_SCAN_WINDOW_MS;
  return { mode: 'scan', asked, effective: { ...asked, since, until } };
}

interface Found {
  readonly groups: readonly Group<Hit>[];
  readonly truncated: boolean;
  readonly sparseCandidates: number;
  readonly unmatched: SearchOutput['filters_unmatched'];
  readonly repos: readonly KnownRepo[];
}

/** Round trip one: what matches, which filters match nothing at all, and how fresh the index is. */
async function findHits(engine: Engine, input: SearchInput, plan: Plan): Promise<Found> {
  const { asked, effective, mode } = plan;
  const common = [unmatchedFiltersQuery(asked), reposQuery()] as const;
  if (mode === 'fetch') {
    const sources = input.sources ?? [];
    const [[unmatched = []], repos, fetched] = await engine.database.read([...common, fetchQuery(sources)]);
    const groups = requireAll(sources, fetched).map((representative) => ({ representative, others: [] }));
    return { groups, truncated: false, sparseCandidates: 0, unmatched, repos };
  }
  if (mode === 'scan') {
    const order = input.sort === 'created_desc' ? 'created_at' : 'updated_at';
    const scan = scanQuery(effective, order, input.top_k);
    const [[unmatched = []], repos, hits] = await engine.database.read([...common, scan]);
    const groups = aggregate(hits, input.top_k + 1);
    const truncated = groups.length > input.top_k;
    return { groups: groups.slice(0, input.top_k), truncated, sparseCandidates: 0, unmatched, repos };
  }
  const pool = Math.max(50, input.top_k * 5);
  const sparse = input.fusion === 'dense_only' ? undefined : candidatesQuery(buildFtsQuery(input.query ?? ''), effective, pool);
  const [[unmatched = []], repos, rows] = await engine.database.read([...common, sparse ?? NO_CANDIDATES]);
  const ranking = sparseRanking(rows).slice(0, pool);
  const hits = ranking.map(
    ({ score, rank, ...hit }): Hit => ({
      ...hit,
      score: reciprocalRankFusion([rank]),
      sparseScore: score,
      sparseRank: rank,
      denseScore: null,
      denseRank: null,
      rerankScore: null,
    }),
  );
  const groups = aggregate(inOrder(hits, input.sort), input.top_k);
  return { groups, truncated: false, sparseCandidates: ranking.length, unmatched, repos };
}

const NO_CANDIDATES: Query<CandidateRow> = query('SELECT 1 WHERE false', [], () => {
  throw new TypeError('a query without rows gave one');
});

function inOrder(hits: readonly Hit[], sort: SearchInput['sort']): readonly Hit[] {
  if (sort === 'relevance') return hits;
  const time = (hit: Hit): number => (sort === 'updated_desc' ? hit.updatedAt : hit.createdAt);
  return hits.toSorted((a, b) => time(b) - time(a) || a.documentId - b.documentId);
}

/** Round trip two: everything that is shown of the hits. */
async function respond(engine: Engine, input: SearchInput, plan: Plan, found: Found): Promise<SearchOutput> {
  const { groups } = found;
  const representatives = groups.map((group) => group.representative);
  const folded = groups.flatMap((group) => group.others.slice(0, MAX_FOLDED_ROWS));
  const [passages, documents, bodies] =
    groups.length === 0
      ? [[], [], []]
      : await engine.database.read([
          passagesQuery(representatives.map((hit) => hit.passageId)),
          documentsQuery(folded.map((hit) => hit.documentId)),
          bodiesQuery(inlined(input, plan, representatives)),
        ]);
  const details = {
    passages: new Map(passages.map((each) => [each.passageId, each])),
    documents: new Map(documents.map((each) => [each.id, each])),
    bodies: new Map(bodies.map((each) => [each.id, each.content])),
    snippet: snippetFor(plan.mode === 'search' ? (input.query ?? '') : ''),
  };
  const results = groups.flatMap((group) => resultOf(group, details) ?? []);
  const shown = new Set(results.map((result) => result.repo));
  const repos = found.repos.filter(({ slug }) => shown.has(slug));
  return {
    count: results.length,
    mode: plan.mode,
    fusion: input.fusion,
    sort: input.sort,
    since: wireTime(plan.effective.since),
    until: wireTime(plan.effective.until),
    truncated: found.truncated,
    dense_candidates: 0,
    sparse_candidates: found.sparseCandidates,
    filters_unmatched: found.unmatched,
    ...nearestRepos(plan, found),
    rerank_requested: input.rerank,
    rerank_applied: false,
    embedder: engine.embedder?.id ?? null,
    repos: repos.map(({ slug, indexed_at }) => ({ repo: slug, index_updated_at: indexed_at })),
    results,
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

function nearestRepos(plan: Plan, found: Found): Pick<SearchOutput, 'nearest_repos'> {
  if (!found.unmatched.includes('repo')) return {};
  const known = found.repos.map(({ slug }) => slug);
  const names = new Set((plan.asked.repo ?? []).flatMap((wrong) => nearest(wrong, known, 3)));
  return { nearest_repos: [...names] };
}

function wireTime(ms: number | undefined): string | null {
  return ms === undefined ? null : formatTime(ms);
}
