import { Failure } from '../core/failure.ts';
import type { Document } from '../corpus/document.ts';
import type { DocumentTypeName } from '../corpus/document-types.ts';
import type { EdgeExtractor } from '../corpus/edge.ts';
import type { BatchEmbedder, Indexer } from '../corpus/indexed-document.ts';
import { type Batch, storeBatch } from '../corpus/store.ts';
import { watermarkQuery } from '../corpus/watermark.ts';
import type { Rows } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import type { IndexedTarget } from './index-contract.ts';

// Large enough that a commit to disk is shared by many documents, small enough that memory and a remote request stay
// bounded.
export const BATCH_DOCUMENTS = 1024;
const BATCH_CHARACTERS = 1_000_000;

/** What one run of `index` was asked to do, and what it did so far for one target. */
export interface Run {
  readonly engine: Engine;
  readonly index: Indexer;
  readonly edgesOf: EdgeExtractor;
  readonly embed: BatchEmbedder;
  readonly types: ReadonlySet<DocumentTypeName> | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number | undefined;
  readonly repo: string | undefined;
  readonly dryRun: boolean;
  /** How many documents make a batch. */
  readonly batchDocuments: number;
  readonly report: IndexedTarget;
  readonly lease: Lease;
}

/** By what a run keeps others off the surfaces that it is at work on; `held`: there may be some to give back. */
export interface Lease {
  readonly owner: string;
  held: boolean;
}

/** Whether documents of a type are wanted. */
export function wants(run: Run, type: DocumentTypeName): boolean {
  return run.types === undefined || run.types.has(type);
}

export function countSkipped(run: Run, reason: string): void {
  countIn(run.report.skipped, reason);
}

/** Adds one to a count by name. */
export function countIn(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export type BatchExtras = Pick<Batch, 'facts' | 'keepNewer' | 'onChange' | 'beside'>;

type StoredMark = Rows<[ReturnType<typeof watermarkQuery>]>[0][number];

/** One surface of one source, written in batches; each batch moves the watermark in its own transaction. */
export class Surface {
  readonly #run: Run;
  readonly #source: string;
  readonly #surface: string;
  #documents: Document[] = [];
  #removals: string[] = [];
  #characters = 0;
  #mark: string | null;
  readonly #over: string | undefined;
  readonly #wasComplete: boolean;

  private constructor(run: Run, source: string, surface: string, stored: StoredMark | undefined) {
    this.#run = run;
    this.#source = source;
    this.#surface = surface;
    this.#mark = stored?.value ?? null;
    this.#over = stored?.owner ?? undefined;
    this.#wasComplete = stored?.complete !== 0;
  }

  /** Opens a surface; its watermark is read once here. Fails with `database_busy` while another run is at work on it. */
  static async open(run: Run, source: string, surface: string): Promise<Surface> {
    const { database, presence } = run.engine;
    const [[stored]] = await database.read([watermarkQuery({ source, surface })]);
    const { owner } = run.lease;
    const holder = stored?.owner ?? owner;
    if (holder !== owner && !run.dryRun && presence.mayRun(holder)) throw busy();
    return new Surface(run, source, surface, stored);
  }

  /** The watermark as it stands, JSON text; null where ingestion never ran. */
  get mark(): string | null {
    return this.#mark;
  }

  add(document: Document): void {
    this.#documents.push(document);
    this.#characters += document.body.length + document.preface.length;
  }

  /** Has the document of a key leave the index, if it is there. */
  remove(key: string): void {
    this.#removals.push(key);
  }

  get full(): boolean {
    const changes = this.#documents.length + this.#removals.length;
    return changes >= this.#run.batchDocuments || this.#characters >= BATCH_CHARACTERS;
  }

  /** Stores what was added since and moves the watermark on; more is to come. Fails with `interrupted`. */
  async progress(after: string, more: BatchExtras = {}): Promise<void> {
    await this.#commit(after, false, more);
  }

  /** Stores the rest; the surface is done. Fails with `interrupted`. */
  async complete(after: string, more: BatchExtras = {}): Promise<void> {
    await this.#commit(after, true, more);
  }

  /**
   * Stores what was added, and leaves the watermark as it was found, also where a run ended early; `fresh` where there was
   * none. Fails with `interrupted`.
   */
  async amend(fresh: string, more: BatchExtras = {}): Promise<void> {
    await this.#commit(this.#mark ?? fresh, this.#wasComplete, more);
  }

  async #commit(after: string, complete: boolean, more: BatchExtras): Promise<void> {
    const { engine, index, edgesOf, embed, report, dryRun, lease } = this.#run;
    if (engine.signal.aborted) throw interrupted();
    if (!complete && !dryRun) lease.held = true;
    const outcome = await storeBatch(engine.database, index, {
      documents: this.#documents,
      removals: this.#removals,
      ...more,
      watermark: {
        source: this.#source,
        surface: this.#surface,
        before: this.#mark,
        after,
        complete,
        owner: lease.owner,
        over: this.#over,
      },
      edgesOf,
      embed,
      dryRun,
      now: engine.clock.now(),
    });
    if (outcome === undefined) throw busy();
    report.written += outcome.written;
    report.unchanged += outcome.unchanged;
    report.removed += outcome.removed;
    if (!dryRun) this.#mark = after;
    this.#documents = [];
    this.#removals = [];
    this.#characters = 0;
  }
}

function busy(): Failure {
  return new Failure('database_busy', 'another process is indexing the same repository', {
    hint: 'What both of them stored is safe. Run this command again when the other one is done.',
  });
}

function interrupted(): Failure {
  return new Failure('interrupted', 'stopped; everything up to the last batch is stored', {
    hint: 'Run the same command again to go on from there.',
  });
}
