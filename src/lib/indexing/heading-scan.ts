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
  return line === undefined || line.trim() === '';
}
