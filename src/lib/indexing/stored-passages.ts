import type { DocumentText, PassagePlace } from '../corpus/passage-texts.ts';
import { passageText } from './passage-text.ts';
import { moveBy } from './piece.ts';

/** A stored passage with its text as an embedder is given it. */
export interface StoredPassage {
  readonly passageId: number;
  readonly documentId: number;
  readonly repo: string;
  readonly text: string;
}

/** Cuts passages out of the bodies of their documents, in the order of their places; without its document one is left out. */
export function textsOfPassages(texts: readonly DocumentText[], places: readonly PassagePlace[]): StoredPassage[] {
  const documents = new Map(texts.map((text) => [text.document_id, text]));
  // Places of a document come in order: each is looked for from where the last one began.
  let walked = { documentId: -1, codePoints: 0, unit: 0 };
  return places.flatMap(({ passageId, documentId, headingPath, start, length }) => {
    const document = documents.get(documentId);
    if (document === undefined) return [];
    if (walked.documentId !== documentId) walked = { documentId, codePoints: 0, unit: 0 };
    const unit = moveBy(document.body, walked.unit, start - walked.codePoints);
    walked = { documentId, codePoints: start, unit };
    const body = document.body.slice(unit, moveBy(document.body, unit, length));
    return [{ passageId, documentId, repo: document.repo, text: passageText(document, headingPath, body) }];
  });
}
