import * as z from 'zod';
import { contentHash, INDEX_FORMAT } from '../corpus/content-hash.ts';
import type { Document } from '../corpus/document.ts';
import {
  removeOrphansSteps,
  removePassagesSteps,
  removeSearchSteps,
  type StoredSearch,
  storedSearchQuery,
} from '../corpus/document-ids.ts';
import { passageSteps, searchSteps } from '../corpus/document-steps.ts';
import { DOCUMENT_TYPES } from '../corpus/document-types.ts';
import type { BatchEmbedder, KeyedDocument } from '../corpus/indexed-document.ts';
import { textsUnchanged } from '../corpus/passage-texts.ts';
import { type WholeDocument, wholeDocumentsQuery } from '../corpus/whole-document.ts';
import { type Change, change, type Query, query } from '../engine/database.ts';
import { isAllowed } from '../engine/allow-list.ts';
import type { Engine } from '../engine/engine.ts';
import type { BackfillSurface } from '../operation/backfill-surface.ts';
import { embeddable } from './active-embedder.ts';
import { batchEmbedder } from './embed-batch.ts';
import { indexDocument } from './index-document.ts';
import { type RepairPlan, repairPart } from './repair-part.ts';

/**
 * The repair `segments`: cuts stored bodies anew and compares. Passages that the current rules would not make, full-text
 * rows that are missing, too many or of older rules, and vectors that belong to nothing are replaced; what is stored under
 * the id of no document is removed. Bodies and what is known of documents stay as they are.
 */
export const segmentsBackfill: BackfillSurface = {
  name: 'segments',
  of: 'index',
  description: 'cuts stored texts anew, and replaces passages and full-text rows that are damaged or of older rules.',
  run(engine, part) {
    const embed = batchEmbedder(engine);
    return repairPart(engine, part, 'passages', (ids) => planOf(engine, embed, ids, part.dryRun));
  },
};

/** A document as it would be made searchable now, beside how it is. */
interface Remade extends KeyedDocument {
  readonly id: number;
  /** What its content hash is to be; undefined where the hash tells nothing. */
  readonly hash: string | undefined;
  /** `cut`: passages and all that hangs on them; `search`: the full-text rows alone. */
  readonly damage: 'cut' | 'search' | undefined;
  readonly vectors: number;
}

async function planOf(
  engine: Engine,
  embed: BatchEmbedder,
  ids: readonly number[],
  dryRun: boolean,
): Promise<RepairPlan> {
  const [documents, passages, searches] = await engine.database.read([
    wholeDocumentsQuery(ids),
    storedCutsQuery(ids),
    storedSearchQuery(ids),
  ]);
  const cuts = new Map<number, StoredCut[]>(ids.map((id) => [id, []]));
  for (const cut of passages) cuts.get(cut.document_id)?.push(cut);
  const searchOf = new Map(searches.map((search) => [search.documentId, search]));
  const remade = documents.flatMap((each) => remake(each, cuts.get(each.id) ?? [], searchOf.get(each.id)));
  const known = new Set(documents.map(({ id }) => id));
  const orphans = ids.filter((id) => !known.has(id));
  const recut = remade.filter(({ damage }) => damage === 'cut');
  const refilled = remade.filter(({ damage }) => damage === 'search');
  const damaged = new Set([...recut, ...refilled].map(({ id }) => id));
  const notes = notesOf(documents, remade);
  const repaired = damaged.size + orphans.length;
  if (repaired === 0 || dryRun) return { steps: [], repaired, notes };
  const vectors = await embed(recut);
  const toEmbed = recut.filter(({ document }) => isAllowed(embeddable(engine), document.repo));
  if (vectors.length === 0 && toEmbed.some((each) => each.vectors > 0)) {
    notes.push('What was cut anew has no vectors yet: gh-rag backfill embeddings makes them');
  }
  const seen = [
    ...documents.map(({ id, contentHash: hash }) => ({ document_id: id, content_hash: hash })),
    ...orphans.map((id) => ({ document_id: id, content_hash: null })),
  ].filter(({ document_id: id }) => damaged.has(id) || !known.has(id));
  const steps = [
    textsUnchanged(seen),
    ...removeOrphansSteps(orphans),
    ...removePassagesSteps(recut.map(({ id }) => id)),
    ...removeSearchSteps(refilled.map(({ id }) => id)),
    ...documentChanges([...recut, ...refilled]),
    ...passageSteps(recut),
    ...searchSteps(refilled),
    ...vectors,
  ];
  return { steps, repaired, notes };
}

function remake(
  { id, key, contentHash: hash, document }: WholeDocument,
  cut: readonly StoredCut[],
  search: StoredSearch | undefined,
): Remade[] {
  if (document === undefined || search === undefined) return [];
  const ingested = ingestedAs(document, hash);
  const indexed = indexDocument(ingested?.document ?? document);
  const own = indexed.passages.map(({ ordinal }) => id * 65536 + ordinal);
  const { tokenizer } = DOCUMENT_TYPES[document.type];
  const other = tokenizer === 'nat' ? search.code : search.nat;
  const sameCut =
    JSON.stringify(cut.map(fieldsOf)) ===
    JSON.stringify(
      indexed.passages.map((each, at) => [
        own[at],
        JSON.stringify(each.headingPath),
        each.offset,
        each.length,
        each.lines?.start ?? null,
        each.lines?.end ?? null,
      ]),
    );
  const isSound = sameCut && indexed.document.title === document.title && search.unpaired === 0;
  const isFound = JSON.stringify(search[tokenizer]) === JSON.stringify(own) && other.length === 0;
  const damage = !isSound ? 'cut' : !isFound || ingested?.isOld === true ? 'search' : undefined;
  const hashNow = ingested && contentHash(ingested.document);
  return [{ id, key, hash: hashNow, ...indexed, damage, vectors: search.vectors }];
}

/**
 * The document as it was when it was stored, by its content hash, and whether that was under older rules. What is not
 * stored is tried out: whether the version was known, and whether a file came without a title.
 */
function ingestedAs(stored: Document, hash: string): { document: Document; isOld: boolean } | undefined {
  const titles = DOCUMENT_TYPES[stored.type].cut === 'document' ? [stored.title, ''] : [stored.title];
  for (let format = INDEX_FORMAT; format >= 0; format -= 1) {
    for (const title of titles) {
      for (const versionIsKnown of [true, false]) {
        const document = { ...stored, title, versionIsKnown };
        if (contentHash(document, format) === hash) return { document, isOld: format < INDEX_FORMAT };
      }
    }
  }
  return undefined;
}

function notesOf(documents: readonly WholeDocument[], remade: readonly Remade[]): string[] {
  const empty = documents.filter(({ document }) => document === undefined).map(({ key }) => key);
  const odd = remade.filter(({ hash }) => hash === undefined).map(({ key }) => key);
  return [
    ...empty.map((key) => `${key} has no body, which only indexing into a new database brings back`),
    ...odd.map((key) => `${key} is not what its content hash says; it is taken as it is stored`),
  ];
}

function documentChanges(entries: readonly Remade[]): Change[] {
  const rows = entries.map(({ id, hash, document }) => [id, hash ?? null, document.title]);
  return [
    change(
      `UPDATE documents SET content_hash = coalesce(made.value ->> 1, content_hash), title = made.value ->> 2
       FROM json_each(?) AS made WHERE documents.id = made.value ->> 0`,
      [JSON.stringify(rows)],
    ),
  ];
}

const storedCut = z.object({
  id: z.int(),
  document_id: z.int(),
  heading_path: z.string(),
  start: z.int(),
  length: z.int(),
  first_line: z.int().nullable(),
  last_line: z.int().nullable(),
});
type StoredCut = z.output<typeof storedCut>;

function fieldsOf({ id, heading_path, start, length, first_line, last_line }: StoredCut): unknown[] {
  return [id, heading_path, start, length, first_line, last_line];
}

function storedCutsQuery(ids: readonly number[]): Query<StoredCut> {
  return query(
    `SELECT p.id, p.document_id, p.heading_path, p.start, p.length, p.first_line, p.last_line
     FROM json_each(?) w CROSS JOIN passages p ON p.document_id = w.value ORDER BY p.id`,
    [JSON.stringify(ids)],
    (row) => storedCut.parse(row),
  );
}
