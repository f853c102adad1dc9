import type { WriteStep } from '../engine/database.ts';
import type { Document, Passage } from './document.ts';

/** A passage with the text that the full-text index of its type is given, column by column. */
export interface IndexedPassage extends Passage {
  readonly search: {
    readonly title: string;
    readonly heading: string;
    readonly reference: string;
    readonly body: string;
  };
}

/** A document as it is stored and searched. */
export interface IndexedDocument {
  readonly document: Document;
  readonly passages: readonly IndexedPassage[];
}

/** Makes a document searchable. Pure: the same document always gives the same passages. */
export type Indexer = (document: Document) => IndexedDocument;

/** A document to be written, under its key. */
export interface KeyedDocument extends IndexedDocument {
  readonly key: string;
}

/** Makes the steps that store the vectors of what a batch writes, behind those that store its passages. */
export type BatchEmbedder = (entries: readonly KeyedDocument[]) => Promise<readonly WriteStep[]>;
