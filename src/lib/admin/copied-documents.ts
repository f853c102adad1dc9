import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import type { Document } from '../corpus/document.ts';
import { DOCUMENT_TYPE_NAMES } from '../corpus/document-types.ts';
import { searchSteps } from '../corpus/document-steps.ts';
import type { Indexer } from '../corpus/indexed-document.ts';
import type { Database, SqlValue, WriteStep } from '../engine/database.ts';
import {
  type BatchLimits,
  type CopiedRow,
  type CopyKey,
  documentPageQuery,
  insertSteps,
  keyOf,
  parentGuards,
} from './copied-rows.ts';
import { BODIES, type Column, type CopiedTable, DOCUMENTS, PASSAGES } from './copied-tables.ts';

/** Rows that one batch stores, and where the next begins. */
export interface CopyPage {
  readonly steps: readonly WriteStep[];
  /** Of the table that counts. */
  readonly rows: number;
  readonly last: CopyKey;
}

/**
 * The next documents with their bodies and passages, from one snapshot. Their full-text rows cannot be read: they are made
 * anew by the indexer that made them. Undefined behind the last. Fails with `drift` where it would cut a document otherwise.
 */
export async function documentPage(
  source: Database,
  columnsOf: (table: CopiedTable) => readonly Column[],
  index: Indexer,
  after: CopyKey | null,
  limits: BatchLimits,
): Promise<CopyPage | undefined> {
  const page = (table: CopiedTable, by: string) => documentPageQuery(table, by, columnsOf(table), after, limits);
  const [documents, bodies, passages] = await source.read([
    page(DOCUMENTS, 'id'),
    page(BODIES, 'document_id'),
    page(PASSAGES, 'document_id'),
  ]);
  const last = documents.at(-1);
  if (last === undefined) return undefined;
  const records = (table: CopiedTable, rows: readonly CopiedRow[]) =>
    rows.map((row) => Object.fromEntries(columnsOf(table).map(({ name }, at) => [name, row[at] ?? null])));
  const bodyOf = new Map(records(BODIES, bodies).map((body) => [body.document_id, body]));
  const cuts = new Map<SqlValue | undefined, Cut[]>();
  for (const row of records(PASSAGES, passages)) {
    const cut = storedPassage.parse(row);
    cuts.set(cut.document_id, [...(cuts.get(cut.document_id) ?? []), cut]);
  }
  const entries = records(DOCUMENTS, documents).flatMap((record) => {
    const cut = cuts.get(record.id);
    // Without passages there is nothing to search.
    return cut === undefined ? [] : [searchable(index, { ...record, ...bodyOf.get(record.id) }, cut)];
  });
  return {
    steps: [
      ...parentGuards(DOCUMENTS, columnsOf(DOCUMENTS), documents),
      ...insertSteps(DOCUMENTS, columnsOf(DOCUMENTS), documents),
      ...parentGuards(BODIES, columnsOf(BODIES), bodies),
      ...insertSteps(BODIES, columnsOf(BODIES), bodies),
      ...parentGuards(PASSAGES, columnsOf(PASSAGES), passages),
      ...insertSteps(PASSAGES, columnsOf(PASSAGES), passages),
      ...searchSteps(entries),
    ],
    rows: documents.length,
    last: keyOf(DOCUMENTS, columnsOf(DOCUMENTS), last),
  };
}

const storedPassage = z.object({ id: z.int(), document_id: z.int(), start: z.int(), length: z.int() });
type Cut = z.output<typeof storedPassage>;

const storedRecord = z.object({
  id: z.int(),
  key: z.string(),
  type: z.enum(DOCUMENT_TYPE_NAMES),
  title: z.string(),
  number: z.int().nullable(),
  tag: z.string().nullable(),
  path: z.string().nullable(),
  commit_sha: z.string().nullable(),
  version: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
  body: z.string(),
  preface: z.string(),
});

/** A document with the texts of its full-text rows. */
function searchable(index: Indexer, record: Readonly<Record<string, unknown>>, stored: readonly Cut[]) {
  const { id, key, commit_sha, created_at, updated_at, ...fields } = storedRecord.parse(record);
  const document: Document = {
    ...NOT_SEARCHED,
    ...fields,
    commit: commit_sha,
    createdAt: created_at,
    updatedAt: updated_at,
  };
  const indexed = index(document);
  const same =
    indexed.passages.length === stored.length &&
    indexed.passages.every(({ ordinal, offset, length }, at) => {
      const cut = stored[at];
      return cut?.id === id * 65536 + ordinal && cut.start === offset && cut.length === length;
    });
  if (!same) {
    throw new Failure('drift', `the source holds ${key} in passages that this gh-rag would not make`, {
      hint: 'Index it again with this gh-rag, then copy into an empty database.',
    });
  }
  return { key, ...indexed };
}

/** What is stored as it is, and has no part in what is searched. */
const NOT_SEARCHED = {
  repo: '',
  commentId: null,
  reviewId: null,
  line: null,
  inReplyTo: null,
  state: null,
  labels: [],
  milestone: null,
  assignees: [],
  author: null,
  url: null,
  blob: null,
  versionIsKnown: true,
} as const satisfies Partial<Document>;
