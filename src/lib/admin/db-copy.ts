import { Failure } from '../core/failure.ts';
import type { Indexer } from '../corpus/indexed-document.ts';
import type { Database } from '../engine/database.ts';
import type { OpenDatabase } from '../engine/databases.ts';
import type { Engine } from '../engine/engine.ts';
import { defineOperation } from '../operation/operation.ts';
import { type CopyPage, documentPage } from './copied-documents.ts';
import { type BatchLimits, insertSteps, keyOf, PARENTS_GUARD, pageQuery, parentGuards } from './copied-rows.ts';
import { COMPARED_TABLES, COPIED_TABLES, type CopiedTable, DOCUMENTS } from './copied-tables.ts';
import { checkFullText, digestOfAll, digestsOf, type TableDigest } from './copy-digest.ts';
import { beginCopy, copiedByAnother, type CopySides } from './copy-sides.ts';
import { type DbCopyOutput, dbCopyInput, dbCopyOutput } from './db-copy-contract.ts';
import { type CopyMark, formatMark, markUnchanged, removeMark, writeMark } from './db-copy-mark.ts';

/** Text of documents travels twice: as the body and as what is searched. */
const LIMITS: BatchLimits = { rows: 1000, characters: 500_000 };

/** The operation `db_copy`, on top of what makes documents searchable. */
export function dbCopyOperation(index: Indexer, limits: BatchLimits = LIMITS) {
  return defineOperation({
    name: 'db_copy',
    title: 'Copy a database',
    description:
      'Copies a whole database, index and feedback memory, into an empty one, and compares both in the end. Running it again after an interruption goes on where it stood.',
    input: dbCopyInput,
    output: dbCopyOutput,
    effect: 'repair',
    openWorld: false,
    faces: ['cli'],
    async handler(engine, input) {
      const { databases } = engine;
      if (databases === undefined) throw new TypeError('this engine opens no databases beside its own');
      const source = databases.open(input.source, 'source');
      try {
        const target = databases.open(input.target, 'target');
        try {
          return await new Copy(engine, index, limits, source, target).run();
        } finally {
          await target.database.close();
        }
      } finally {
        await source.database.close();
      }
    },
  });
}

class Copy {
  readonly #engine: Engine;
  readonly #index: Indexer;
  readonly #limits: BatchLimits;
  readonly #source: OpenDatabase;
  readonly #target: OpenDatabase;
  #stored = '';
  #copied = 0;

  constructor(engine: Engine, index: Indexer, limits: BatchLimits, source: OpenDatabase, target: OpenDatabase) {
    this.#engine = engine;
    this.#index = index;
    this.#limits = limits;
    this.#source = source;
    this.#target = target;
  }

  async run(): Promise<DbCopyOutput> {
    const sides = await beginCopy(this.#source, this.#target, this.#limits, this.#engine.clock.now());
    this.#stored = sides.stored;
    const done = COPIED_TABLES.findIndex(({ name }) => name === sides.mark.table);
    for (const table of COPIED_TABLES.slice(Math.max(done, 0))) {
      const begun =
        table.name === sides.mark.table ? sides.mark : { ...sides.mark, table: table.name, after: null, rows: 0 };
      await this.#copyTable(table, begun, sides);
    }
    const tables = await this.#verify(sides);
    await this.#finish();
    return {
      source: this.#from.location,
      target: this.#to.location,
      resumed: sides.resumed,
      copied: this.#copied,
      tables: [...tables],
      digest: digestOfAll(tables),
      verified: true,
    };
  }

  get #from(): Database {
    return this.#source.database;
  }

  get #to(): Database {
    return this.#target.database;
  }

  async #copyTable(table: CopiedTable, begun: CopyMark, sides: CopySides): Promise<void> {
    const total = sides.counts[table.name] ?? 0;
    const step = total === 0 ? undefined : this.#engine.progress.start(table.name, total);
    let mark = begun;
    for (;;) {
      this.#stopIfAborted();
      const page = await this.#page(table, mark, sides);
      if (page === undefined) break;
      mark = { ...mark, after: page.last, rows: mark.rows + page.rows };
      await this.#store(page, formatMark(mark));
      step?.advance(mark.rows);
    }
    step?.end();
  }

  async #page(table: CopiedTable, { after }: CopyMark, { columnsOf }: CopySides): Promise<CopyPage | undefined> {
    if (table === DOCUMENTS) return documentPage(this.#from, columnsOf, this.#index, after, this.#limits);
    const columns = columnsOf(table);
    const [rows] = await this.#from.read([pageQuery(table, columns, after, this.#limits)]);
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    return {
      steps: [...parentGuards(table, columns, rows), ...insertSteps(table, columns, rows)],
      rows: rows.length,
      last: keyOf(table, columns, last),
    };
  }

  /** Rows and mark in one transaction. What a loss of power takes back of it, the next run brings again. */
  async #store({ steps, rows }: CopyPage, mark: string): Promise<void> {
    const moved = writeMark(mark, this.#engine.clock.now());
    const outcome = await this.#to.write([markUnchanged(this.#stored), ...steps, moved], 'normal');
    if (!outcome.applied) throw outcome.guard === PARENTS_GUARD ? changed() : copiedByAnother();
    this.#stored = mark;
    this.#copied += rows;
  }

  async #verify({ columnsOf, counts }: CopySides): Promise<TableDigest[]> {
    const tables: TableDigest[] = [];
    const different: string[] = [];
    for (const name of COMPARED_TABLES.keys()) {
      const total = counts[name] ?? 0;
      const step = total === 0 ? undefined : this.#engine.progress.start(`verify ${name}`, total);
      const [source, target] = await digestsOf(name, [this.#from, this.#to], {
        columnsOf,
        limits: this.#limits,
        onPage: () => {
          this.#stopIfAborted();
        },
        onRows: (rows) => {
          step?.advance(rows);
        },
      });
      step?.end();
      tables.push(target);
      if (source.sha256 !== target.sha256) different.push(name);
    }
    if (different.length > 0) throw changed(different);
    await checkFullText(this.#to);
    return tables;
  }

  /** The copy is a database like any other from here on. */
  async #finish(): Promise<void> {
    const outcome = await this.#to.write([markUnchanged(this.#stored), removeMark()], 'full');
    if (!outcome.applied) throw copiedByAnother();
  }

  #stopIfAborted(): void {
    if (!this.#engine.signal.aborted) return;
    throw new Failure('interrupted', 'stopped; everything up to the last batch is copied', {
      hint: 'Run the same command again to go on from there.',
    });
  }
}

function changed(tables: readonly string[] = []): Failure {
  const message =
    tables.length === 0
      ? 'the source or the target changed while it was copied'
      : `the copy is not equal to its source in ${tables.join(', ')}`;
  return new Failure('drift', message, {
    hint: 'Something wrote to one of both meanwhile: stop what does (index, serve, search), and copy into an empty database.',
  });
}
