/** A heading that starts a section: its level, its first line from 0, and the line after its last one. */
export interface Heading {
  readonly level: number;
  readonly line: number;
  readonly end: number;
}

const ATX = /^(#{1,6})(?:[ \t]|$)/;
const SETEXT = /^(?:(=+)|-{2,})[ \t]*$/;
/** Also in a list item, so that the marks that close it there open nothing. */
const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;
/** A paragraph's only line: it starts in the first column, with nothing that could open another block. */
const PARAGRAPH = /^[^\s>*+\-\d#<|`~=]/;

interface HtmlBlock {
  readonly opens: RegExp;
  readonly closes: RegExp;
}

const HTML_BLOCKS: readonly HtmlBlock[] = [
  { opens: /^ {0,3}<!--/, closes: /-->/ },
  { opens: /^ {0,3}<(?:script|style|pre|textarea)(?:[\s>]|$)/i, closes: /<\/(?:script|style|pre|textarea)>/i },
  { opens: /^ {0,3}<\?/, closes: /\?>/ },
  { opens: /^ {0,3}<!\[CDATA\[/, closes: /\]\]>/ },
  { opens: /^ {0,3}<![a-z]/i, closes: />/ },
];

const ROOT_FENCE = /^(?:(`{3,})[^`]*$|(~{3,}))/;
const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
/** HTML, and headings and fences that may belong to a list item. */
const DOUBTFUL = /^ {0,3}<|^ {1,3}(?:#{1,6}(?:[ \t]|$)|`{3}|~{3})/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;

/** What lines alone tell for certain. */
export interface CertainHeadings {
  readonly headings: readonly Heading[];
  /** Everything before this line is told; no block of the document is open there. */
  readonly settled: number;
  /** The line that leaves a doubt; Infinity when the document ends before one does. */
  readonly doubt: number;
}

/**
 * Reads a Markdown document from a line at which no block is open, as far as lines alone decide its headings. An ATX
 * heading in the first column ends any list, quote and paragraph, and so does a paragraph in the first column after a
 * blank line: only fences and HTML hold them, and a fence in the first column is always one.
 */
export function certainHeadings(lines: readonly string[], from: number): CertainHeadings {
  const headings: Heading[] = [];
  let settled = from;
  let fence: string | undefined;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (fence !== undefined) {
      if (CLOSING_FENCE.exec(line)?.[1]?.startsWith(fence) === true) fence = undefined;
      continue;
    }
    const marks = ATX.exec(line)?.[1];
    if (marks !== undefined) {
      headings.push({ level: marks.length, line: at, end: at + 1 });
      settled = at + 1;
      continue;
    }
    const afterBlank = at === from || isBlank(lines[at - 1]);
    if (DOUBTFUL.test(line) || (!afterBlank && UNDERLINE.test(line))) return { headings, settled, doubt: at };
    if (afterBlank && /^\p{L}/u.test(line)) settled = at;
    const opening = ROOT_FENCE.exec(line);
    fence = opening?.[1] ?? opening?.[2];
  }
  return { headings, settled: lines.length, doubt: Infinity };
}

/**
 * Finds headings by their lines alone, in linear time, where a document is too much for the parser: ATX headings in the
 * first column, and setext headings of one line after a blank one; neither in fences, comments or raw HTML.
 */
export function* scanHeadings(lines: readonly string[], from: number): Generator<Heading> {
  let fence: string | undefined;
  let html: HtmlBlock | undefined;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (html !== undefined) {
      if (html.closes.test(line)) html = undefined;
      continue;
    }
    const marker = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (marker?.startsWith(fence) === true && line.trim() === marker) fence = undefined;
      continue;
    }
    fence = marker;
    html = HTML_BLOCKS.find(({ opens }) => opens.test(line));
    // A comment may close on the line that opens it, after its opening.
    if (html?.closes.test(line.replace(/^ {0,3}<!--/, '')) === true) html = undefined;
    const marks = ATX.exec(line)?.[1];
    if (marks !== undefined) yield { level: marks.length, line: at, end: at + 1 };
    else if (PARAGRAPH.test(line) && isBlank(lines[at - 1])) {
      const underline = SETEXT.exec(lines[at + 1] ?? '');
      if (underline !== null) yield { level: underline[1] === undefined ? 2 : 1, line: at, end: at + 2 };
    }
  }
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || /^[ \t]*$/.test(line);
}
