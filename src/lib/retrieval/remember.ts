import { Failure } from '../core/failure.ts';
import type { Json } from '../core/json.ts';
import type { Provenance } from '../corpus/provenance.ts';
import type { Engine } from '../engine/engine.ts';
import type { Activation } from '../feedback/activation.ts';
import { wireActivation } from '../feedback/activation-store.ts';
import { requirePrincipal } from '../feedback/principal.ts';
import { type MemoryState, type Occurrence, recordingOf, recordTrace } from '../feedback/trace.ts';
import {
  FILTER_NAMES,
  type GraphResult,
  type SearchInput,
  type SearchOutput,
  type SearchResult,
} from './search-contract.ts';

type MemoryFields = Pick<
  SearchOutput,
  'trace_id' | 'timestamp' | 'feedback_available' | 'memory_recording' | 'memory_unavailable' | 'memory_error'
>;

/** An answer before anything is known of its trace. */
export type Answer = Omit<SearchOutput, keyof MemoryFields>;

/**
 * Commits the trace of an answer and adds what the caller needs to speak of its sources. Fails closed: where the trace
 * cannot be saved, or the retrieval was not complete, the rows still come, without a trace and without feedback.
 */
export async function remember(
  engine: Engine,
  input: SearchInput,
  answer: Answer,
  { state, complete }: { readonly state: MemoryState; readonly complete: boolean },
): Promise<SearchOutput> {
  if (!complete) return { ...answer, ...unavailable('retrieval_incomplete') };
  const occurrences = occurrencesOf(answer);
  const recording = recordingOf(occurrences);
  if (recording.status === 'unresolved') {
    return { ...answer, ...unavailable('all_sources_unresolved'), memory_recording: recording };
  }
  const principal = requirePrincipal(engine);
  try {
    const retrieval = {
      mode: answer.mode,
      query: answer.mode === 'search' ? (input.query ?? null) : null,
      request: requestOf(input),
      settings: settingsOf(answer),
      occurrences,
    };
    const recorded = await recordTrace(engine, principal, retrieval, state);
    return withActivations(
      {
        ...answer,
        trace_id: recorded.traceId,
        timestamp: recorded.timestamp,
        feedback_available: true,
        memory_recording: recorded.recording,
      },
      recorded.activations,
    );
  } catch (error) {
    if (error instanceof Failure && error.code === 'interrupted') throw error;
    return { ...answer, ...unavailable('memory_save_failed') };
  }
}

function unavailable(error: NonNullable<SearchOutput['memory_error']>): MemoryFields {
  return { feedback_available: false, memory_unavailable: true, memory_error: error };
}

interface Row {
  readonly provenance?: SearchResult['provenance'];
  readonly source_id?: string | undefined;
  readonly index_updated_at?: string | undefined;
  readonly memory_exclusion_reason?: SearchResult['memory_exclusion_reason'];
}

/** Every returned row with its place: results, what is folded into them, and the graph axis. */
function occurrencesOf({ results, graph_results }: Pick<Answer, 'results' | 'graph_results'>): Occurrence[] {
  const keyword = results.flatMap((result, at) => placed(result, `results[${String(at)}]`, 'keyword', undefined));
  const graph = graph_results.flatMap((result, at) => {
    const verified = result.graph_feedback_available === false ? null : result.graph_path;
    return placed(result, `graph_results[${String(at)}]`, 'graph', verified);
  });
  return [...keyword, ...graph];
}

function placed(
  result: SearchResult,
  location: string,
  axis: Occurrence['axis'],
  path: Occurrence['path'],
): Occurrence[] {
  const others = (result.same_entity?.others ?? []).map((other, at) =>
    occurrence(other, `${location}.same_entity.others[${String(at)}]`, axis, undefined),
  );
  return [occurrence(result, location, axis, path), ...others];
}

function occurrence(row: Row, location: string, axis: Occurrence['axis'], path: Occurrence['path']): Occurrence {
  return {
    location,
    axis,
    path,
    provenance: row.provenance === undefined ? undefined : canonical(row.provenance),
    sourceId: row.source_id,
    exclusion: row.memory_exclusion_reason,
    ...(row.provenance?.content_source === 'github_live' && { indexUpdatedAt: row.index_updated_at }),
  };
}

/** The wire has lists where a provenance has a pair. */
function canonical(provenance: NonNullable<Row['provenance']>): Provenance {
  const { identity } = provenance;
  if (!Array.isArray(identity)) return { ...provenance, identity };
  const [commit = '', path = ''] = identity;
  return { ...provenance, identity: [commit, path] };
}

function withActivations(output: SearchOutput, activations: ReadonlyMap<string, Activation>): SearchOutput {
  const activated = <Each extends Row>(row: Each): Each => {
    const activation = row.source_id === undefined ? undefined : activations.get(row.source_id);
    return activation === undefined ? row : { ...row, activation: wireActivation(activation) };
  };
  const withOthers = <Each extends SearchResult | GraphResult>(row: Each): Each => {
    const { same_entity: folded } = row;
    const activatedRow = activated(row);
    return folded === undefined
      ? activatedRow
      : { ...activatedRow, same_entity: { ...folded, others: folded.others.map(activated) } };
  };
  return { ...output, results: output.results.map(withOthers), graph_results: output.graph_results.map(withOthers) };
}

/** The request as it was understood: the query, the filters that were given, and every control. */
function requestOf(input: SearchInput): Json {
  const given = FILTER_NAMES.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]] as const]));
  const { query, sources, top_k, sort, fusion, rerank, include_content, graph_expand, graph_hops, use_memory } = input;
  return {
    query: query ?? null,
    ...(sources !== undefined && { sources }),
    filters: Object.fromEntries(given),
    controls: { top_k, sort, fusion, rerank, include_content, graph_expand, graph_hops, use_memory },
  };
}

/** Everything that is needed to repeat the retrieval and to judge it. */
function settingsOf(answer: Answer): Json {
  const { mode, fusion, sort, since, until, truncated, dense_candidates, sparse_candidates } = answer;
  const { rerank_requested, rerank_applied, embedder, graph_expanded, results, graph_results } = answer;
  return {
    mode,
    window: { since, until, truncated },
    ranking: { fusion, sort, dense_candidates, sparse_candidates, rerank_requested, rerank_applied, embedder },
    axes: { keyword: results.length, graph: graph_expanded ? graph_results.length : null },
  };
}
