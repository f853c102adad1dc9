import { sha256Hex } from '../core/hash.ts';
import { canonicalJson } from '../core/json.ts';
import type { Document } from './document.ts';

/** Raised when the same document would be cut or tokenised otherwise than before: everything is then indexed again. */
export const INDEX_FORMAT = 1;

type Content = Omit<Document, 'createdAt' | 'updatedAt' | 'version' | 'versionIsKnown'>;

/** All fields but the times; a new field does not compile until it is listed. */
const HASHED_FIELDS = fieldNames({
  repo: true,
  type: true,
  number: true,
  commentId: true,
  reviewId: true,
  tag: true,
  path: true,
  commit: true,
  line: true,
  inReplyTo: true,
  title: true,
  body: true,
  preface: true,
  state: true,
  labels: true,
  milestone: true,
  assignees: true,
  author: true,
  url: true,
  blob: true,
});

function fieldNames(fields: Readonly<Record<keyof Content, true>>): (keyof Content)[] {
  return Object.keys(fields) as (keyof Content)[]; // the type of the parameter says so
}

/**
 * SHA-256 (hex) over everything that is stored of a document. Equal hash: nothing to write. A version that was only
 * guessed (the time of indexing) does not count, or each run would find a new one. `format`: by the rules of then.
 */
export function contentHash(document: Document, format = INDEX_FORMAT): string {
  const { createdAt, updatedAt, version, versionIsKnown } = document;
  const times = versionIsKnown ? [createdAt, updatedAt, version] : [];
  return sha256Hex(JSON.stringify([format, ...HASHED_FIELDS.map((name) => document[name]), times]));
}

/** Key under which a document is stored: its canonical reference, or a digest where its identity is not known. */
export function unresolvedKey(document: Document): string {
  const { repo, type, number, author, createdAt, body, path, line } = document;
  return `${repo}#${String(number)}/${type}/unresolved-${sha256Hex(canonicalJson([author, createdAt, body, path, line])).slice(0, 32)}`;
}
