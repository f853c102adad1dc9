import { change, type WriteStep } from '../engine/database.ts';
import { DOCUMENT_TYPES } from './document-types.ts';
import type { IndexedDocument } from './indexed-document.ts';
import { indexProvenance, sourceId } from './provenance.ts';
import { entityKey } from './reference.ts';

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
SELECT (SELECT id FROM repos WHERE slug = value ->> 'repo'), ${COLUMNS.map((name) => `value ->> '${name}'`).join(', ')}
FROM json_each(?) WHERE true
ON CONFLICT (key) DO UPDATE SET ${COLUMNS.filter((name) => name !== 'key')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`;

const UPSERT_BODIES = `INSERT INTO bodies (document_id, body, preface)
SELECT d.id, value ->> 'body', value ->> 'preface' FROM json_each(?) JOIN documents d ON d.key = value ->> 'key' WHERE true
ON CONFLICT (document_id) DO UPDATE SET body = excluded.body, preface = excluded.preface`;

const INSERT_PASSAGES = `INSERT INTO passages (id, document_id, heading_path, start, length, first_line, last_line)
SELECT d.id * 65536 + (value ->> 'ordinal'), d.id, value ->> 'heading_path', value ->> 'start', value ->> 'length',
  value ->> 'first_line', value ->> 'last_line'
FROM json_each(?) JOIN documents d ON d.key = value ->> 'key'`;

const insertSearch = (table: 'passages_nat' | 'passages_code'): string =>
  `INSERT INTO ${table} (rowid, title, heading, reference, body)
SELECT d.id * 65536 + (value ->> 'ordinal'), value ->> 'title', value ->> 'heading', value ->> 'reference', value ->> 'body'
FROM json_each(?) JOIN documents d ON d.key = value ->> 'key'`;

/** A document to be written; the hash is that of the document as it was ingested. */
interface Entry extends IndexedDocument {
  readonly key: string;
  readonly hash: string;
}

/** Writes documents with their bodies, passages and full-text rows; passages that were stored before must be gone. */
export function documentSteps(entries: readonly Entry[]): WriteStep[] {
  const bodies = entries.map(({ key, document }) => ({ key, body: document.body, preface: document.preface }));
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
  const search = (tokenizer: 'nat' | 'code') =>
    entries
      .filter(({ document }) => DOCUMENT_TYPES[document.type].tokenizer === tokenizer)
      .flatMap(({ key, passages: cut }) =>
        cut.map((passage) => ({ key, ordinal: passage.ordinal, ...passage.search })),
      );
  return [
    jsonStep(UPSERT_DOCUMENTS, entries.map(documentRow)),
    jsonStep(UPSERT_BODIES, bodies),
    jsonStep(INSERT_PASSAGES, passages),
    jsonStep(insertSearch('passages_nat'), search('nat')),
    jsonStep(insertSearch('passages_code'), search('code')),
  ].flat();
}

function jsonStep(sql: string, rows: readonly object[]): WriteStep[] {
  return rows.length === 0 ? [] : [change(sql, [JSON.stringify(rows)])];
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
