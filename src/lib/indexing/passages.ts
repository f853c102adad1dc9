import { codePointLength } from '../core/text.ts';
import type { Document, Passage, PassageCutter } from '../corpus/document.ts';
import { DOCUMENT_TYPES } from '../corpus/document-types.ts';
import { mayHaveHeadings } from './headings.ts';
import { sectionsOf } from './markdown.ts';
import { cutParagraphs, PIECE_SIZE } from './paragraphs.ts';
import { cutPatch } from './patch.ts';
import { moveBy, type Piece } from './piece.ts';

/** Passages of a document at most; the last one then holds all that is left. */
export const MOST_PASSAGES = 4000;

/** Code points below which neighbouring sections of a comment or an issue, all of one parent, become one passage. */
const TINY_SECTION = 200;

/** Cuts a document into passages that cover its body in order, as its type and its name ask for. */
export const passagesOf: PassageCutter = (document) => {
  const pieces = piecesOf(document);
  const kept = pieces.length <= MOST_PASSAGES ? pieces : withRestFolded(pieces, document);
  return kept.map((piece, ordinal): Passage => ({ ordinal, ...piece }));
};

function piecesOf(document: Document): Piece[] {
  const { body, type } = document;
  switch (DOCUMENT_TYPES[type].cut) {
    case 'patch':
      return cutPatch(body);
    case 'document':
      return isMarkdown(document) ? sectionsOf(body).flatMap(cutSection) : cutParagraphs(body);
    case 'prose':
      if (isShort(body) || !mayHaveHeadings(body)) return cutParagraphs(body);
      return withTinyMerged(sectionsOf(body)).flatMap(cutSection);
  }
}

/** Whether a document is read as Markdown: by its extension; wiki pages without that of another markup too. */
export function isMarkdown({ type, path }: Pick<Document, 'type' | 'path'>): boolean {
  if (/\.(?:md|mdx|markdown)$/i.test(path ?? '')) return true;
  return (
    type === 'wiki_doc' && !/\.(?:rst|a(?:scii)?doc|txt|org|textile|(?:media)?wiki|creole|pod|rdoc)$/i.test(path ?? '')
  );
}

function isShort(body: string): boolean {
  return body.length <= PIECE_SIZE.max * 2 && codePointLength(body) <= PIECE_SIZE.max;
}

/** Cuts a section at its paragraphs; pieces keep its heading path and count from where it counts. */
function cutSection(section: Piece): Piece[] {
  if (section.length <= PIECE_SIZE.max) return [section];
  const before = (section.lines?.start ?? 1) - 1;
  return cutParagraphs(section.text).map((piece) => ({
    ...piece,
    headingPath: section.headingPath,
    offset: section.offset + piece.offset,
    lines: piece.lines && { start: piece.lines.start + before, end: piece.lines.end + before },
  }));
}

/**
 * Joins tiny sections that follow each other under one parent, such as the answers of an issue form; the heading path
 * of what comes out is that of the parent, which encloses all of it.
 */
function withTinyMerged(sections: readonly Piece[]): Piece[] {
  const merged: Piece[] = [];
  let mergedUnder: string | undefined;
  for (const section of sections) {
    const last = merged.at(-1);
    const parent = section.length < TINY_SECTION && section.headingPath.length > 0 ? parentOf(section) : undefined;
    const joins = last !== undefined && parent !== undefined && parent === mergedUnder;
    if (joins && last.length + section.length <= PIECE_SIZE.target) {
      merged[merged.length - 1] = {
        headingPath: section.headingPath.slice(0, -1),
        offset: last.offset,
        length: last.length + section.length,
        lines: last.lines && section.lines && { start: last.lines.start, end: section.lines.end },
        text: last.text + section.text,
      };
    } else {
      merged.push(section);
      mergedUnder = parent;
    }
  }
  return merged;
}

function parentOf(section: Piece): string {
  return JSON.stringify(section.headingPath.slice(0, -1));
}

/** Makes everything from the last allowed piece on one, under the headings that enclose all of it. */
function withRestFolded(pieces: readonly Piece[], { body, type }: Document): Piece[] {
  const kept = pieces.slice(0, MOST_PASSAGES - 1);
  const rest = pieces.slice(MOST_PASSAGES - 1);
  const [first] = rest;
  if (first === undefined) return kept;
  const text = body.slice(moveBy(body, 0, first.offset));
  const start = first.lines?.start;
  const end = rest.at(-1)?.lines?.end;
  // The last group of a patch may count on another side than the first.
  const exact = DOCUMENT_TYPES[type].cut !== 'patch' && start !== undefined && end !== undefined;
  const headingPath = rest.map((piece) => piece.headingPath).reduce(commonStart);
  return [
    ...kept,
    { headingPath, offset: first.offset, length: codePointLength(text), lines: exact ? { start, end } : null, text },
  ];
}

function commonStart(a: readonly string[], b: readonly string[]): readonly string[] {
  const differs = a.findIndex((heading, depth) => heading !== b[depth]);
  return differs < 0 ? a : a.slice(0, differs);
}
