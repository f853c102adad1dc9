import type { DocumentTypeName } from './document-types.ts';

/**
 * One GitHub artefact at one version, as ingestion hands it on. All text is normalised (core/text.ts); times are
 * milliseconds since the epoch. A field that its type does not have is null.
 */
export interface Document {
  /** `owner/name`. */
  readonly repo: string;
  readonly type: DocumentTypeName;
  /** Thread number of issues, pull requests and everything in a thread. */
  readonly number: number | null;
  /** GitHub's id of a comment, decimal digits; null where it is not known. */
  readonly commentId: string | null;
  /** GitHub's id of a review, decimal digits; null where it is not known. */
  readonly reviewId: string | null;
  readonly tag: string | null;
  /** Path of a file, or slug of a wiki page. */
  readonly path: string | null;
  readonly commit: string | null;
  readonly line: number | null;
  readonly inReplyTo: string | null;
  readonly title: string;
  /** Body, file text, or the hunks of a patch. */
  readonly body: string;
  /** Text that is searched with the body but is not part of it: the commit message of a diff. */
  readonly preface: string;
  readonly state: string | null;
  readonly labels: readonly string[];
  readonly milestone: string | null;
  readonly assignees: readonly string[];
  readonly author: string | null;
  /** Page of the artefact; null where it follows from the other fields. */
  readonly url: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Version of its provenance when read from the index (feedback contract, section 1). */
  readonly version: string;
  /** False where nothing tells the version and the time of indexing stands in for it. */
  readonly versionIsKnown: boolean;
  /** Id of the git blob the text came from; null for what is no file. */
  readonly blob: string | null;
}

/** A piece of a document that is searched. */
export interface Passage {
  /** Position in the document, from 0. */
  readonly ordinal: number;
  /** Headings from the outermost to that of the passage; for code the function context of the hunk, if any. */
  readonly headingPath: readonly string[];
  /** Code points of `body` before the passage, and in it. */
  readonly offset: number;
  readonly length: number;
  /** First and last line, from 1: of the file for docs and (new side) diffs, of the body otherwise. Null: no lines. */
  readonly lines: { readonly start: number; readonly end: number } | null;
  /** The text of the passage: `body` from offset, length code points. */
  readonly text: string;
}

/** Cuts a document into its passages; at least one, also of an empty body. */
export type PassageCutter = (document: Document) => Passage[];
