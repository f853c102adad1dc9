import type { Change, WriteStep } from '../engine/database.ts';
import { DOCUMENT_TYPES } from './document-types.ts';
import type { KeyedDocument } from './indexed-document.ts';
import { indexProvenance, sourceId } from './provenance.ts';
import { entityKey } from './reference.ts';
import { rowsOf, rowsStep } from './rows.ts';

const COLUMNS = [
  'type',
  'key',
  'entity',
  'source_id',
  'version',
  'number',
  'comment_id',
  'review_id',
  'tag',
  'path',
  'commit_sha',
  'line',
  'in_reply_to',
  'title',
  'state',
  'labels',
  'milestone',
  'assignees',
  'author',
  'url',
  'created_at',
  'updated_at',
  'blob',
  'content_hash',
] as const;

// `WHERE true` keeps the parser from reading ON as a join constraint.
const UPSERT_DOCUMENTS = `INSERT INTO documents (repo_id, ${COLUMNS.join(', ')})
SELECT (SELECT id FROM repos WHERE slug = row.repo), ${COLUMNS.map((name) => `row.${name}`).join(', ')}
FROM ${rowsOf(['repo', ...COLUMNS])} AS row WHERE true
ON CONFLICT (key) DO UPDATE SET ${COLUMNS.filter((name) => name !== 'key')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`;

const BODY_COLUMNS = ['key', 'body', 'preface'] as const;
const UPSERT_BODIES = `INSERT INTO bodies (document_id, body, preface)
SELECT d.id, row.body, row.preface FROM ${rowsOf(BODY_COLUMNS)} AS row JOIN documents d ON d.key = row.key WHERE true
ON CONFLICT (document_id) DO UPDATE SET body = excluded.body, preface = excluded.preface`;

const PASSAGE_COLUMNS = ['key', 'ordinal', 'heading_path', 'start', 'length', 'first_line', 'last_line'] as const;
const INSERT_PASSAGES = `INSERT INTO passages (id, document_id, heading_path, start, length, first_line, last_line)
SELECT d.id * 65536 + row.ordinal, d.id, row.heading_path, row.start, row.length, row.first_line, row.last_line
FROM ${rowsOf(PASSAGE_COLUMNS)} AS row JOIN documents d ON d.key = row.key`;

const SEARCH_COLUMNS = ['key', 'ordinal', 'title', 'heading', 'reference', 'body'] as const;
const insertSearch = (table: 'passages_nat' | 'passages_code'): string =>
  `INSERT INTO ${table} (rowid, title, heading, reference, body)
SELECT d.id * 65536 + row.ordinal, row.title, row.heading, row.reference, row.body
FROM ${rowsOf(SEARCH_COLUMNS)} AS row JOIN documents d ON d.key = row.key`;

/** A document to be written; the hash is that of the document as it was ingested. */
interface Entry extends KeyedDocument {
  readonly hash: string;
}

/** Writes documents with their bodies, passages and full-text rows; passages that were stored before must be gone. */
export function documentSteps(entries: readonly Entry[]): WriteStep[] {
  const bodies = entries.map(({ key, document }) => ({ key, body: document.body, preface: document.preface }));
  return [
    rowsStep(UPSERT_DOCUMENTS, ['repo', ...COLUMNS], entries.map(documentRow)),
    rowsStep(UPSERT_BODIES, BODY_COLUMNS, bodies),
    passageSteps(entries),
  ].flat();
}

/** Writes the passages and full-text rows of documents that are stored; those that were stored before must be gone. */
export function passageSteps(entries: readonly KeyedDocument[]): Change[] {
  const passages = entries.flatMap((entry) =>
    entry.passages.map((passage) => ({
      key: entry.key,
      ordinal: passage.ordinal,
      heading_path: JSON.stringify(passage.headingPath),
      start: passage.offset,
      length: passage.length,
      first_line: passage.lines?.start ?? null,
      last_line: passage.lines?.end ?? null,
    })),
  );
  return [...rowsStep(INSERT_PASSAGES, PASSAGE_COLUMNS, passages), ...searchSteps(entries)];
}

/** Writes the full-text rows of documents that are stored with their passages. */
export function searchSteps(entries: readonly KeyedDocument[]): Change[] {
  const rows = (tokenizer: 'nat' | 'code') =>
    entries
      .filter(({ document }) => DOCUMENT_TYPES[document.type].tokenizer === tokenizer)
      .flatMap(({ key, passages }) => passages.map(({ ordinal, search }) => ({ key, ordinal, ...search })));
  return [
    rowsStep(insertSearch('passages_nat'), SEARCH_COLUMNS, rows('nat')),
    rowsStep(insertSearch('passages_code'), SEARCH_COLUMNS, rows('code')),
  ].flat();
}

function documentRow({
  key,
  hash,
  document,
}: Entry): Record<(typeof COLUMNS)[number] | 'repo', string | number | null> {
  const provenance = indexProvenance(document);
  return {
    repo: document.repo,
    type: document.type,
    key,
    entity: entityKey(document, key),
    source_id: provenance === undefined ? null : sourceId(provenance),
    version: document.version,
    number: document.number,
    comment_id: document.commentId,
    review_id: document.reviewId,
    tag: document.tag,
    path: document.path,
    commit_sha: document.commit,
    line: document.line,
    in_reply_to: document.inReplyTo,
    title: document.title,
    state: document.state,
    labels: JSON.stringify(document.labels),
    milestone: document.milestone,
    assignees: JSON.stringify(document.assignees),
    author: document.author,
    url: document.url,
    created_at: document.createdAt,
    updated_at: document.updatedAt,
    blob: document.blob,
    content_hash: hash,
  };
}
