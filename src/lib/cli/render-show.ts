import { stripForTerminal } from '../core/text.ts';
import { parseTime } from '../core/time.ts';
import type { SearchOutput, SearchResult } from '../retrieval/search-contract.ts';
import { oneLine, relativeAge, type Terminal } from './terminal.ts';

/** Stored sources, each under a heading that says what it is. */
export function renderShow({ results }: SearchOutput, terminal: Terminal, now: number): string {
  return results.map((result) => renderSource(result, terminal, now)).join('\n');
}

function renderSource(result: SearchResult, { style }: Terminal, now: number): string {
  const updated = parseTime(result.updated_at);
  const facts = [
    result.type,
    result.state,
    result.author === undefined ? undefined : `by ${oneLine(result.author)}`,
    updated === undefined ? undefined : relativeAge(updated, now),
    result.labels?.map(oneLine).join(', '),
  ].filter((fact) => fact !== undefined);
  const lines = [
    `${style.repo(oneLine(result.reference ?? result.repo))}  ${style.bold(oneLine(result.title))}`,
    style.dim(facts.join(' · ')),
    style.dim(oneLine(result.url)),
    '',
    stripForTerminal(result.content ?? '').trimEnd(),
  ];
  return `${lines.join('\n')}\n`;
}
