import * as z from 'zod';
import { formatTime } from '../core/time.ts';
import { change, type Database, type Guard, guard, type Query, query, type WriteStep } from '../engine/database.ts';
import { contentHash, unresolvedKey } from './content-hash.ts';
import type { Document } from './document.ts';
import { documentSteps } from './document-steps.ts';
import type { EdgeExtractor } from './edge.ts';
import { edgeSteps } from './edge-store.ts';
import type { BatchEmbedder, Indexer } from './indexed-document.ts';
import { referenceOf } from './reference.ts';
import {
  lowerVocabularyMark,
  type Watermark,
  watermarkQuery,
  watermarkUnchanged,
  writeWatermark,
} from './watermark.ts';
import { wikiFacts, wikiFactsQueries } from './wiki-facts.ts';

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
  /** Finds the edges of what is written; they are replaced with their document. */
  readonly edgesOf?: EdgeExtractor | undefined;
  /** Embeds what is written. */
  readonly embed?: BatchEmbedder | undefined;
  /** Applied in the same transaction, only when documents were written or removed. */
  readonly onChange?: readonly WriteStep[];
  /** Applied in the same transaction whether documents changed or not. */
  readonly beside?: readonly WriteStep[];
  /** Finds out what would be written, and writes nothing. */
  readonly dryRun?: boolean;
  readonly now: number;
}

export interface BatchOutcome {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
}

const existingRow = z.object({
  key: z.string(),
  content_hash: z.string(),
  updated_at: z.int(),
  /** A release that was made from a git tag, which knows less than a record of GitHub. */
  is_tag: z.int().transform(Boolean),
});
type Existing = z.output<typeof existingRow>;

/** How often a batch is decided anew because somebody else wrote its documents between the reading and the writing. */
const MAX_ATTEMPTS = 5;

/** Key under which a document is stored, unique in a database. */
export function documentKey(document: Document): string {
  return referenceOf(document) ?? unresolvedKey(document);
}

/**
 * Stores a batch in one transaction, in two round trips: what is unchanged is found by its hash and not written. When
 * nothing at all changed and the watermark stands where it stood, nothing is written. Returns undefined when another
 * process moved the watermark meanwhile; then nothing was stored.
 */
export async function storeBatch(database: Database, index: Indexer, batch: Batch): Promise<BatchOutcome | undefined> {
  const incoming = incomingOf(batch);
  const removals = [...new Set(batch.removals)];
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const [existing, [mark], ...wiki] = await database.read([
      existingQuery([...incoming.keys(), ...removals]),
      watermarkQuery(batch.watermark),
      ...wikiFactsQueries(batch.documents, removals),
    ]);
    const known = new Map(existing.map((row) => [row.key, row]));
    const changed = [...incoming.values()].filter((each) => isChange(each, known.get(each.key), batch));
    const gone = removals.filter((key) => known.has(key) && !incoming.has(key));
    const outcome = { written: changed.length, unchanged: incoming.size - changed.length, removed: gone.length };
    // A run that ends where its last batch stood has that to say still: that it is done.
    const ends = batch.watermark.complete && mark?.complete === 0;
    const moved = ends || (mark?.value ?? null) !== batch.watermark.after || (batch.facts?.size ?? 0) > 0;
    const contentChanged = changed.length > 0 || gone.length > 0;
    const beside = batch.beside ?? [];
    if (batch.dryRun === true || (!contentChanged && !moved && beside.length === 0)) return outcome;
    const written = changed.map(({ key }) => key);
    const replaced = written.filter((key) => known.has(key));
    const facts = wikiFacts(wiki, batch.documents, gone, written);
    const entries = changed.map(({ key, hash, document }) => ({ key, hash, ...index(document) }));
    const seen = [...written, ...gone].map((key) => ({ key, hash: known.get(key)?.content_hash ?? null }));
    const looked = facts.affected.map(({ key, content_hash: hash }) => ({ key, hash }));
    const steps = [
      watermarkUnchanged(batch.watermark),
      ...(contentChanged ? [documentsUnchanged([...seen, ...looked])] : []),
      ...repoSteps(batch, contentChanged),
      ...(gone.length > 0 ? [change(REMOVE_DOCUMENTS, [JSON.stringify(gone)])] : []),
      ...(replaced.length > 0 ? [change(REMOVE_PASSAGES, [JSON.stringify(replaced)])] : []),
      ...(contentChanged ? [lowerVocabularyMark()] : []),
      ...documentSteps(entries),
      ...((await batch.embed?.(entries)) ?? []),
      ...edgeSteps(batch.edgesOf, { written: entries, replaced }, facts),
      ...(contentChanged ? (batch.onChange ?? []) : []),
      ...beside,
      writeWatermark(batch.watermark, batch.now),
    ];
    // What a loss of power takes back of an unfinished run, its watermark with it, the next run brings again.
    const stored = await database.write(steps, batch.watermark.complete ? 'full' : 'normal');
    if (stored.applied) return outcome;
    if (stored.guard !== DOCUMENTS_GUARD) return undefined;
  }
  return undefined;
}

interface Incoming {
  readonly key: string;
  readonly hash: string;
  readonly document: Document;
}

/** One document for each key: the last one, or the newest where newer ones are kept. */
function incomingOf({ documents, keepNewer }: Batch): Map<string, Incoming> {
  const last = new Map<string, Document>();
  for (const document of documents) {
    const key = documentKey(document);
    const earlier = last.get(key);
    if (keepNewer === true && earlier !== undefined && earlier.updatedAt > document.updatedAt) continue;
    last.set(key, document);
  }
  return new Map([...last].map(([key, document]) => [key, { key, hash: contentHash(document), document }]));
}

function isChange({ hash, document }: Incoming, stored: Existing | undefined, { keepNewer }: Batch): boolean {
  if (stored === undefined) return true;
  if (keepNewer === true && !stored.is_tag && stored.updated_at > document.updatedAt) return false;
  return stored.content_hash !== hash;
}

function existingQuery(keys: readonly string[]): Query<Existing> {
  return query(
    `SELECT key, content_hash, updated_at, type = 'release' AND blob IS NOT NULL AS is_tag
     FROM documents WHERE key IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(keys)],
    (row) => existingRow.parse(row),
  );
}

const DOCUMENTS_GUARD = 'documents';

/** Fails the batch when somebody wrote one of these documents since they were looked at. */
function documentsUnchanged(seen: readonly { readonly key: string; readonly hash: string | null }[]): Guard {
  return guard(
    DOCUMENTS_GUARD,
    `NOT EXISTS (SELECT 1 FROM json_each(?) seen LEFT JOIN documents d ON d.key = seen.value ->> 'key'
       WHERE d.content_hash IS NOT seen.value ->> 'hash')`,
    [JSON.stringify(seen)],
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
