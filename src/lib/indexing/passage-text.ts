import type { Document } from '../corpus/document.ts';
import { DOCUMENT_TYPES } from '../corpus/document-types.ts';

/**
 * The text of a passage as an embedder is given it: the title of its document (of a diff, the commit message) in one
 * line, then the headings that it stands under, then the passage.
 */
export function passageText(
  { type, title, preface }: Pick<Document, 'type' | 'title' | 'preface'>,
  headingPath: readonly string[],
  text: string,
): string {
  const name = DOCUMENT_TYPES[type].cut === 'patch' ? preface : title;
  return `${name.replace(/\s+/g, ' ')}\n${headingPath.join('\n')}\n${text}`;
}
