import { sha256Hex } from '../core/hash.ts';
import { canonicalJson } from '../core/json.ts';
import type { Document } from './document.ts';

/** Raised when the same document would be cut or tokenised otherwise than before: everything is then indexed again. */
export const INDEX_FORMAT = 1;

/**
 * SHA-256 (hex) over everything that is stored of a document. Equal hash: nothing to write. A version that was only
 * guessed (the time of indexing) does not count, or each run would find a new one.
 */
export function contentHash(document: Document): string {
  const { versionIsKnown, createdAt, updatedAt, version, ...content } = document;
  const times = versionIsKnown ? [createdAt, updatedAt, version] : [];
  // The list says which members are written, and in which order: no document is hashed by the order it was made in.
  return sha256Hex(JSON.stringify([INDEX_FORMAT, content, times], Object.keys(content).sort()));
}

/** Key under which a document is stored: its canonical reference, or a digest where its identity is not known. */
export function unresolvedKey(document: Document): string {
  const { repo, type, number, author, createdAt, body, path, line } = document;
  return `${repo}#${String(number)}/${type}/unresolved-${sha256Hex(canonicalJson([author, createdAt, body, path, line])).slice(0, 32)}`;
}
