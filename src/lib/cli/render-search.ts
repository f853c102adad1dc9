import { stripForTerminal } from '../core/text.ts';
import type { SearchOutput, SearchResult } from '../retrieval/search-contract.ts';
import { cutRuns, markTerms, paintRuns, parseMarks, type Run, wrapRuns } from './marked-text.ts';
import { graphRows, renderGraph } from './render-graph.ts';
import { factsOf, foldedText, pipedFields, titleOf } from './result-facts.ts';
import { resultNumbers } from './result-number.ts';
import { hyperlink, oneLine, type Terminal, truncate } from './terminal.ts';

const SNIPPET_LINES = 3;

/** Results for a person on a terminal, or for a pipe: see {@link renderPiped}. `now` in ms since the epoch. */
export function renderSearch(output: SearchOutput, terminal: Terminal, now: number): string {
  const { width } = terminal;
  const numbers = resultNumbers(output);
  if (width === null) return [...output.results.map(renderPiped), ...graphRows(output, numbers)].join('');
  const labels = [...numbers].filter(([location]) => !location.includes('.')).map(([, number]) => number);
  const digits = Math.max(1, ...labels.map((label) => label.length));
  const results = output.results.map((result, index) =>
    renderResult(result, `results[${String(index)}]`, numbers, digits, terminal, width, now),
  );
  const graph = renderGraph(output, numbers, digits, terminal, width, now);
  return [...results, ...(graph === '' ? [] : [graph])].join('\n');
}

/**
 * Two lines for a result. The first has eight fields between tabs: number, reference, type, state, time of the last
 * update, title, URL, count of rows folded into it; a field that a result lacks is empty. The second starts with a tab
 * and holds the heading path and the snippet. Contents that were asked for follow in lines that start with a tab.
 */
function renderPiped(result: SearchResult, index: number): string {
  const fields = pipedFields(result, String(index + 1));
  const snippet = parseMarks(oneLine(result.snippet)).map((run) => run.text);
  const second = [headingOf(result), snippet.join('')].filter((part) => part !== '').join(': ');
  const content = result.content === undefined ? [] : contentLines(result.content);
  return [fields.join('\t'), `\t${second}`, ...content.map((line) => `\t${line}`), ''].join('\n');
}

function renderResult(
  result: SearchResult,
  location: string,
  numbers: ReadonlyMap<string, string>,
  digits: number,
  terminal: Terminal,
  width: number,
  now: number,
): string {
  const { style } = terminal;
  const indent = ' '.repeat(digits + 2);
  const room = width - indent.length;
  const snippet = parseMarks(oneLine(result.snippet));
  const title = cutRuns(markTerms(titleOf(result), matchesOf(snippet)), room);
  const heading = headingOf(result);
  const body =
    result.content === undefined
      ? wrapRuns(snippet, room - 2, SNIPPET_LINES).map((line) => paintRuns(line, style))
      : contentLines(result.content);
  const also = foldedText(result, location, numbers);
  const lines = [
    ...factsOf(result, style, room, now),
    ...(also === '' ? [] : [style.dim(truncate(also, room))]),
    ...(heading === '' ? [] : [style.dim(truncate(heading, room))]),
    ...body.map((line) => `  ${line}`),
    style.dim(oneLine(result.url)),
  ];
  const label = style.number((numbers.get(location) ?? '').padStart(digits));
  const first = `${label}  ${hyperlink(terminal, paintRuns(title, style, style.bold), result.url)}`;
  return [first, ...lines.map((line) => `${indent}${line}`.trimEnd()), ''].join('\n');
}

/** Heading path and lines: `Decision › Consequences, lines 12-30`. A first heading that is the title is not repeated. */
function headingOf(result: SearchResult): string {
  const { heading_path: headings = [], lines } = result;
  const path = headings
    .map(oneLine)
    .filter((heading, depth) => heading !== '' && !(depth === 0 && heading === oneLine(result.title)))
    .join(' › ');
  if (lines === undefined) return path;
  const range =
    lines.start === lines.end ? `line ${String(lines.start)}` : `lines ${String(lines.start)}-${String(lines.end)}`;
  return path === '' ? range : `${path}, ${range}`;
}

function matchesOf(snippet: readonly Run[]): string[] {
  return snippet.filter((run) => run.marked && run.text.length > 1).map((run) => run.text);
}

function contentLines(content: string): string[] {
  return stripForTerminal(content).trimEnd().split('\n');
}
