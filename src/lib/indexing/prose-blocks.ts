import { labelKey } from './link-label.ts';
import type { Span } from './spans.ts';

/** How a text is marked up, as far as it matters to what it states. */
export interface Syntax {
  /** False for text without Markdown's blocks, links and HTML; what stands between backticks is code everywhere. */
  readonly markdown: boolean;
  /** Whether lines indented by four spaces are code. */
  readonly indentedCode: boolean;
  /** Whether quotes count. They do not where they repeat what another said. */
  readonly quotes: boolean;
}

export interface Blocks {
  /** Code blocks, raw HTML without text, link definitions, and quotes that do not count. */
  readonly hidden: readonly Span[];
  /** Stretches that inline markup does not cross: paragraphs, headings, list items, table rows; ascending. */
  readonly units: readonly Span[];
  /** Destinations of link definitions by the key of their label; the first one of a label. */
  readonly definitions: ReadonlyMap<string, string>;
}

const LIST_MARKER = '(?:[-*+]|\\d{1,9}[.)])';
const QUOTE = new RegExp(`^(?:[ \\t]*(?:${LIST_MARKER}[ \\t]+)*>)+ ?`);
const ALERT = /^\[!(?:note|tip|important|warning|caution)\][ \t]*$/i;
const ITEM = new RegExp(`^${LIST_MARKER}(?:([ \\t]+)(?=\\S)|[ \\t]*$)`);
const DEEPEST_LIST = 32;
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
const RAW_HTML = /^<(?:!--|(?:pre|script|style|textarea)(?=[\s>]|$))/i;
const LINE_UNIT = /^(?:#{1,6}(?:[ \t]|$)|\|)/;
const DEFINITION = /^\[(?!\^)((?:[^[\]\\]|\\.){1,999})\]:[ \t]*(?:<([^<>]*)>|([^\s<]\S*))/;

/**
 * Finds the blocks of a text by its lines, in one walk. It is more lenient than Markdown where people are: a fence
 * closes at any indentation, and only lines that bear the mark are quoted.
 */
export function blocksOf(text: string, syntax: Syntax): Blocks {
  const hidden: Span[] = [];
  const units: Span[] = [];
  const definitions = new Map<string, string>();
  /** Columns at which the content of the open list items starts. */
  let items: number[] = [];
  let unit: number | undefined;
  let fence: { readonly marker: string; readonly quoted: boolean } | undefined;
  let inQuote = false;
  let inAlert = false;

  const endUnit = (at: number): void => {
    if (unit !== undefined && unit < at) units.push({ start: unit, end: at });
    unit = undefined;
  };

  for (let at = 0; at < text.length; ) {
    const start = at;
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    at = newline < 0 ? end : end + 1;

    if (!syntax.markdown) {
      if (line.trim() === '') endUnit(start);
      else unit ??= start;
      continue;
    }

    const quote = QUOTE.exec(line)?.[0];
    const content = quote === undefined ? line : line.slice(quote.length);
    if (fence !== undefined && (quote !== undefined || !fence.quoted)) {
      hidden.push({ start, end: at });
      if (closesFence(fence.quoted ? content : line, fence.marker)) fence = undefined;
      continue;
    }
    fence = undefined;

    if ((quote !== undefined) !== inQuote) {
      endUnit(start);
      inQuote = quote !== undefined;
      inAlert = inQuote && ALERT.test(content);
      // What follows a quote directly goes on with it as a paragraph: no indentation makes it code.
      if (!inQuote) unit = start;
    }
    if (inQuote && !inAlert && !syntax.quotes) {
      hidden.push({ start, end: at });
      continue;
    }
    if (content.trim() === '') {
      endUnit(start);
      continue;
    }

    const column = indentation(content);
    if (!inQuote) {
      items = items.filter((item) => item <= column);
      if (syntax.indentedCode && unit === undefined && column - (items.at(-1) ?? 0) >= 4) {
        hidden.push({ start, end: at });
        continue;
      }
    }
    const { text: rest, columns } = withoutMarkers(content.trimStart(), column);
    if (columns.length > 0) {
      endUnit(start);
      if (!inQuote) items = [...items, ...columns].slice(-DEEPEST_LIST);
    }

    const marker = fenceMarker(rest);
    const html = RAW_HTML.exec(rest)?.[0];
    const definition = unit === undefined ? DEFINITION.exec(rest) : null;
    if (marker !== undefined) {
      endUnit(start);
      hidden.push({ start, end: at });
      fence = { marker, quoted: inQuote };
    } else if (html !== undefined) {
      endUnit(start);
      const htmlStart = end - rest.length;
      at = endOfHtml(text, htmlStart, html);
      hidden.push({ start: htmlStart, end: at });
      unit = at;
    } else if (definition !== null) {
      const key = labelKey(definition[1] ?? '');
      if (!definitions.has(key)) definitions.set(key, definition[2] ?? definition[3] ?? '');
      hidden.push({ start, end: at });
    } else if (LINE_UNIT.test(rest)) {
      endUnit(start);
      units.push({ start, end: at });
    } else unit ??= start;
  }
  endUnit(text.length);
  return { hidden, units, definitions };
}

/** Takes the markers of list items off a line; `columns` are those at which the content of each starts. */
function withoutMarkers(line: string, indent: number): { text: string; columns: number[] } {
  const columns: number[] = [];
  let text = line;
  let column = indent;
  while (columns.length < DEEPEST_LIST) {
    const item = ITEM.exec(text);
    if (item === null) break;
    const [marker, padding = ''] = item;
    column += padding.length > 4 ? marker.length - padding.length + 1 : marker.length;
    columns.push(column);
    text = text.slice(marker.length);
  }
  return { text, columns };
}

function fenceMarker(line: string): string | undefined {
  const fence = FENCE.exec(line);
  return fence?.[1] ?? fence?.[2];
}

function closesFence(line: string, marker: string): boolean {
  const closing = line.trim();
  return closing.startsWith(marker) && closing === marker.charAt(0).repeat(closing.length);
}

/** Where a comment ends, or an element whose content is no text; the end of the text where it is not closed. */
function endOfHtml(text: string, start: number, opening: string): number {
  // A comment may be as short as `<!-->`.
  const closing = opening === '<!--' ? /-->/g : new RegExp(`</${opening.slice(1)}>`, 'gi');
  closing.lastIndex = start + 2;
  return closing.test(text) ? closing.lastIndex : text.length;
}

/** Columns of white space at the start of a line; a tab goes on to the next multiple of four. */
function indentation(line: string): number {
  let column = 0;
  for (const character of line) {
    if (character === ' ') column += 1;
    else if (character === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
}
