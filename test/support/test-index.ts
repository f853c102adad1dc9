import { openLocal } from '../../src/lib/adapters/libsql/open.ts';
import { doctor } from '../../src/lib/admin/doctor.ts';
import { query } from '../../src/lib/engine/database.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { edgesOf } from '../../src/lib/indexing/edges.ts';
import { batchEmbedder } from '../../src/lib/indexing/embed-batch.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { indexOperation } from '../../src/lib/ingest/index.ts';
import type { IndexedTarget, IndexOutput } from '../../src/lib/ingest/index-contract.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { CountingDatabase, MIGRATIONS, TestClock, type TestDatabase, testDatabase } from './database.ts';
import { testEngine } from './engine.ts';
import type { TestRepository } from './repository.ts';

/** The name under which tests index their repositories. */
export const REPO = 'acme/app';

/** What of a document tests look at. */
export interface Row {
  readonly type: string;
  readonly key: string;
  readonly version: string;
  readonly title: string;
  readonly author: string | null;
  readonly body: string;
  readonly preface: string;
}

/** A database file, with the operation `index` to fill it and everything that tests ask of it afterwards. */
export class TestIndex {
  readonly test: TestDatabase = testDatabase();
  readonly #operation: ReturnType<typeof indexOperation>;

  /** With how many documents a batch is full; few make a run of many transactions. */
  constructor(batchDocuments?: number) {
    this.#operation = indexOperation({ index: indexDocument, edgesOf, batchEmbedder, embedIndex }, batchDocuments);
  }

  /** Indexes a target; a repository that is given as such is called acme/app unless `input` says otherwise. */
  index(
    target: TestRepository | string,
    input: Record<string, unknown> = {},
    parts: Partial<Engine> = {},
  ): Promise<IndexOutput> {
    const asked = typeof target === 'string' ? { targets: [target] } : { targets: [target.path], repo: REPO };
    return invoke(this.#operation, testEngine(this.test, parts), { ...asked, ...input });
  }

  /** As {@link index}; what it says of the target alone. */
  async run(...asked: Parameters<TestIndex['index']>): Promise<IndexedTarget> {
    const output = await this.index(...asked);
    const [report] = output.targets;
    if (report === undefined) throw new Error('index reported on nothing');
    return report;
  }

  /** As {@link run}, counting the round trips to the database. */
  async counted(target: TestRepository | string, input: Record<string, unknown> = {}) {
    const database = new CountingDatabase(this.test.database);
    const report = await this.run(target, input, { database });
    return { report, reads: database.reads, writes: database.writes };
  }

  /** SHA-256 over all documents. Throws when the database is damaged, or anything in it disagrees. */
  digest(): Promise<string> {
    return soundDigest(this.test);
  }

  /** The documents of a type, or all, in the order of their keys. */
  async documents(type?: string): Promise<Row[]> {
    const [rows] = await this.test.database.read([
      query(
        `SELECT d.type, d.key, d.version, d.title, d.author, b.body, b.preface FROM documents d
         JOIN bodies b ON b.document_id = d.id WHERE ? IS NULL OR d.type = ? ORDER BY d.key`,
        [type ?? null, type ?? null],
        (row) => ({ ...row }) as unknown as Row,
      ),
    ]);
    return rows;
  }

  /** Keys of the documents of a type, or all, without `acme/app` at their beginning. */
  async keys(type?: string): Promise<string[]> {
    return (await this.documents(type)).map(({ key }) => key.replace(/^acme\/app/, ''));
  }

  /** The edges that documents state, in order. */
  async edges(): Promise<unknown[]> {
    const [rows] = await this.test.database.read([
      query(
        `SELECT d.key, e.src, e.dst, e.kind FROM edges e JOIN documents d ON d.id = e.document_id ORDER BY d.key, e.src, e.dst, e.kind`,
        [],
        (row) => ({ ...row }),
      ),
    ]);
    return rows;
  }

  /** Keys of the documents with a passage that matches. */
  async found(table: 'passages_nat' | 'passages_code', match: string): Promise<unknown[]> {
    const [rows] = await this.test.database.read([
      query(
        `SELECT DISTINCT d.key FROM ${table} JOIN documents d ON d.id = ${table}.rowid >> 16
         WHERE ${table} MATCH ? ORDER BY d.key`,
        [match],
        (row) => row.key,
      ),
    ]);
    return rows;
  }

  remove(): Promise<void> {
    return this.test.remove();
  }
}

/** The digest of a database. Throws when it is damaged, or anything in it disagrees. */
async function soundDigest(test: TestDatabase): Promise<string> {
  const { ok, checks, content_digest } = await invoke(doctor, testEngine(test), {});
  if (!ok) throw new Error(`not sound: ${JSON.stringify(checks.filter((check) => !check.ok))}`);
  return content_digest;
}

/** Opens a database file as a program that starts does, for the length of a function. */
export async function withDatabase<T>(file: string, work: (test: TestDatabase) => Promise<T>): Promise<T> {
  const clock = new TestClock();
  const { database, schema } = openLocal({ file, migrations: MIGRATIONS, clock });
  try {
    // A program that was killed before it made the schema leaves that to whoever opens the file next.
    await database.read([]);
    return await work({ file, database, schema, clock, remove: () => database.close() });
  } finally {
    await database.close();
  }
}

/** As {@link TestIndex.digest}, of a file that another program filled. */
export function fileDigest(file: string): Promise<string> {
  return withDatabase(file, soundDigest);
}

/** The digest of an index that is made from nothing by the given runs. */
export async function freshDigest(
  targets: readonly (TestRepository | string)[],
  input: Record<string, unknown> = {},
): Promise<string> {
  const fresh = new TestIndex();
  try {
    for (const target of targets) await fresh.run(target, input);
    return await fresh.digest();
  } finally {
    await fresh.remove();
  }
}

/** A signal that is aborted at the n-th advance of progress, with the progress that does it. */
export function abortAfter(advances: number): Pick<Engine, 'progress' | 'signal'> {
  const controller = new AbortController();
  let seen = 0;
  const progress: Engine['progress'] = {
    start: () => ({
      advance: () => {
        seen += 1;
        if (seen === advances) controller.abort();
      },
      end: () => undefined,
    }),
    note: () => undefined,
    end: () => undefined,
  };
  return { progress, signal: controller.signal };
}
