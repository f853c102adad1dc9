import { isJsonObject, type Json } from '../core/json.ts';
import { parseTime } from '../core/time.ts';
import type { Receipt } from '../feedback/receipts.ts';
import { amount } from './amount.ts';
import { displayWidth } from './display-width.ts';
import { pathText } from './graph-path.ts';
import { questionOf } from './render-history.ts';
import { receiptLines } from './render-receipt.ts';
import { numberOf, type TraceDetail } from './result-number.ts';
import { sourceName } from './source-name.ts';
import { oneLine, relativeAge, type Style, type Terminal, truncate } from './terminal.ts';

/** One trace as a page: what was asked and how, the sources with their numbers and stages, the receipts. */
export function renderTrace(
  trace: TraceDetail,
  receipts: readonly Receipt[],
  { style, width }: Terminal,
  now: number,
): string {
  const age = (timestamp: string): string => {
    const time = parseTime(timestamp);
    return width === null || time === undefined ? timestamp : relativeAge(time, now);
  };
  const mode = typeof trace.settings.mode === 'string' ? trace.settings.mode : '';
  const query = typeof trace.request.query === 'string' ? trace.request.query : null;
  return [
    style.bold(questionOf({ mode, query })),
    style.dim(`${oneLine(trace.trace_id)} · ${oneLine(mode)} · ${age(trace.timestamp)}`),
    '',
    ...settingsLines(trace, style),
    '',
    ...sourceLines(trace, style, width),
    ...receipts.flatMap((receipt) => {
      const [first = '', ...rest] = receiptLines(receipt, trace.sources, style);
      return ['', `${first} ${style.dim(age(receipt.timestamp))}`, ...rest];
    }),
    '',
  ].join('\n');
}

const LABEL_WIDTH = 10;

/** The request and the settings: one line for each of their groups, without what is null. */
function settingsLines({ request, settings, memory_recording }: TraceDetail, style: Style): string[] {
  const groups: [string, Json][] = Object.entries({ ...request, ...settings });
  const lines = groups.flatMap(([name, group]) => {
    if (!isJsonObject(group)) return [];
    const values = Object.entries(group).flatMap(([key, value]) => settingText(key, value));
    return values.length === 0 ? [] : [[name, values.join(', ')] as const];
  });
  const { status, exclusions, graph_exclusions } = memory_recording;
  const left = [
    ...exclusions.map(({ location, reason }) => `${numberOf(location)} not recorded: ${words(reason)}`),
    ...graph_exclusions.map(({ location, reason }) => `${numberOf(location)} without its path: ${words(reason)}`),
  ];
  return [...lines, ['recorded', [status, ...left].join(', ')] as const].map(
    ([name, text]) => `${style.dim(oneLine(name).padEnd(LABEL_WIDTH))}${oneLine(text)}`,
  );
}

function settingText(key: string, value: Json): string[] {
  if (value === null || value === false) return [];
  if (value === true) return [words(key)];
  return [
    `${words(key)} ${Array.isArray(value) ? value.map(String).join(' ') : typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  ];
}

function sourceLines({ sources }: TraceDetail, style: Style, width: number | null): string[] {
  if (sources.length === 0) return ['It found nothing.'];
  const rows = sources.map((source) => {
    const { retrieved, usage, total } = source.activation;
    const parts = usage === 0 ? '' : `${amount(retrieved)} retrieved + ${amount(usage)} usage`;
    return {
      number: numberOf(source.location),
      name: sourceName(source.provenance),
      total: amount(total),
      parts,
      source,
    };
  });
  const wide = (texts: readonly string[]): number => Math.max(...texts.map(displayWidth));
  const numbers = wide(rows.map((row) => row.number));
  // What the stage and the activation leave; a longer name is cut, its number still names it.
  const room = width === null ? Number.POSITIVE_INFINITY : Math.max(20, width - numbers - 22);
  const names = Math.min(room, wide(['SOURCE', ...rows.map((row) => row.name)]));
  const indent = ' '.repeat(numbers + 2);
  const head = `${indent}${padded('SOURCE', names)}  ${'STAGE'.padEnd(9)}  ACTIVATION`;
  return [
    style.dim(head),
    ...rows.flatMap(({ number, name, total, parts, source }) => {
      const stage = source.stage.padEnd(9);
      const cells = [
        style.number(padded(number, numbers)),
        style.repo(padded(truncate(name, names), names)),
        source.stage === 'retrieved' ? style.dim(stage) : source.stage === 'used' ? style.open(stage) : stage,
        `${total.padStart(5)}${parts === '' ? '' : `  ${style.dim(parts)}`}`,
      ];
      const path = source.path.length === 0 ? [] : [`${indent}  ${style.dim(pathText(source.path))}`];
      return [cells.join('  '), ...path];
    }),
  ];
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}
