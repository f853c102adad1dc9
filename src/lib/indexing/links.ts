import { labelKey } from './link-label.ts';
import type { Prose } from './prose.ts';
import type { Span } from './spans.ts';

/** A link or image as Markdown or HTML writes it. */
export interface Link extends Span {
  /** Where it leads, as written, without escapes. */
  readonly destination: string;
  readonly isImage: boolean;
  /** Where the text it shows ends; its destination or label follows. */
  readonly textEnd: number;
}

/** Depth of parentheses in a destination; more is not read as a link. */
const DEEPEST_PARENTHESES = 8;
const LONGEST_LABEL = 999;

/** The links and images of a text, inline, by reference and in HTML. */
export function linksOf(prose: Prose): Link[] {
  const links = prose.anchors.map(
    ({ start, end, destination }): Link => ({
      start,
      end,
      textEnd: end,
      isImage: false,
      destination: unescaped(destination),
    }),
  );
  for (const { start, end } of prose.units) {
    findLinks(prose.text.slice(start, end), start, prose.definitions, links);
  }
  return links;
}

interface Opening {
  readonly at: number;
  readonly isImage: boolean;
}

const BRACKET = /[[\]\\]/g;

/** Adds the links of a unit, which starts at `offset`, to those found. */
function findLinks(text: string, offset: number, definitions: ReadonlyMap<string, string>, links: Link[]): void {
  let openings: Opening[] = [];
  let lastBracket = -1;
  BRACKET.lastIndex = 0;
  while (BRACKET.test(text)) {
    const at = BRACKET.lastIndex - 1;
    const bracket = text.charAt(at);
    if (bracket === '\\') {
      BRACKET.lastIndex = at + 2;
      continue;
    }
    // A text with brackets in it is no label.
    const isLabel = lastBracket === openings.at(-1)?.at;
    lastBracket = at;
    if (bracket === '[') {
      openings.push({ at, isImage: text.charAt(at - 1) === '!' });
      continue;
    }
    const opening = openings.pop();
    if (opening === undefined) continue;
    const label = isLabel ? text.slice(opening.at + 1, at) : undefined;
    const resource = resourceAt(text, at + 1) ?? definedAt(text, at + 1, label, definitions);
    if (resource === undefined) continue;
    links.push({
      start: offset + opening.at - (opening.isImage ? 1 : 0),
      end: offset + resource.end,
      textEnd: offset + at + 1,
      isImage: opening.isImage,
      destination: resource.destination,
    });
    // Links do not nest.
    if (!opening.isImage && openings.length > 0) openings = [];
    BRACKET.lastIndex = resource.end;
  }
}

interface Resource {
  readonly destination: string;
  readonly end: number;
}

const POINTED = /<(?:[^<>\\\n\0]|\\.){0,2000}>/y;
const TITLE = /"(?:[^"\\]|\\[\s\S]){0,2000}"|'(?:[^'\\]|\\[\s\S]){0,2000}'|\((?:[^()\\]|\\[\s\S]){0,2000}\)/y;

/** Reads `(destination "title")`. */
function resourceAt(text: string, start: number): Resource | undefined {
  if (text.charAt(start) !== '(') return undefined;
  const from = afterSpace(text, start + 1);
  const isPointed = text.charAt(from) === '<';
  const to = isPointed ? endOf(POINTED, text, from) : endOfDestination(text, from);
  if (to === undefined) return undefined;
  let at = afterSpace(text, to);
  if (at > to && text.charAt(at) !== ')') at = afterSpace(text, endOf(TITLE, text, at) ?? at);
  if (text.charAt(at) !== ')') return undefined;
  const destination = isPointed ? text.slice(from + 1, to - 1) : text.slice(from, to);
  return { destination: unescaped(destination), end: at + 1 };
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (SPACE.has(text.charAt(at))) at += 1;
  return at;
}

const SPACE = new Set([' ', '\t', '\n']);

/** Where a destination ends that stands between parentheses alone; undefined where it has too many of its own. */
function endOfDestination(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit <= 0x20) return at;
    if (unit === BACKSLASH) at += 1;
    else if (unit === OPENING) depth += 1;
    else if (unit === CLOSING) depth -= 1;
    if (depth < 0) return at;
    if (depth > DEEPEST_PARENTHESES) return undefined;
  }
  return text.length;
}

const BACKSLASH = 0x5c;
const OPENING = 0x28;
const CLOSING = 0x29;

/** Reads `[label]`, `[]` or nothing after a text that may be its own label. */
function definedAt(
  text: string,
  start: number,
  ownLabel: string | undefined,
  definitions: ReadonlyMap<string, string>,
): Resource | undefined {
  if (definitions.size === 0) return undefined;
  const pattern = /\[((?:[^[\]\\]|\\[\s\S]){0,999})\]/y;
  pattern.lastIndex = start;
  const given = pattern.exec(text);
  const label = given?.[1] === undefined || given[1] === '' ? ownLabel : given[1];
  if (label === undefined || label.length > LONGEST_LABEL) return undefined;
  const destination = definitions.get(labelKey(label));
  return destination === undefined
    ? undefined
    : { destination: unescaped(destination), end: start + (given?.[0].length ?? 0) };
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function unescaped(destination: string): string {
  if (!/[\\&]/.test(destination)) return destination;
  return destination.replace(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('&amp;', '&');
}
