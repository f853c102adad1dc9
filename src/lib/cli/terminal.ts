import { stripForTerminal } from '../core/text.ts';
import { displayWidth, graphemes } from './display-width.ts';

/** The variables that decide about colour, as the environment has them. */
export interface ColorEnvironment {
  readonly noColor: string | undefined;
  readonly forceColor: string | undefined;
  readonly cliColorForce: string | undefined;
  readonly cliColor: string | undefined;
  readonly term: string | undefined;
}

export interface StreamFacts {
  readonly isTTY: boolean;
  /** Width in columns, where there is a terminal that knows it. */
  readonly columns: number | undefined;
}

/** How text looks where it goes. */
export interface Terminal {
  readonly isTTY: boolean;
  readonly style: Style;
  /** Columns to fit into; null: not a terminal, so nothing is cut. */
  readonly width: number | null;
  /** Whether titles may carry links (OSC 8); off unless asked for. */
  readonly hyperlinks: boolean;
}

/**
 * Whether to colour: never with NO_COLOR; else FORCE_COLOR and CLICOLOR_FORCE decide where they are set; else a terminal
 * that is not dumb gets colour, unless CLICOLOR is 0.
 */
export function wantsColor(environment: ColorEnvironment, stream: StreamFacts): boolean {
  const { noColor, forceColor, cliColorForce, cliColor, term } = environment;
  if (noColor !== undefined && noColor !== '') return false;
  if (forceColor !== undefined && forceColor !== '') return forceColor !== '0' && forceColor !== 'false';
  if (cliColorForce !== undefined && cliColorForce !== '' && cliColorForce !== '0') return true;
  return stream.isTTY && term !== 'dumb' && cliColor !== '0';
}

/** Describes one stream. */
export function terminalOf(environment: ColorEnvironment, stream: StreamFacts): Terminal {
  return {
    isTTY: stream.isTTY,
    style: wantsColor(environment, stream) ? COLORED : PLAIN,
    width: stream.isTTY
      ? Math.max(20, stream.columns === undefined || stream.columns === 0 ? 80 : stream.columns)
      : null,
    hyperlinks: false,
  };
}

// Select graphic rendition: the code that turns a style on and the one that turns it off again.
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  repo: [36, 39],
  number: [33, 39],
  match: [31, 39],
  open: [32, 39],
  closed: [31, 39],
  merged: [35, 39],
  error: [31, 39],
  warning: [33, 39],
} as const satisfies Record<string, readonly [number, number]>;

export type StyleName = keyof typeof CODES;

export type Style = Readonly<Record<StyleName, (text: string) => string>>;

const STYLE_NAMES = Object.keys(CODES) as StyleName[];

function styleBy(paint: (name: StyleName, text: string) => string): Style {
  const entries = STYLE_NAMES.map((name) => [name, (text: string) => (text === '' ? '' : paint(name, text))] as const);
  return Object.fromEntries(entries) as Record<StyleName, (text: string) => string>;
}

const PLAIN = styleBy((_, text) => text);
const COLORED = styleBy((name, text) => `\u001B[${String(CODES[name][0])}m${text}\u001B[${String(CODES[name][1])}m`);

/** A link to `url` under a text, where the terminal takes links; else the text. Only http and https. */
export function hyperlink(terminal: Terminal, text: string, url: string): string {
  if (!terminal.hyperlinks || !/^https?:\/\/[\u0021-\u007E]+$/.test(url)) return text;
  return `\u001B]8;;${url}\u001B\\${text}\u001B]8;;\u001B\\`;
}

/** Text of strangers on one line: no control characters, white space runs become one space. */
export function oneLine(text: string): string {
  return stripForTerminal(text).replace(/\s+/g, ' ').trim();
}

/** Cuts plain text (no escape sequences) to a display width, ending in `…` where something was cut. Null: no limit. */
export function truncate(text: string, width: number | null): string {
  if (width === null || displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    const next = displayWidth(grapheme);
    if (used + next > width - 1) break;
    kept += grapheme;
    used += next;
  }
  return width <= 0 ? '' : `${kept.trimEnd()}…`;
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** The age of `time` at `now` (ms since the epoch) in its largest whole unit: `3 days ago`, `in 2 hours`, `just now`. */
export function relativeAge(time: number, now: number): string {
  const age = Math.abs(now - time);
  for (const [name, ms] of UNITS) {
    if (age < ms) continue;
    const count = Math.floor(age / ms);
    const words = `${String(count)} ${name}${count === 1 ? '' : 's'}`;
    return time <= now ? `${words} ago` : `in ${words}`;
  }
  return 'just now';
}
