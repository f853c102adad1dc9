import { parseTime } from '../core/time.ts';
import type { SearchOutput } from '../retrieval/search-contract.ts';
import { grouped } from './progress.ts';
import { oneLine, relativeAge } from './terminal.ts';

/** What to do with a database without documents. */
export const NOTHING_INDEXED = 'Nothing is indexed yet. Start with: gh-rag index PATH, or gh-rag index OWNER/REPO';

/**
 * What belongs to an answer and is no result, a line each, for standard error: nothing found and why, what a window holds
 * beyond, how old the index is, the trace, or why there is none.
 */
export function searchNotes(output: SearchOutput, now: number): string[] {
  const { results, filters_unmatched: unmatched, nearest_repos: nearest = [], truncated } = output;
  const notes: string[] = [];
  if (results.length === 0) notes.push(nothing(output));
  for (const filter of unmatched) {
    const known = filter === 'repo' && nearest.length > 0 ? ` Indexed are: ${nearest.map(oneLine).join(', ')}.` : '';
    notes.push(`No document at all satisfies --${filter}: probably a wrong value.${known}`);
  }
  if (truncated) notes.push(`More was updated ${windowOf(output)}: raise --top-k, or narrow the window with --until.`);
  const bodies = bodiesNote(results);
  if (bodies !== undefined) notes.push(bodies);
  if (output.dense_problem !== undefined && (results.length > 0 || hasCompared(output))) {
    const found = results.length === 0 ? 'Vectors do not help' : 'Found by words alone, or not by all vectors';
    notes.push(`${found}: ${oneLine(output.dense_problem)}`);
  }
  if (output.rerank_problem !== undefined) notes.push(`Not reranked: ${oneLine(output.rerank_problem)}`);
  if (output.live_problem !== undefined) notes.push(`A body could not be read: ${oneLine(output.live_problem)}`);
  if (output.repos.length > 0) notes.push(freshness(output.repos, now));
  if (output.memory_error !== undefined) notes.push(WITHOUT_TRACE[output.memory_error]);
  if (output.trace_id !== undefined) notes.push(`Trace: ${oneLine(output.trace_id)}`);
  return notes;
}

/** Whether an answer without results is one to the question: something was there to be compared with it. */
function hasCompared({ index_empty: isEmpty, fusion, dense_problem: problem }: SearchOutput): boolean {
  return isEmpty !== true && (fusion !== 'dense_only' || problem === undefined);
}

function nothing(output: SearchOutput): string {
  if (output.index_empty === true) return NOTHING_INDEXED;
  if (output.mode === 'scan') return `Nothing was updated ${windowOf(output)}.`;
  return hasCompared(output) ? 'Nothing matches.' : `Nothing was compared: ${oneLine(output.dense_problem ?? '')}`;
}

/** Where the bodies that were asked for come from; undefined without any. */
function bodiesNote(results: SearchOutput['results']): string | undefined {
  const from = (source: 'index' | 'github_live'): number =>
    results.filter(({ content_source }) => content_source === source).length;
  const parts = [
    ...(from('github_live') > 0 ? [`${grouped(from('github_live'))} as on GitHub now`] : []),
    ...(from('index') > 0 ? [`${grouped(from('index'))} as indexed`] : []),
  ];
  return parts.length === 0 ? undefined : `Bodies: ${parts.join(', ')}.`;
}

const WITHOUT_TRACE = {
  retrieval_incomplete: 'A part of this retrieval failed: it left no trace, and no use of it can be recorded.',
  memory_save_failed: 'The trace of this retrieval could not be saved: no use of it can be recorded.',
  all_sources_unresolved: 'No row here has a known identity: there is no trace, and no use of them can be recorded.',
} as const satisfies Record<NonNullable<SearchOutput['memory_error']>, string>;

/** What to type next, for whoever reads the results on a terminal. */
export function searchHints({ results, trace_id }: SearchOutput): string[] {
  if (results.length === 0 || trace_id === undefined) return [];
  return ['Next: gh-rag show 1 to read it; gh-rag use 1 --stage used --through when something rests on it.'];
}

function windowOf({ since, until }: SearchOutput): string {
  const from = since === null ? 'before' : `between ${since.slice(0, 10)} and`;
  return `${from} ${until === null ? 'now' : until.slice(0, 10)}`;
}

const SHOWN_REPOS = 5;

/** `Indexed: acme/app 3 hours ago, acme/lib never to the end.` */
function freshness(repos: SearchOutput['repos'], now: number): string {
  const shown = repos.slice(0, SHOWN_REPOS).map(({ repo, index_updated_at: at }) => {
    const time = at === null ? undefined : parseTime(at);
    return `${oneLine(repo)} ${time === undefined ? 'not to its end yet' : relativeAge(time, now)}`;
  });
  const rest = repos.length - shown.length;
  return `Indexed: ${shown.join(', ')}${rest > 0 ? `, and ${grouped(rest)} more` : ''}.`;
}
