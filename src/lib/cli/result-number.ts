import { Failure } from '../core/failure.ts';
import type { HistoryOutput } from '../feedback/history-contract.ts';
import type { SearchOutput } from '../retrieval/search-contract.ts';

/** One trace as history shows it. */
export type TraceDetail = NonNullable<HistoryOutput['trace']>;

const LOCATION = /^(graph_)?results\[(\d+)\](?:\.same_entity\.others\[(\d+)\])?$/;
const NUMBER = /^(g?)([1-9]\d{0,3})(?:\.([1-9]\d{0,3}))?$/;

/** The number of a row by its place in the answer: `2`, `2.1` for a row folded into it, `g1` on the graph axis. */
export function numberOf(location: string): string {
  const [, graph, index = '', other] = LOCATION.exec(location) ?? [];
  const folded = other === undefined ? '' : `.${counted(other)}`;
  return `${graph === undefined ? '' : 'g'}${counted(index)}${folded}`;
}

/** The numbers of an answer's rows, by place. A source has one number: that of the first place where it was returned. */
export function resultNumbers({ results, graph_results }: Pick<SearchOutput, 'results' | 'graph_results'>) {
  const numbers = new Map<string, string>();
  const bySource = new Map<string, string>();
  const add = (location: string, sourceId: string | undefined): void => {
    const number = (sourceId === undefined ? undefined : bySource.get(sourceId)) ?? numberOf(location);
    if (sourceId !== undefined) bySource.set(sourceId, number);
    numbers.set(location, number);
  };
  results.forEach((result, at) => {
    const location = `results[${String(at)}]`;
    add(location, result.source_id);
    result.same_entity?.others.forEach((other, index) => {
      add(`${location}.same_entity.others[${String(index)}]`, other.source_id);
    });
  });
  graph_results.forEach((result, at) => {
    add(`graph_results[${String(at)}]`, result.source_id);
  });
  return numbers as ReadonlyMap<string, string>;
}

/** Whether a text is a result number. */
export function isResultNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** Takes `[TRACE] SOURCE...` apart. Fails with `invalid_input` for what is neither, and where no source is named. */
export function splitTrace(words: readonly string[]): {
  readonly trace: string | undefined;
  readonly sources: readonly string[];
} {
  const [first = '', ...rest] = words;
  const named = first === 'last' || first.startsWith('trc_');
  const sources = named ? rest : words;
  if (sources.length === 0) throw new Failure('invalid_input', 'SOURCE: is required', { hint: FORMS });
  if (sources.every((source) => source.startsWith('src_') || isResultNumber(source))) {
    return { trace: named ? first : undefined, sources };
  }
  throw new Failure('invalid_input', 'SOURCE: must be a result number or a source id', { hint: FORMS });
}

const FORMS = 'Give numbers as search printed them (1, 1.1, g1), or src_ ids.';

/**
 * The source id that a result number or an id means in a trace. Fails with `invalid_input`, naming the valid numbers, for a
 * number that there is not, and with `unknown_source` for a row that the trace could not record. Ids pass as they are.
 */
export function sourceIn(trace: TraceDetail, given: string): string {
  const source = namedBy(trace, given);
  return source === undefined ? given : source.source_id;
}

/**
 * As {@link sourceIn}, for reading what is stored: of a version that was read from GitHub, the reference of what is indexed in
 * its place, for the index does not know that version.
 */
export function storedSourceIn(trace: TraceDetail, given: string): string {
  const source = namedBy(trace, given);
  if (source === undefined) return given;
  const { repo, type, identity, content_source } = source.provenance;
  if (content_source === 'index') return source.source_id;
  return `${repo}${type === 'wiki_doc' ? '/wiki/' : ':'}${String(identity)}`;
}

/** The source of a trace that a number means; undefined for what is no number. */
function namedBy(trace: TraceDetail, given: string): TraceDetail['sources'][number] | undefined {
  const [, graph, index = '', other] = NUMBER.exec(given) ?? [];
  if (graph === undefined) return undefined;
  const folded = other === undefined ? '' : `.same_entity.others[${String(Number(other) - 1)}]`;
  const location = `${graph === '' ? '' : 'graph_'}results[${String(Number(index) - 1)}]${folded}`;
  const source = trace.sources.find((each) => each.location === location);
  if (source !== undefined) return source;
  const excluded = trace.memory_recording.exclusions.find((each) => each.location === location);
  if (excluded !== undefined) {
    throw new Failure('unknown_source', `SOURCE: this row could not be recorded (given: ${given})`, {
      hint:
        excluded.reason === 'live_version_unavailable'
          ? 'It could not be read from GitHub; search again, or name it by its reference.'
          : 'Its identity on GitHub is not known, so nothing can be said about its use.',
    });
  }
  const numbers = numbersOf(trace);
  const rule = numbers === '' ? 'there is none, this retrieval found nothing' : `must be ${numbers}`;
  throw new Failure('invalid_input', `SOURCE: ${rule} (given: ${given})`, {
    hint: 'gh-rag history last shows each source with its number.',
  });
}

/** The numbers that a trace has, in words: `1 to 3, 1.1 to 1.2, g1 to g4 or g6`; empty where it has none. */
function numbersOf({ sources, memory_recording }: TraceDetail): string {
  const rows = [...sources, ...memory_recording.exclusions].map(({ location }) => numberOf(location));
  const [results = [], folded = [], graph = []] = [/^\d+$/, /^\d+\.\d+$/, /^g\d+$/].map((kind) =>
    rangesOf(rows.filter((row) => kind.test(row)).sort(BY_NUMBER.compare)),
  );
  const parts = [...results, ...folded, ...graph];
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} or ${parts.slice(-1).join('')}`;
}

const BY_NUMBER = new Intl.Collator('en', { numeric: true });

/** Numbers that follow each other as `a to b`: a source that was returned twice leaves a gap. */
function rangesOf(numbers: readonly string[]): string[] {
  const ranges: { first: string; last: string }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && follows(range.last, number)) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.map(({ first, last }) => (first === last ? first : `${first} to ${last}`));
}

function follows(before: string, number: string): boolean {
  return number === before.replace(/\d+$/, (last) => String(Number(last) + 1));
}

function counted(index: string): string {
  return String(Number(index) + 1);
}
