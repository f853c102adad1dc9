/** A document chosen for the answer, with the scores that chose it. What did not rank it is null. */
export interface Hit {
  /** Passage that represents the document. */
  readonly passageId: number;
  readonly documentId: number;
  readonly entity: string;
  readonly type: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly score: number | null;
  readonly sparseScore: number | null;
  readonly sparseRank: number | null;
  readonly denseScore: number | null;
  readonly denseRank: number | null;
  readonly rerankScore: number | null;
}

/** A hit that was ranked, with the title that it is judged by. */
export interface RankedHit extends Hit {
  readonly title: string;
}

/** The passage at the beginning of a document. */
export function firstPassage(documentId: number): number {
  return documentId * 65536;
}

/** A document found without any ranking. */
export function unrankedHit(
  fields: Pick<Hit, 'passageId' | 'documentId' | 'entity' | 'type' | 'createdAt' | 'updatedAt'>,
): Hit {
  return {
    ...fields,
    score: null,
    sparseScore: null,
    sparseRank: null,
    denseScore: null,
    denseRank: null,
    rerankScore: null,
  };
}
