import type { Span } from './spans.ts';

export interface Inline {
  /** Comments and tags; never shown. */
  readonly hidden: Span[];
  /** Inline code with its delimiters: between backticks, or in `<code>` and the like. */
  readonly code: Span[];
  /** `<a href>` elements. */
  readonly anchors: Anchor[];
}

export interface Anchor extends Span {
  readonly destination: string;
}

const SPECIAL = /[`<\\]/g;
const TICKS = /`+/y;
const TAG = /<(\/?[A-Za-z][A-Za-z0-9-]*)(\s[^<>]*)?\/?>/y;
const CODE_ELEMENTS = new Set(['code', 'pre', 'kbd', 'samp', 'tt']);
const HREF = /\shref[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/i;

/** Finds what is code, comment and tag in each unit of a text; `html` false finds code between backticks only. */
export function inlineOf(text: string, units: readonly Span[], html: boolean): Inline {
  const found: Inline = { hidden: [], code: [], anchors: [] };
  for (const unit of units) readUnit(text.slice(unit.start, unit.end), unit.start, html, found);
  return found;
}

function readUnit(text: string, offset: number, html: boolean, { hidden, code, anchors }: Inline): void {
  if (!/[`<]/.test(text)) return;
  const span = (start: number, end: number): Span => ({ start: offset + start, end: offset + end });
  const endOfTicks = tickRuns(text);
  const endOf = lastingSearch(text);
  const special = new RegExp(SPECIAL);
  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    const at = match.index;
    if (match[0] === '\\') {
      special.lastIndex = at + 2;
    } else if (match[0] === '`') {
      TICKS.lastIndex = at;
      const length = TICKS.exec(text)?.[0].length ?? 1;
      const end = endOfTicks(at + length, length);
      if (end !== undefined) code.push(span(at, end));
      special.lastIndex = end ?? at + length;
    } else if (!html || text.startsWith('](', at - 2)) {
      // `](<` starts the destination of a link.
      continue;
    } else if (text.startsWith('<!--', at)) {
      const end = endOf('-->', at + 2);
      if (end !== undefined) hidden.push(span(at, end));
      special.lastIndex = end ?? at + 4;
    } else {
      TAG.lastIndex = at;
      const tag = TAG.exec(text);
      if (tag === null) continue;
      const [whole, written = '', attributes = ''] = tag;
      const name = written.toLowerCase();
      const tagEnd = at + whole.length;
      if (CODE_ELEMENTS.has(name)) {
        const end = endOf(`</${name}>`, tagEnd);
        if (end !== undefined) code.push(span(at, end));
        special.lastIndex = end ?? tagEnd;
        continue;
      }
      hidden.push(span(at, tagEnd));
      const href = name === 'a' ? HREF.exec(attributes) : null;
      if (href !== null) {
        const destination = href[1] ?? href[2] ?? href[3] ?? '';
        anchors.push({ ...span(at, endOf('</a>', tagEnd) ?? tagEnd), destination });
      }
      special.lastIndex = tagEnd;
    }
  }
}

/** A function that finds where the next run of so many backticks after a position ends; asked in ascending order. */
function tickRuns(text: string): (from: number, length: number) => number | undefined {
  const runs = new Map<number, { readonly starts: number[]; next: number }>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const known = runs.get(run.length);
    if (known === undefined) runs.set(run.length, { starts: [index], next: 0 });
    else known.starts.push(index);
  }
  return (from, length) => {
    const same = runs.get(length);
    if (same === undefined) return undefined;
    while ((same.starts[same.next] ?? Infinity) < from) same.next += 1;
    const start = same.starts[same.next];
    return start === undefined ? undefined : start + length;
  };
}

/** A function that finds where the next occurrence ends, in any case; what was not found once is not looked for again. */
function lastingSearch(text: string): (searched: string, from: number) => number | undefined {
  const upcoming = new Map<string, number>();
  return (searched, from) => {
    let end = upcoming.get(searched) ?? -1;
    if (end < from + searched.length) {
      const pattern = new RegExp(searched, 'gi');
      pattern.lastIndex = from;
      end = pattern.test(text) ? pattern.lastIndex : Infinity;
      upcoming.set(searched, end);
    }
    return end === Infinity ? undefined : end;
  };
}
