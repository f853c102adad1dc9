import { sha256Base64Url } from '../core/hash.ts';
import { canonicalJson } from '../core/json.ts';
import { DOCUMENT_TYPES, type DocumentTypeName } from './document-types.ts';

/** Which version of which artefact a text is: the five fields of the feedback contract, section 1, and nothing else. */
export interface Provenance {
  readonly repo: string;
  readonly type: DocumentTypeName;
  /** Number, path, tag or id; for a diff the commit and the path. Ids beyond 2^53 are decimal strings. */
  readonly identity: number | string | readonly [commit: string, path: string];
  readonly version: string;
  readonly content_source: 'index' | 'github_live';
}

/** What identifies a document, as stored. */
export interface IdentityFields {
  readonly repo: string;
  readonly type: DocumentTypeName;
  readonly number: number | null;
  readonly commentId: string | null;
  readonly reviewId: string | null;
  readonly tag: string | null;
  readonly path: string | null;
  readonly commit: string | null;
}

/** `src_` + base64url(SHA-256(canonical JSON of the provenance)): equal for equal provenance, on every machine. */
export function sourceId(provenance: Provenance): string {
  const { repo, type, identity, version, content_source } = provenance;
  return `src_${sha256Base64Url(canonicalJson({ repo, type, identity, version, content_source }))}`;
}

/** Identity of a document within its repository and type; undefined where it is not known (an id that is 0 or absent). */
export function identityOf(fields: IdentityFields): Provenance['identity'] | undefined {
  switch (DOCUMENT_TYPES[fields.type].identity) {
    case 'number':
      return fields.number ?? undefined;
    case 'tag':
      return fields.tag ?? undefined;
    case 'path':
      return fields.path ?? undefined;
    case 'commit_path':
      return fields.commit === null || fields.path === null ? undefined : [fields.commit, fields.path];
    case 'comment_id':
      return numericId(fields.commentId);
    case 'review_id':
      return numericId(fields.reviewId);
  }
}

/** Provenance of a document's stored text; undefined where its identity is not known. */
export function indexProvenance(fields: IdentityFields & { readonly version: string }): Provenance | undefined {
  const identity = identityOf(fields);
  if (identity === undefined) return undefined;
  return { repo: fields.repo, type: fields.type, identity, version: fields.version, content_source: 'index' };
}

function numericId(id: string | null): number | string | undefined {
  if (id === null || /^0*$/.test(id)) return undefined;
  const value = Number(id);
  return Number.isSafeInteger(value) ? value : id;
}
