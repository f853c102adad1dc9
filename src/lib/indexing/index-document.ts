import type { Document } from '../corpus/document.ts';
import { DOCUMENT_TYPES } from '../corpus/document-types.ts';
import type { IndexedDocument } from '../corpus/indexed-document.ts';
import { documentTitle } from './markdown.ts';
import { isMarkdown, passagesOf } from './passages.ts';
import { segmentText } from './segment.ts';

/**
 * Makes a document searchable: cuts it, gives a doc its real title, and gives each passage the text that its full-text
 * index holds. Every passage carries the title, so that a long document is found by title and passage together.
 */
export function indexDocument(given: Document): IndexedDocument {
  const { tokenizer, cut } = DOCUMENT_TYPES[given.type];
  const document = cut === 'document' && given.title === '' ? { ...given, title: titleOf(given) } : given;
  const forIndex = tokenizer === 'nat' ? segmentText : (text: string): string => text;
  const title = forIndex(cut === 'patch' ? document.preface : document.title);
  const reference = forIndex(referenceText(document));
  const passages = passagesOf(document).map((passage) => ({
    ...passage,
    search: { title, reference, heading: forIndex(passage.headingPath.join('\n')), body: forIndex(passage.text) },
  }));
  return { document, passages };
}

/** Title of a file that came without one. */
function titleOf(document: Document): string {
  const path = document.path ?? '';
  return isMarkdown(document) ? documentTitle(document.body, path) : path.slice(path.lastIndexOf('/') + 1);
}

/** What a document can be called by, beside its words: its number, tag, path, or commit. */
function referenceText({ type, number, tag, path, commit }: Document): string {
  switch (type) {
    case 'issue':
    case 'pull_request':
      return `#${String(number)}`;
    case 'release':
      return tag ?? '';
    case 'diff':
      return `${commit ?? ''} ${path ?? ''}`;
    default:
      return path ?? '';
  }
}
