import { afterEach, describe, expect, it } from 'vitest';
import type { Document } from '../../src/lib/corpus/document.ts';
import { type Batch, documentKey, storeBatch } from '../../src/lib/corpus/store.ts';
import { type Database, query, type WriteOutcome, type WriteStep } from '../../src/lib/engine/database.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { CountingDatabase, type TestDatabase, testDatabase } from '../support/database.ts';
import { testDocument } from '../support/documents.ts';

const opened: TestDatabase[] = [];

function open(): TestDatabase {
  const test = testDatabase();
  opened.push(test);
  return test;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((test) => test.remove()));
});

/** Lets somebody else write between the first read and the write that follows from it. */
class RacingDatabase extends CountingDatabase {
  #race: (() => Promise<void>) | undefined;

  constructor(inner: Database, race: () => Promise<void>) {
    super(inner);
    this.#race = race;
  }

  override async write(steps: readonly WriteStep[]): Promise<WriteOutcome> {
    const race = this.#race;
    this.#race = undefined;
    await race?.();
    return super.write(steps);
  }
}

function batch(documents: readonly Document[], more: Partial<Batch> = {}): Batch {
  const watermark = { source: 'acme/app', surface: 'test', before: null, after: '"1"', complete: true, owner: 'test' };
  return { documents, watermark, now: Date.UTC(2024, 5, 1), ...more };
}

const after = (before: string, value: string) => ({
  watermark: { source: 'acme/app', surface: 'test', before, after: value, complete: true, owner: 'test' },
});

async function found(test: TestDatabase, table: 'passages_nat' | 'passages_code', match: string): Promise<unknown[]> {
  const [rows] = await test.database.read([
    query(
      `SELECT d.key FROM ${table} JOIN documents d ON d.id = ${table}.rowid >> 16 WHERE ${table} MATCH ? ORDER BY d.key`,
      [match],
      (row) => row.key,
    ),
  ]);
  return rows;
}

async function counts(test: TestDatabase): Promise<unknown> {
  const [[row]] = await test.database.read([
    query(
      `SELECT (SELECT count(*) FROM documents) AS documents, (SELECT count(*) FROM bodies) AS bodies,
        (SELECT count(DISTINCT document_id) FROM passages) AS passaged,
        (SELECT count(*) FROM passages) - (SELECT count(*) FROM passages_nat_docsize) - (SELECT count(*) FROM passages_code_docsize) AS unsearchable`,
      [],
      (each) => ({ ...each }),
    ),
  ]);
  return row;
}

describe('storing a batch', () => {
  it('makes documents searchable together with the watermark', async () => {
    const test = open();
    const outcome = await storeBatch(test.database, indexDocument, batch([testDocument()]));
    expect(outcome).toEqual({ written: 1, unchanged: 0, removed: 0 });
    expect(await found(test, 'passages_nat', 'stalling')).toEqual(['acme/app#1']);
    expect(await counts(test)).toMatchObject({ documents: 1, bodies: 1, passaged: 1, unsearchable: 0 });
  });

  it('writes nothing at all when nothing changed', async () => {
    const test = open();
    await storeBatch(test.database, indexDocument, batch([testDocument()]));
    const counting = new CountingDatabase(test.database);
    const again = await storeBatch(counting, indexDocument, batch([testDocument()], after('"1"', '"1"')));
    expect(again).toEqual({ written: 0, unchanged: 1, removed: 0 });
    expect(counting.writes).toBe(0);
    expect(counting.reads).toBe(1);
  });

  it('replaces the passages of a changed document and keeps its row', async () => {
    const test = open();
    await storeBatch(test.database, indexDocument, batch([testDocument()]));
    const changed = testDocument({ body: 'A deadlock between two workers.', version: '2024-02-01T00:00:00Z' });
    await storeBatch(test.database, indexDocument, batch([changed], after('"1"', '"2"')));
    expect(await found(test, 'passages_nat', 'restart')).toEqual([]);
    expect(await found(test, 'passages_nat', 'deadlock')).toEqual(['acme/app#1']);
    expect(await counts(test)).toMatchObject({ documents: 1, bodies: 1, unsearchable: 0 });
  });

  it('takes a removed document from every surface', async () => {
    const test = open();
    const doc = testDocument({ type: 'doc', number: null, path: 'docs/a.md', body: '# Alpha\n\nbeta' });
    await storeBatch(test.database, indexDocument, batch([doc, testDocument()]));
    const outcome = await storeBatch(
      test.database,
      indexDocument,
      batch([], { removals: [documentKey(doc), documentKey(doc), 'acme/app:never.md'], ...after('"1"', '"2"') }),
    );
    expect(outcome).toEqual({ written: 0, unchanged: 0, removed: 1 });
    expect(await found(test, 'passages_nat', 'alpha')).toEqual([]);
    expect(await counts(test)).toMatchObject({ documents: 1, bodies: 1, passaged: 1, unsearchable: 0 });
  });

  it('says that a run is done although its last batch had nothing more', async () => {
    const test = open();
    const mark = after('"1"', '"1"').watermark;
    const state = async () =>
      (await test.database.read([query('SELECT complete, owner FROM watermarks', [], (row) => ({ ...row }))]))[0];
    const first = { ...mark, before: null, complete: false };
    await storeBatch(test.database, indexDocument, batch([testDocument()], { watermark: first }));
    expect(await state()).toEqual([{ complete: 0, owner: 'test' }]);
    await storeBatch(test.database, indexDocument, batch([], { watermark: mark }));
    expect(await state()).toEqual([{ complete: 1, owner: null }]);
    const database = new CountingDatabase(test.database);
    await storeBatch(database, indexDocument, batch([], { watermark: mark }));
    expect(database.writes).toBe(0);
  });

  it('stores nothing when somebody else moved the watermark', async () => {
    const test = open();
    await storeBatch(test.database, indexDocument, batch([testDocument()]));
    const late = await storeBatch(test.database, indexDocument, batch([testDocument({ number: 2 })]));
    expect(late).toBeUndefined();
    expect(await counts(test)).toMatchObject({ documents: 1 });
  });

  it('leaves a newer document alone where it is asked to', async () => {
    const test = open();
    await storeBatch(test.database, indexDocument, batch([testDocument()]));
    const older = testDocument({ body: 'An older text of the same issue.', updatedAt: Date.UTC(2023, 0, 1) });
    const outcome = await storeBatch(
      test.database,
      indexDocument,
      batch([older], { keepNewer: true, ...after('"1"', '"2"') }),
    );
    expect(outcome).toMatchObject({ written: 0, unchanged: 1 });
  });

  it('takes the newest of several records of one document, wherever it is in the batch', async () => {
    const newer = testDocument({ title: 'newer' });
    const older = testDocument({ title: 'older', updatedAt: Date.UTC(2023, 0, 1) });
    for (const documents of [
      [newer, older],
      [older, newer],
    ]) {
      const test = open();
      await storeBatch(test.database, indexDocument, batch(documents, { keepNewer: true }));
      const [titles] = await test.database.read([query('SELECT title FROM documents', [], (row) => row.title)]);
      expect(titles).toEqual(['newer']);
    }
  });

  it('decides again when somebody else wrote one of its documents in between', async () => {
    const test = open();
    const theirs = testDocument({ title: 'theirs', body: 'Their text.', updatedAt: Date.UTC(2024, 3, 1) });
    const others = { source: 'other', surface: 'test', before: null, after: '"1"', complete: true, owner: 'test' };
    const racing = new RacingDatabase(test.database, async () => {
      await storeBatch(test.database, indexDocument, batch([theirs], { watermark: others }));
    });
    const ours = [testDocument(), testDocument({ number: 2, title: 'ours' })];
    const outcome = await storeBatch(racing, indexDocument, batch(ours, { keepNewer: true }));
    expect(outcome).toEqual({ written: 1, unchanged: 1, removed: 0 });
    const [titles] = await test.database.read([
      query('SELECT title FROM documents ORDER BY key', [], (row) => row.title),
    ]);
    expect(titles).toEqual(['theirs', 'ours']);
    expect(await counts(test)).toMatchObject({ documents: 2, bodies: 2, passaged: 2, unsearchable: 0 });
  });

  it('replaces the passages of a document that somebody else stored in between', async () => {
    const test = open();
    const others = { source: 'other', surface: 'test', before: null, after: '"1"', complete: true, owner: 'test' };
    const racing = new RacingDatabase(test.database, async () => {
      await storeBatch(test.database, indexDocument, batch([testDocument({ body: 'zebra' })], { watermark: others }));
    });
    await storeBatch(racing, indexDocument, batch([testDocument({ body: 'heron' })]));
    expect(await found(test, 'passages_nat', 'zebra')).toEqual([]);
    expect(await found(test, 'passages_nat', 'heron')).toEqual(['acme/app#1']);
  });

  it('does not take a guessed version for a change', async () => {
    const test = open();
    const guessed = testDocument({ versionIsKnown: false });
    await storeBatch(test.database, indexDocument, batch([guessed]));
    const later = { ...guessed, updatedAt: guessed.updatedAt + 1000, version: '2024-01-02T00:00:01Z' };
    const outcome = await storeBatch(test.database, indexDocument, batch([later], after('"1"', '"2"')));
    expect(outcome).toMatchObject({ written: 0, unchanged: 1 });
  });

  it('writes nothing in a dry run and says what it would write', async () => {
    const test = open();
    const outcome = await storeBatch(test.database, indexDocument, batch([testDocument()], { dryRun: true }));
    expect(outcome).toEqual({ written: 1, unchanged: 0, removed: 0 });
    expect(await counts(test)).toMatchObject({ documents: 0 });
  });

  it('keeps comments without an id apart', async () => {
    const test = open();
    const comment = (body: string) => testDocument({ type: 'issue_comment', title: '', body });
    await storeBatch(test.database, indexDocument, batch([comment('the first remark'), comment('the second remark')]));
    expect(await counts(test)).toMatchObject({ documents: 2 });
    const [rows] = await test.database.read([query('SELECT source_id FROM documents', [], (row) => row.source_id)]);
    expect(rows).toEqual([null, null]);
  });

  it('writes any number of documents in two round trips', async () => {
    const test = open();
    const counting = new CountingDatabase(test.database);
    const many = Array.from({ length: 300 }, (_, i) => testDocument({ number: i + 1, title: `Issue ${String(i)}` }));
    await storeBatch(counting, indexDocument, batch(many));
    expect([counting.reads, counting.writes]).toEqual([1, 1]);
  });

  it('stores text of every script and kind without loss', async () => {
    const test = open();
    const body = 'naïve 同期が止まる 😀 \u0001 "quotes" \\ {"json": [1]} \u2028 end';
    await storeBatch(test.database, indexDocument, batch([testDocument({ body })]));
    const [rows] = await test.database.read([query('SELECT body FROM bodies', [], (row) => row.body)]);
    expect(rows).toEqual([body]);
  });
});
