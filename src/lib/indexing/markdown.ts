import { frontMatterOf } from './front-matter.ts';
import { headingReader } from './heading-text.ts';
import { headingsOf } from './headings.ts';
import { type Piece, pieceMaker } from './piece.ts';

/**
 * Cuts a Markdown document into its sections: one per heading, from it to the next heading of any level, and one with
 * an empty path for what stands before the first. They cover the text. Headings without text are left out of paths.
 */
export function sectionsOf(text: string): Piece[] {
  const piece = pieceMaker(text);
  const textOf = headingReader(text);
  const lineStart = lineStarts(text);
  const sections: Piece[] = [];
  const enclosing: { level: number; text: string }[] = [];
  let start = 0;
  let path: readonly string[] = [];
  for (const { level, line, end } of headingsOf(text)) {
    const at = lineStart(line);
    if (at > start) sections.push(piece(start, at, path));
    while ((enclosing.at(-1)?.level ?? 0) >= level) enclosing.pop();
    enclosing.push({ level, text: textOf(text.slice(at, lineStart(end))) });
    path = enclosing.map((heading) => heading.text).filter((heading) => heading !== '');
    start = at;
  }
  if (start < text.length || sections.length === 0) sections.push(piece(start, text.length, path));
  return sections;
}

/** Title of a Markdown document: its first heading of level 1, else the title in its front matter, else its file name. */
export function documentTitle(text: string, path: string): string {
  const lineStart = lineStarts(text);
  const textOf = headingReader(text);
  for (const { level, line, end } of headingsOf(text)) {
    if (level !== 1) continue;
    const title = textOf(text.slice(lineStart(line), lineStart(end)));
    if (title !== '') return title;
  }
  return frontMatterOf(text)?.title ?? path.slice(path.lastIndexOf('/') + 1);
}

/** A function from lines (from 0) to the UTF-16 unit at which they start; asked in ascending order. */
function lineStarts(text: string): (line: number) => number {
  let at = 0;
  let current = 0;
  return (line) => {
    while (current < line && at < text.length) {
      const newline = text.indexOf('\n', at);
      at = newline < 0 ? text.length : newline + 1;
      current += 1;
    }
    return at;
  };
}
