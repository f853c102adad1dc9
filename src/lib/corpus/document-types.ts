/**
 * The table of document types: what identifies a document, what it folds into, how its text is tokenised. A new type is
 * a new row here.
 */
export interface DocumentType {
  /** Which full-text index holds its passages: prose is stemmed, code is matched by trigrams. */
  readonly tokenizer: 'nat' | 'code';
  /** Which fields make its identity within a repository. */
  readonly identity: 'number' | 'tag' | 'path' | 'commit_path' | 'comment_id' | 'review_id';
  /** What its rows fold into in an answer. */
  readonly entity: 'thread' | 'file' | 'self';
  /** How passages are cut. */
  readonly cut: 'prose' | 'document' | 'patch';
}

export const DOCUMENT_TYPES = {
  issue: { tokenizer: 'nat', identity: 'number', entity: 'thread', cut: 'prose' },
  pull_request: { tokenizer: 'nat', identity: 'number', entity: 'thread', cut: 'prose' },
  issue_comment: { tokenizer: 'nat', identity: 'comment_id', entity: 'thread', cut: 'prose' },
  pr_review: { tokenizer: 'nat', identity: 'review_id', entity: 'thread', cut: 'prose' },
  pr_review_comment: { tokenizer: 'nat', identity: 'comment_id', entity: 'thread', cut: 'prose' },
  release: { tokenizer: 'nat', identity: 'tag', entity: 'self', cut: 'prose' },
  doc: { tokenizer: 'nat', identity: 'path', entity: 'file', cut: 'document' },
  wiki_doc: { tokenizer: 'nat', identity: 'path', entity: 'self', cut: 'document' },
  diff: { tokenizer: 'code', identity: 'commit_path', entity: 'file', cut: 'patch' },
} as const satisfies Record<string, DocumentType>;

export type DocumentTypeName = keyof typeof DOCUMENT_TYPES;

/** Names of all document types, in the order they are shown. */
export const DOCUMENT_TYPE_NAMES = Object.keys(DOCUMENT_TYPES) as [DocumentTypeName, ...DocumentTypeName[]];
