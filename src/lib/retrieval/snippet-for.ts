import { DOCUMENT_TYPES } from '../corpus/document-types.ts';
import type { PassageDetail } from './details.ts';
import { markSnippet, snippetOf } from './snippet.ts';
import { snippetTerms } from './snippet-matches.ts';

/** Shorter than on its own, in code points: an answer of ten results has to stay small. */
const LENGTH = 200;

/** Makes the snippets of one answer; the marks are those of the wire format. */
export function snippetFor(query: string): (detail: PassageDetail) => string {
  const terms = snippetTerms(query);
  return ({ document, passage, preface }) => {
    // A commit is often found by its message alone.
    const text = preface === '' ? passage : `${preface}\n${passage}`;
    return markSnippet(
      snippetOf(text, terms, { index: DOCUMENT_TYPES[document.type].tokenizer, length: LENGTH }),
      '«',
      '»',
    );
  };
}
