/** A document that was found. */
export interface FoundDocument {
  /** Passage that represents the document. */
  readonly passageId: number;
  readonly documentId: number;
  readonly entity: string;
  readonly type: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A document in the order of one ranker; `rank` from 1. */
export interface RankedDocument extends FoundDocument {
  readonly title: string;
  readonly score: number;
  readonly rank: number;
}

/** What a row of a ranker's statement says of its document. */
export interface RankedRow {
  readonly passage_id: number;
  readonly document_id: number;
  readonly entity: string;
  readonly type: string;
  readonly title: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly score: number;
}

/** The document of a row, at its place from 0. */
export function rankedDocument(row: RankedRow, at: number): RankedDocument {
  return {
    passageId: row.passage_id,
    documentId: row.document_id,
    entity: row.entity,
    type: row.type,
    title: row.title,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    score: row.score,
    rank: at + 1,
  };
}

/** A document chosen for the answer, with the scores that chose it. What did not rank it is null. */
export interface Hit extends FoundDocument {
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
export function unrankedHit(fields: FoundDocument): Hit {
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
