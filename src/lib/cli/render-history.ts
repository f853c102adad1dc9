import { parseTime } from '../core/time.ts';
import type { TraceSummary } from '../feedback/history-contract.ts';
import { oneLine, relativeAge, type Terminal, truncate } from './terminal.ts';

const COLUMNS = ['TRACE', 'AGE', 'FOUND', 'USED', 'CONFIRMED', 'REVERSED'] as const;

/**
 * Traces as a table, each with its question on a second line. In a pipe a line each, without a head, with eight fields
 * between tabs: trace, time, mode, sources found, used, confirmations, reversals, question.
 */
export function renderHistory(traces: readonly TraceSummary[], { width, style }: Terminal, now: number): string {
  if (width === null) return traces.map(renderPiped).join('');
  if (traces.length === 0) return 'No retrieval yet. Start with: gh-rag search QUERY\n';
  const rows = traces.map((trace) => cellsOf(trace, now));
  const widths = COLUMNS.map((name, at) => Math.max(name.length, ...rows.map((cells) => (cells[at] ?? '').length)));
  const aligned = (cells: readonly string[]): string[] =>
    cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
  const lines = traces.flatMap((trace, at) => {
    const [id = '', age = '', ...counts] = aligned(rows[at] ?? []);
    const facts = [
      style.number(id),
      style.dim(age),
      ...counts.map((count) => (count.trim() === '-' ? style.dim(count) : count)),
    ];
    const filters = filtersText(trace.filters);
    const question = truncate(questionOf(trace), width - 2);
    const room = width - 2 - question.length - 2;
    return [
      facts.join('  '),
      `  ${style.bold(question)}${filters !== '' && room > 8 ? `  ${style.dim(truncate(filters, room))}` : ''}`,
    ];
  });
  return [style.dim(aligned(COLUMNS).join('  ')), ...lines, ''].join('\n');
}

function cellsOf(trace: TraceSummary, now: number): string[] {
  const time = parseTime(trace.timestamp);
  const counts = [trace.source_count, trace.used_count, trace.confirmation_count, trace.reversal_count];
  return [
    oneLine(trace.trace_id),
    time === undefined ? '' : relativeAge(time, now),
    ...counts.map((count) => (count === 0 ? '-' : String(count))),
  ];
}

function renderPiped(trace: TraceSummary): string {
  const { trace_id, timestamp, mode, source_count, used_count, confirmation_count, reversal_count, query } = trace;
  const counts = [source_count, used_count, confirmation_count, reversal_count].map(String);
  return `${[trace_id, timestamp, mode, ...counts, query ?? ''].map(oneLine).join('\t')}\n`;
}

/** What a trace asked for, on one line. */
export function questionOf({ mode, query }: Pick<TraceSummary, 'mode' | 'query'>): string {
  const text = oneLine(query ?? '');
  if (text !== '') return text;
  return mode === 'fetch' ? '(stored sources)' : mode === 'scan' ? '(what changed lately)' : `(${oneLine(mode)})`;
}

/** Filters as `repo acme/app, type doc diff`. */
function filtersText(filters: TraceSummary['filters']): string {
  return Object.entries(filters)
    .map(([name, value]) => `${name} ${[value].flat().map(String).join(' ')}`)
    .map(oneLine)
    .join(', ');
}
