import type { GraphResult, SearchOutput } from '../retrieval/search-contract.ts';
import { amount } from './amount.ts';
import { cutRuns, paintRuns } from './marked-text.ts';
import { pathText } from './graph-path.ts';
import { factsOf, pipedFields, titleOf } from './result-facts.ts';
import { hyperlink, type Terminal } from './terminal.ts';

type Numbers = ReadonlyMap<string, string>;

/** The graph axis as a block of its own below the results: each row with its hop and the path that led there. */
export function renderGraph(
  { graph_results: rows }: SearchOutput,
  numbers: Numbers,
  digits: number,
  terminal: Terminal,
  width: number,
  now: number,
): string {
  if (rows.length === 0) return '';
  const { style } = terminal;
  const indent = ' '.repeat(digits + 2);
  const room = width - indent.length;
  const blocks = rows.map((row, index) => {
    const title = paintRuns(cutRuns([{ text: titleOf(row), marked: false }], room), style, style.bold);
    const label = style.number(numberAt(index, numbers).padStart(digits));
    const lines = [...factsOf(row, style, room, now), walkText(row, style.dim, style.open)];
    return [`${label}  ${hyperlink(terminal, title, row.url)}`, ...lines.map((line) => `${indent}${line}`), ''].join(
      '\n',
    );
  });
  return `${style.dim('Along the graph')}\n\n${blocks.join('\n')}`;
}

/** `1 hop: acme/app#8 ─closes→ #7 · learned 0.25` */
function walkText(row: GraphResult, dim: (text: string) => string, strong: (text: string) => string): string {
  const { graph_hop: hop, learned_strength: learned, graph_feedback_available: available } = row;
  const remarks = [
    ...(typeof learned === 'number' && learned > 0 ? [strong(`learned ${amount(learned)}`)] : []),
    ...(available === false ? [dim('cannot be learned: a node between is not indexed')] : []),
  ];
  const walk = dim(`${String(hop)} ${hop === 1 ? 'hop' : 'hops'}: ${pathText(row.graph_path)}`);
  return [walk, ...remarks].join(dim(' · '));
}

/**
 * Rows of the graph axis in a pipe, a line each: the eight fields of a result, then hop, path and, with use_memory, the
 * learned strength.
 */
export function graphRows({ graph_results: rows }: SearchOutput, numbers: Numbers): string[] {
  return rows.map((row, index) => {
    const learned = row.learned_strength ?? null;
    const walk = [String(row.graph_hop), pathText(row.graph_path), learned === null ? '' : String(learned)];
    return `${[...pipedFields(row, numberAt(index, numbers)), ...walk].join('\t')}\n`;
  });
}

function numberAt(index: number, numbers: Numbers): string {
  return numbers.get(`graph_results[${String(index)}]`) ?? '';
}
