import * as z from 'zod';
import { formatTime } from '../core/time.ts';
import { change, type Database, type Query, query, type WriteStep } from '../engine/database.ts';
import { contentHash, unresolvedKey } from './content-hash.ts';
import type { Document } from './document.ts';
import { DOCUMENT_TYPES } from './document-types.ts';
import type { IndexedDocument, Indexer } from './indexed-document.ts';
import { indexProvenance, sourceId } from './provenance.ts';
import { entityKey, referenceOf } from './reference.ts';
import { type Watermark, watermarkQuery, watermarkUnchanged, writeWatermark } from './watermark.ts';

/** Facts about a repository that come with its documents; undefined leaves what is stored. */
export interface RepoFacts {
  readonly defaultBranch?: string | null;
  readonly headCommit?: string | null;
}

/** What one transaction stores: documents, removals, and the watermark that says they are done. */
export interface Batch {
  readonly documents: readonly Document[];
  /** Keys of documents that are gone. */
  readonly removals?: readonly string[];
  readonly facts?: ReadonlyMap<string, RepoFacts>;
  readonly watermark: Watermark;
  /** Leaves a stored document alone when it was updated later than the one given. */
  readonly keepNewer?: boolean;
  /** Applied in the same transaction, only when documents were written or removed. */
  readonly onChange?: readonly WriteStep[];
  /** Finds out what would be written, and writes nothing. */
  readonly dryRun?: boolean;
  readonly now: number;
}

export interface BatchOutcome {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

const existingRow = z.object({ key: z.string(), content_hash: z.string(), updated_at: z.int() });

/** Key under which a document is stored, unique in a database. */
export function documentKey(document: Document): string {
  return referenceOf(document) ?? unresolvedKey(document);
}

/**
 * Stores a batch in one transaction, in two round trips: what is unchanged is found by its hash and not written. When
 * nothing at all changed and the watermark stands where it stood, nothing is written. Returns undefined when another
 * process moved the watermark meanwhile; then nothing was stored.
 */
export async function storeBatch(
  database: Database,
  index: Indexer,
  batch: Batch,
): Promise<BatchOutcome | undefined> {
  const keyed = new Map(batch.documents.map((document) => [documentKey(document), document]));
  const removals = batch.removals ?? [];
  const [existing, [mark]] = await database.read([
    existingQuery([...keyed.keys(), ...removals]),
    watermarkQuery(batch.watermark),
  ]);
  const known = new Map(existing.map((row) => [row.key, row]));
  const changed = [...keyed].filter(([key, document]) => {
    const stored = known.get(key);
    if (stored === undefined) return true;
    if (batch.keepNewer === true && stored.updated_at > document.updatedAt) return false;
    return stored.content_hash !== contentHash(document);
  });
  const gone = removals.filter((key) => known.has(key) && !keyed.has(key));
  const outcome = { written: changed.length, unchanged: keyed.size - changed.length, removed: gone.length };
  const moved = (mark?.value ?? null) !== batch.watermark.after || (batch.facts?.size ?? 0) > 0;
  const contentChanged = changed.length > 0 || gone.length > 0;
  if (batch.dryRun === true || (!contentChanged && !moved)) return outcome;
  const replaced = changed.filter(([key]) => known.has(key)).map(([key]) => key);
  const steps: WriteStep[] = [
    watermarkUnchanged(batch.watermark),
    ...repoSteps(batch, contentChanged),
    ...(gone.length > 0 ? [change(REMOVE_DOCUMENTS, [JSON.stringify(gone)])] : []),
    ...(replaced.length > 0 ? [change(REMOVE_PASSAGES, [JSON.stringify(replaced)])] : []),
    ...(changed.length > 0 ? documentSteps(changed.map(([key, document]) => ({ key, hash: contentHash(document), ...index(document) }))) : []),
    ...(contentChanged ? (batch.onChange ?? []) : []),
    writeWatermark(batch.watermark, batch.now),
  ];
  const written = await database.write(steps);
  return written.applied ? outcome : undefined;
}

function existingQuery(keys: readonly string[]): Query<z.output<typeof existingRow>> {
  return query(
    'SELECT key, content_hash, updated_at FROM documents WHERE key IN (SELECT value FROM json_each(?))',
    [JSON.stringify(keys)],
    (row) => existingRow.parse(row),
  );
}

function repoSteps(batch: Batch, contentChanged: boolean): WriteStep[] {
  const slugs = new Set([...batch.documents.map((document) => document.repo), ...(batch.facts?.keys() ?? [])]);
  const steps = [...slugs].map((slug) => change('INSERT INTO repos (slug) VALUES (?) ON CONFLICT DO NOTHING', [slug]));
  for (const [slug, { defaultBranch, headCommit }] of batch.facts ?? []) {
    if (defaultBranch !== undefined) {
      steps.push(change('UPDATE repos SET default_branch = ? WHERE slug = ?', [defaultBranch, slug]));
    }
    if (headCommit !== undefined) {
      steps.push(change('UPDATE repos SET head_commit = ? WHERE slug = ?', [headCommit, slug]));
    }
  }
  if (contentChanged || (batch.facts?.size ?? 0) > 0) {
    steps.push(
      change('UPDATE repos SET indexed_at = ? WHERE slug IN (SELECT value FROM json_each(?))', [
        formatTime(batch.now),
        JSON.stringify([...slugs]),
      ]),
    );
  }
  return steps;
}

const REMOVE_DOCUMENTS = 'DELETE FROM documents WHERE key IN (SELECT value FROM json_each(?))';
const REMOVE_PASSAGES =
  'DELETE FROM passages WHERE document_id IN (SELECT id FROM documents WHERE key IN (SELECT value FROM json_each(?)))';

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

function documentSteps(entries: readonly Entry[]): WriteStep[] {
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
      .flatMap(({ key, passages: cut }) => cut.map((passage) => ({ key, ordinal: passage.ordinal, ...passage.search })));
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

function documentRow({ key, hash, document }: Entry): Record<(typeof COLUMNS)[number] | 'repo', string | number | null> {
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

