import { fromMarkdown, type Options } from 'mdast-util-from-markdown';
import { frontMatterOf } from './front-matter.ts';
import { certainHeadings, type Heading, scanHeadings } from './heading-scan.ts';

/**
 * The parser is exact but slow (0.1 ms a line) and superlinear in some inputs. So it reads only from where the lines
 * leave a doubt, in windows of lines, whose text is shortened to what makes blocks; all but the last block of a window
 * is settled, and the next one starts there. A block of more than `longestBlock` lines is passed over to the next
 * heading that a scan of lines finds. After `budget` characters (a line counts as `lineCost` more) the scan reads the
 * rest of the document. Of the hostile documents tried, each a megabyte, none took much over a second on a busy machine.
 */
export const PARSER_LIMITS = {
  window: 64,
  longestBlock: 256,
  budget: 131_072,
  lineCost: 32,
  lineLength: 100,
  prefix: 32,
} as const;

/** Blocks only: inline constructs are half of the cost and the larger part of what is superlinear. */
const BLOCKS: Options = {
  extensions: [
    {
      disable: {
        null: [
          'attention',
          'autolink',
          'characterEscape',
          'characterReference',
          'codeText',
          'hardBreakEscape',
          'htmlText',
          'labelEnd',
          'labelStartImage',
          'labelStartLink',
        ],
      },
    },
  ],
};

const CANDIDATE = /^\uFEFF? {0,3}(?:#{1,6}(?:[ \t]|$)|(?:=+|-+)[ \t]*$)/m;

/** Whether a text can have a heading at all: true for some that have none, false for none that has one. */
export function mayHaveHeadings(text: string): boolean {
  return CANDIDATE.test(text);
}

/**
 * The ATX and setext headings of a Markdown document that stand in no quote, list, code, HTML or front matter, in
 * order.
 */
export function* headingsOf(text: string): Generator<Heading> {
  if (!mayHaveHeadings(text)) return;
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r', ' ')
    .split('\n');
  let budget: number = PARSER_LIMITS.budget;
  for (let at = frontMatterOf(text)?.lines ?? 0; at < lines.length; ) {
    const { headings, settled, doubt } = certainHeadings(lines, at);
    yield* headings;
    at = settled;
    for (let window: number = PARSER_LIMITS.window; at <= doubt && at < lines.length; ) {
      const end = Math.min(lines.length, at + window);
      const source = lines.slice(at, end).map(blockShape).join('\n');
      budget -= source.length + (end - at) * PARSER_LIMITS.lineCost;
      if (budget < 0) {
        yield* scanHeadings(lines, at);
        return;
      }
      const parsed = parseWindow(source, end === lines.length ? Infinity : end - at);
      for (const { level, line, end } of parsed.headings) yield { level, line: at + line, end: at + end };
      at += parsed.settled;
      if (parsed.settled > 0) window = PARSER_LIMITS.window;
      else if (window < PARSER_LIMITS.longestBlock) window *= 2;
      else at = lineOfNext(scanHeadings(lines, at), at) ?? lines.length;
    }
  }
}

function lineOfNext(headings: Iterable<Heading>, after: number): number | undefined {
  for (const heading of headings) if (heading.line > after) return heading.line;
  return undefined;
}

/** Parses a window; how many of its lines are settled: those that cannot change by what follows. */
function parseWindow(source: string, lines: number): { headings: Heading[]; settled: number } {
  const blocks = fromMarkdown(source, BLOCKS).children;
  const last = blocks.at(-1);
  const open = lines !== Infinity && last !== undefined && last.type !== 'heading';
  const settled = open ? startLine(last) : lines;
  const headings: Heading[] = [];
  for (const block of blocks) {
    if (block.type !== 'heading' || startLine(block) >= settled) continue;
    headings.push({ level: block.depth, line: startLine(block), end: block.position?.end.line ?? 1 });
  }
  return { headings, settled };
}

function startLine(block: { position?: { start: { line: number } } | undefined }): number {
  return (block.position?.start.line ?? 1) - 1;
}

const STRUCTURE = /^[\s>*+\-\d.)#]*/;
/** What closes an HTML block, and what makes a line of backticks no fence. */
const CLOSERS = ['`', '>', '?>', '-->', ']]>', '</script>', '</style>', '</pre>', '</textarea>'];

/** A line cut down to what decides which block it opens, continues or closes; once text has begun, only closers do. */
function blockShape(line: string): string {
  const { lineLength, prefix } = PARSER_LIMITS;
  const structure = STRUCTURE.exec(line)?.[0] ?? '';
  const shown = structure.slice(0, prefix);
  const text = line.slice(structure.length);
  // Below `[label]:` one word is a destination, several are none, unless the rest is a title.
  const afterWord = /\s+(\S)/.exec(text)?.[1];
  const mayBeTitle = afterWord === '"' || afterWord === "'" || afterWord === '(';
  if (/^\p{L}/u.test(text) && !text.includes('>') && !mayBeTitle)
    return afterWord === undefined ? `${shown}a` : `${shown}a b`;
  if (text.length <= lineLength) return shown + text;
  const rest = text.slice(lineLength).toLowerCase();
  const closers = CLOSERS.filter((closer) => rest.includes(closer)).join('');
  return `${shown}${text.slice(0, lineLength)}${/[^\s=_`~]/.test(rest) ? 'a' : ''}${closers}`;
}
