import { stripForTerminal } from '../core/text.ts';
import { parseTime } from '../core/time.ts';
import type { SearchOutput, SearchResult } from '../retrieval/search-contract.ts';
import { displayWidth } from './display-width.ts';
import { cutRuns, markTerms, paintRuns, parseMarks, type Run, wrapRuns } from './marked-text.ts';
import { grouped } from './progress.ts';
import { hyperlink, oneLine, relativeAge, type Style, type Terminal, truncate } from './terminal.ts';

const SNIPPET_LINES = 3;

/** Results for a person on a terminal, or for a pipe: see {@link renderPiped}. `now` in ms since the epoch. */
export function renderSearch(output: SearchOutput, terminal: Terminal, now: number): string {
  const { width } = terminal;
  if (width === null) return output.results.map(renderPiped).join('');
  const digits = String(output.results.length).length;
  return output.results
    .map((result, index) => renderResult(result, index + 1, digits, terminal, width, now))
    .join('\n');
}

/**
 * What belongs to an answer and is no result, a line each, for standard error: nothing found and why, what a window holds
 * beyond, how old the index is.
 */
export function searchNotes(output: SearchOutput, now: number): string[] {
  const { results, filters_unmatched: unmatched, nearest_repos: nearest = [], truncated } = output;
  const notes: string[] = [];
  if (results.length === 0)
    notes.push(output.mode === 'scan' ? `Nothing was updated ${windowOf(output)}.` : 'Nothing matches.');
  for (const filter of unmatched) {
    const known = filter === 'repo' && nearest.length > 0 ? ` Indexed are: ${nearest.map(oneLine).join(', ')}.` : '';
    notes.push(`No document at all satisfies --${filter}: probably a wrong value.${known}`);
  }
  if (truncated) notes.push(`More was updated ${windowOf(output)}: raise --top-k, or narrow the window with --until.`);
  if (output.repos.length > 0) notes.push(freshness(output.repos, now));
  return notes;
}

/**
 * Two lines for a result. The first has eight fields between tabs: number, reference, type, state, time of the last
 * update, title, URL, count of rows folded into it; a field that a result lacks is empty. The second starts with a tab
 * and holds the heading path and the snippet. Contents that were asked for follow in lines that start with a tab.
 */
function renderPiped(result: SearchResult, index: number): string {
  const fields = [
    String(index + 1),
    referenceOf(result),
    result.type,
    result.state ?? '',
    result.updated_at,
    titleOf(result),
    result.url,
    String(result.same_entity?.count ?? 0),
  ].map(oneLine);
  const snippet = parseMarks(oneLine(result.snippet)).map((run) => run.text);
  const second = [headingOf(result), snippet.join('')].filter((part) => part !== '').join(': ');
  const content = result.content === undefined ? [] : contentLines(result.content);
  return [fields.join('\t'), `\t${second}`, ...content.map((line) => `\t${line}`), ''].join('\n');
}

function renderResult(
  result: SearchResult,
  number: number,
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
  const lines = [
    ...factsOf(result, style, room, now),
    ...(heading === '' ? [] : [style.dim(truncate(heading, room))]),
    ...body.map((line) => `  ${line}`),
    style.dim(oneLine(result.url)),
  ];
  const label = style.number(String(number).padStart(digits));
  const first = `${label}  ${hyperlink(terminal, paintRuns(title, style, style.bold), result.url)}`;
  return [first, ...lines.map((line) => `${indent}${line}`.trimEnd()), ''].join('\n');
}

/** `acme/app#12 · issue · open · ada · 3 days ago · +2 more`; what a long path leaves no room for goes on a second line. */
function factsOf(result: SearchResult, style: Style, room: number, now: number): string[] {
  const { state, author, same_entity: folded } = result;
  const updated = parseTime(result.updated_at);
  const reference = shortReference(result);
  const facts = [words(result.type)];
  if (state !== undefined) facts.push(words(state));
  if (author !== undefined) facts.push(oneLine(author));
  if (updated !== undefined) facts.push(relativeAge(updated, now));
  if (folded !== undefined && folded.count > 0) facts.push(`+${grouped(folded.count)} more`);
  const painted = facts.map((fact, index) =>
    (index === 1 && state !== undefined ? stateStyle(state, style) : style.dim)(fact),
  );
  const separator = style.dim(' · ');
  const fits = displayWidth([reference, ...facts].join(' · ')) <= room;
  if (fits) return [[style.repo(reference), ...painted].join(separator)];
  // The reference stays whole, to be copied.
  return [style.repo(reference), painted.join(separator)];
}

function stateStyle(state: string, style: Style): (text: string) => string {
  switch (state) {
    case 'open':
    case 'approved':
      return style.open;
    case 'closed':
    case 'changes_requested':
      return style.closed;
    case 'merged':
      return style.merged;
    default:
      return style.dim;
  }
}

function titleOf(result: SearchResult): string {
  const title = oneLine(result.title);
  return title === '' ? `(${words(result.type)} without a title)` : title;
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

function referenceOf(result: SearchResult): string {
  return oneLine(result.reference ?? result.repo);
}

/** With twelve digits of a commit: enough to name it, and a path still fits beside it. */
function shortReference(result: SearchResult): string {
  return referenceOf(result).replace(/@([0-9a-f]{12})[0-9a-f]+:/, '@$1:');
}

function words(name: string): string {
  return oneLine(name).replaceAll('_', ' ');
}

function matchesOf(snippet: readonly Run[]): string[] {
  return snippet.filter((run) => run.marked && run.text.length > 1).map((run) => run.text);
}

function contentLines(content: string): string[] {
  return stripForTerminal(content).trimEnd().split('\n');
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
