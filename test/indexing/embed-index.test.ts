import { afterEach, describe, expect, test } from 'vitest';
import { backfillOperation } from '../../src/lib/admin/backfill.ts';
import { status } from '../../src/lib/admin/status.ts';
import { Failure } from '../../src/lib/core/failure.ts';
import { storeBatch } from '../../src/lib/corpus/store.ts';
import {
  change,
  type Durability,
  type Query,
  query,
  type Rows,
  type WriteOutcome,
  type WriteStep,
} from '../../src/lib/engine/database.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { embeddingsBackfill } from '../../src/lib/indexing/backfill-embeddings.ts';
import { batchEmbedder } from '../../src/lib/indexing/embed-batch.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { CountingDatabase } from '../support/database.ts';
import { storedVectors } from '../support/embeddings.ts';
import { testEngine } from '../support/engine.ts';
import { comment, doc, issue, TestProject } from '../support/project.ts';

const backfill = backfillOperation([embeddingsBackfill]);

const WORDS = 'kettle boils water slowly worker queue waits lock dialog window screen hides menu';

/** An issue about three of a few words, which three its number says. */
const about = (number: number, more = '') => {
  const words = WORDS.split(' ');
  const at = (step: number): string => words[(number * step) % words.length] ?? '';
  return issue(number, { title: `${at(1)} ${at(3)}`, body: `${at(5)} ${at(7)} ${more}` });
};
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

const opened: TestProject[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((project) => project.test.remove()));
});

async function projectOf(documents: Parameters<typeof TestProject.of>[0]) {
  const project = await TestProject.of(documents);
  opened.push(project);
  const engine = testEngine(project.test, { embedder: 'lsa' });
  return { project, engine, test: project.test };
}

const covered = async (engine: Engine): Promise<readonly [number, number]> => {
  const { passages, embedded } = await invoke(status, engine, {});
  return [passages, embedded];
};

async function embedders({ database }: Engine): Promise<unknown[]> {
  const [rows] = await database.read([
    query('SELECT name, state, trained_on FROM embedders ORDER BY id', [], (row) => ({ ...row })),
  ]);
  return rows;
}

const termsOf = async ({ database }: Engine): Promise<unknown> =>
  (await database.read([query('SELECT count(DISTINCT embedder_id) AS n FROM lsa_terms', [], (row) => row.n)]))[0][0];

/** Lets somebody else act before the first write that stores vectors, or does something else. */
class RacingDatabase extends CountingDatabase {
  race: (() => Promise<void>) | undefined;
  before = 'INTO passage_vectors';

  override async write(steps: readonly WriteStep[], durability?: Durability): Promise<WriteOutcome> {
    const { race, before } = this;
    if (race !== undefined && steps.some((step) => step.kind === 'change' && step.sql.includes(before))) {
      this.race = undefined;
      await race();
    }
    return super.write(steps, durability);
  }
}

describe('an index without vectors', () => {
  test('learns from its own texts and embeds all of them, once', async () => {
    const long = `# Kettles\n\n${'The water boils. '.repeat(200)}\n\n## Locks\n\n${'A worker waits. '.repeat(200)}`;
    const { engine, test } = await projectOf([...range(1, 8).map((n) => about(n)), doc('a.md', { body: long })]);
    const first = await embedIndex(engine);
    const [passages, embedded] = await covered(engine);
    expect(passages).toBeGreaterThan(10);
    expect(first).toMatchObject({ embedded: passages, done: true });
    expect(embedded).toBe(passages);
    expect(await embedders(engine)).toEqual([{ name: first.embedder, state: 'ready', trained_on: passages }]);
    const vectors = await storedVectors(test);
    expect(new Set(vectors.map(({ embedder }) => embedder))).toEqual(new Set([first.embedder]));
    expect(vectors).toHaveLength(passages);

    const database = new CountingDatabase(test.database);
    expect(await embedIndex({ ...engine, database })).toMatchObject({
      embedder: first.embedder,
      embedded: 0,
      done: true,
    });
    expect(database.writes).toBe(0);
    expect(await storedVectors(test)).toEqual(vectors);
  });

  test('has the same vectors whatever order it was filled in', async () => {
    const documents = [
      ...range(1, 12).map((n) => about(n)),
      comment(3, '31', { body: 'The kettle hides behind a window.' }),
    ];
    const [one, other] = [await projectOf(documents), await projectOf([...documents].reverse())];
    await embedIndex(one.engine);
    await embedIndex(other.engine);
    const vectors = await storedVectors(one.test);
    expect(vectors).toHaveLength(13);
    expect(await storedVectors(other.test)).toEqual(vectors);
  });

  test.each<[string, readonly ReturnType<typeof issue>[]]>([
    ['nothing', []],
    ['one text', [issue(1)]],
    ['equal texts', range(1, 5).map((n) => issue(n))],
    ['texts without a word', range(1, 3).map((n) => issue(n, { title: '…', body: '!' }))],
  ])('of %s learns nothing, and says so', async (_, documents) => {
    const { engine } = await projectOf(documents);
    expect(await embedIndex(engine)).toEqual({ embedder: null, embedded: 0, cursor: 0, done: true, failure: null });
    expect(await embedders(engine)).toEqual([]);
    expect(await invoke(status, engine, {})).toMatchObject({ embedder: null, embedded: 0 });
  });

  test('that lost the body of a document has vectors of all others, and uses them', async () => {
    const { engine, test } = await projectOf(range(1, 10).map((n) => about(n)));
    await test.database.write([change('DELETE FROM bodies WHERE document_id = 3')]);
    expect(await embedIndex(engine)).toMatchObject({ embedded: 9, done: true });
    expect(await embedders(engine)).toMatchObject([{ state: 'ready' }]);
    expect(await covered(engine)).toEqual([10, 9]);
  });

  test('that is stopped between two batches goes on there, and ends as one that was not', async () => {
    const documents = range(1, 600).map((n) => about(n));
    const whole = await projectOf(documents);
    await embedIndex(whole.engine);
    const stopped = await projectOf(documents);
    const controller = new AbortController();
    const progress: Engine['progress'] = {
      start: (what) => ({
        advance: () => {
          if (what === 'vectors') controller.abort();
        },
        end: () => undefined,
      }),
      note: () => undefined,
      end: () => undefined,
    };
    await expect(embedIndex({ ...stopped.engine, progress, signal: controller.signal })).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(await covered(stopped.engine)).toEqual([600, 512]);
    // What is half made is not compared yet.
    expect(await embedders(stopped.engine)).toMatchObject([{ state: 'filling' }]);
    expect(await embedIndex(stopped.engine)).toMatchObject({ embedded: 88, done: true });
    expect(await storedVectors(stopped.test)).toEqual(await storedVectors(whole.test));
    expect(await embedders(stopped.engine)).toEqual(await embedders(whole.engine));
  });

  test.each([
    ['texts', 'stopped while learning from the texts; what is indexed is stored', 0],
    ['vectors', 'stopped; the vectors of what was embedded are stored', 1],
  ])('notices by itself what happens outside while it makes %s', async (what, message, models) => {
    const { engine } = await projectOf(range(1, 30).map((n) => about(n)));
    const controller = new AbortController();
    const start: Engine['progress']['start'] = (begun) => {
      // As a signal of the system, it is seen by the next turn of the event loop and not before.
      const stop = (): void => {
        controller.abort();
      };
      if (begun === what) setImmediate(stop);
      return { advance: () => undefined, end: () => undefined };
    };
    const progress = { ...engine.progress, start };
    await expect(embedIndex({ ...engine, progress, signal: controller.signal })).rejects.toMatchObject({
      code: 'interrupted',
      message,
      hint: 'Run gh-rag backfill embeddings to go on from there.',
    });
    expect(await embedders(engine)).toHaveLength(models);
    expect(await covered(engine)).toEqual([30, 0]);
    expect(await embedIndex(engine)).toMatchObject({ embedded: 30, done: true });
  });
});

describe('an index that grows', () => {
  test('keeps its model until it is twice as large, and then has no trace of it', async () => {
    const { engine, project, test } = await projectOf(range(1, 10).map((n) => about(n)));
    const { embedder: former } = await embedIndex(engine);
    await project.add(range(11, 19).map((n) => about(n, 'menu')));
    expect(await embedIndex(engine)).toMatchObject({ embedder: former, embedded: 9 });
    await project.add([about(20)]);
    const { embedder, embedded } = await embedIndex(engine);
    expect(embedder).not.toBe(former);
    expect(embedded).toBe(20);
    expect(await embedders(engine)).toEqual([{ name: embedder, state: 'ready', trained_on: 20 }]);
    expect(await termsOf(engine)).toBe(1);
    expect(new Set((await storedVectors(test)).map((each) => each.embedder))).toEqual(new Set([embedder]));
    expect(await covered(engine)).toEqual([20, 20]);
  });

  test('is searched by the former model until the new one has embedded everything', async () => {
    const { engine, project } = await projectOf(range(1, 10).map((n) => about(n)));
    const { embedder: former } = await embedIndex(engine);
    await project.add(range(11, 30).map((n) => about(n)));
    const { done, embedded } = await embedIndex(engine, { limit: 20 });
    expect([done, embedded]).toEqual([false, 20]);
    expect(await invoke(status, engine, {})).toMatchObject({ embedder: former, embedded: 10 });
    // A backfill goes on with the new one.
    const dryRun = { surface: 'embeddings', dry_run: true };
    expect(await invoke(backfill, engine, dryRun)).toMatchObject({ repaired: 10, done: true });
    const { embedder } = await embedIndex(engine);
    expect(await invoke(status, engine, {})).toMatchObject({ embedder, embedded: 30 });
    expect(embedder).not.toBe(former);
  });

  test('takes over at the end of the last part, wherever that began; not while an earlier passage is missing', async () => {
    const { engine, test } = await projectOf(range(1, 30).map((n) => about(n)));
    const first = await embedIndex(engine, { limit: 20 });
    expect(await embedders(engine)).toMatchObject([{ state: 'filling' }]);
    const [[early]] = await test.database.read([
      query('SELECT min(id) AS id FROM passages', [], (row) => Number(row.id)),
    ]);
    await test.database.write([change('DELETE FROM passage_vectors WHERE passage_id = ?', [early ?? 0])]);
    expect(await embedIndex(engine, { after: first.cursor })).toMatchObject({ embedded: 10, done: true });
    expect(await embedders(engine)).toMatchObject([{ state: 'filling' }]);
    expect(await embedIndex(engine)).toMatchObject({ embedded: 1, done: true });
    expect(await embedders(engine)).toMatchObject([{ state: 'ready' }]);

    const other = await projectOf(range(1, 30).map((n) => about(n)));
    const { cursor } = await embedIndex(other.engine, { limit: 20 });
    expect(await embedIndex(other.engine, { after: cursor })).toMatchObject({ embedded: 10, done: true });
    expect(await embedders(other.engine)).toMatchObject([{ state: 'ready' }]);
  });
});

describe('two models', () => {
  test('of which the former was left are one after the next run', async () => {
    const { engine, project, test } = await projectOf(range(1, 10).map((n) => about(n)));
    await embedIndex(engine);
    await project.add(range(11, 20).map((n) => about(n)));
    const racing = new RacingDatabase(test.database);
    racing.before = 'DELETE FROM passage_vectors';
    racing.race = () => Promise.reject(new Error('the line is cut'));
    await expect(embedIndex({ ...engine, database: racing })).rejects.toThrow('the line is cut');
    expect(await embedders(engine)).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
    expect(await embedIndex(engine)).toMatchObject({ embedded: 0, done: true });
    expect(await embedders(engine)).toMatchObject([{ state: 'ready', trained_on: 20 }]);
    expect(await termsOf(engine)).toBe(1);
    expect(await storedVectors(test)).toHaveLength(20);
  });

  test('of two processes end as the one that took over, which both tell of', async () => {
    const { engine, project, test } = await projectOf(range(1, 10).map((n) => about(n)));
    const { embedder: former } = await embedIndex(engine, { limit: 5 });
    const racing = new RacingDatabase(test.database);
    let newer: string | null = null;
    racing.race = async () => {
      await project.add(range(11, 30).map((n) => about(n)));
      newer = (await embedIndex(engine)).embedder;
    };
    const report = await embedIndex({ ...engine, database: racing });
    expect(newer).not.toBe(former);
    expect(report).toMatchObject({ embedder: newer, embedded: 0, done: true });
    expect(await embedders(engine)).toMatchObject([{ name: newer, state: 'ready' }]);
    expect(await covered(engine)).toEqual([30, 30]);
  });
});

describe('a model that lacks words of what came', () => {
  const OTHER = 'violin sonata bow rosin cello fugue organ choir';
  /** About other things, each its own way. */
  const other = (number: number) => {
    const words = OTHER.split(' ');
    const at = (step: number): string => words[(number * step) % words.length] ?? '';
    return issue(number, { repo: 'acme/music', title: `${at(1)} ${at(3)}`, body: `${at(5)} ${at(7)}` });
  };

  /** By a template. */
  const template = 'bumps version changelog commits compatibility score dependabot rebase merge squash ignore reopen';
  const bump = (number: number) =>
    issue(number, { title: `Bump ${String(number)}`, body: `${template} ${about(number).body}` });

  test('is trained anew before the index has doubled, once', async () => {
    const { engine, project } = await projectOf(range(1, 110).map((n) => about(n)));
    const { embedder: former } = await embedIndex(engine);
    await project.add(range(1, 63).map(other));
    expect(await embedIndex(engine)).toMatchObject({ embedder: former, embedded: 63 });
    await project.add([other(64)]);
    const { embedder, embedded } = await embedIndex(engine);
    expect(embedder).not.toBe(former);
    expect(embedded).toBe(174);
    expect(await embedders(engine)).toEqual([{ name: embedder, state: 'ready', trained_on: 174 }]);
    await project.add(range(65, 114).map(other));
    expect(await embedIndex(engine)).toMatchObject({ embedder, embedded: 50 });
  });

  test('stays where they are its own words, or those of one thread, and is compared once', async () => {
    const { engine, project, test } = await projectOf(range(1, 110).map((n) => about(n)));
    const { embedder } = await embedIndex(engine);
    const strange = range(1, 20).map((n) => comment(3, String(n), { body: `${OTHER} ${about(n).body}` }));
    await project.add([...range(111, 190).map((n) => about(n)), ...strange]);
    expect(await embedIndex(engine)).toMatchObject({ embedder, embedded: 100 });
    const database = new CountingDatabase(test.database);
    expect(await embedIndex({ ...engine, database })).toMatchObject({ embedder, embedded: 0 });
    expect([database.reads, database.writes]).toEqual([1, 0]);
    // As an earlier version kept it.
    const former = change(
      `UPDATE watermarks SET value = json_object('model', ?, 'passages', 210) WHERE source = 'lsa'`,
      [embedder],
    );
    await test.database.write([former]);
    expect(await embedIndex({ ...engine, database })).toMatchObject({ embedder, embedded: 0 });
    expect(database.writes).toBe(1);
    expect(await embedIndex({ ...engine, database })).toMatchObject({ embedder, embedded: 0 });
    expect(database.writes).toBe(1);
    // It is no mark of ingestion.
    expect(JSON.stringify((await invoke(status, engine, {})).watermarks)).not.toContain('lsa');
  });

  test('is told from those that take the place of others, whose ids they get', async () => {
    const { engine, project, test } = await projectOf(range(1, 110).map((n) => about(n)));
    const { embedder: former } = await embedIndex(engine);
    const replace = (surface: string, removals: readonly string[], documents: ReturnType<typeof issue>[]) =>
      storeBatch(test.database, indexDocument, {
        documents,
        removals,
        watermark: { source: 'test', surface, before: null, after: '1', complete: true, owner: 'test' },
        now: engine.clock.now(),
      });
    const keys = range(31, 110).map((n) => `acme/app#${String(n)}`);
    await replace('all at once', keys, range(1, 80).map(other));
    expect(await covered(engine)).toEqual([110, 30]);
    const { embedder, embedded } = await embedIndex(engine);
    expect(embedder).not.toBe(former);
    expect(embedded).toBe(110);
    expect((await storedVectors(test)).filter((each) => each.embedder !== embedder)).toEqual([]);
    await project.add(range(31, 60).map((n) => about(n)));
    expect(await embedIndex(engine)).toMatchObject({ embedder, embedded: 30 });
  });

  test('by what no model learns stays, however often such texts come', async () => {
    const { engine, project } = await projectOf(range(1, 80).map((n) => bump(n)));
    const { embedder } = await embedIndex(engine);
    await project.add(range(81, 150).map((n) => bump(n)));
    expect(await embedIndex(engine)).toMatchObject({ embedder, embedded: 70 });
  });

  test('which a training did not teach it is not trained for again', async () => {
    // Of most passages, but of fewer than half of those that came.
    const mixed = (number: number) => (number % 3 === 0 ? bump(number) : about(number));
    const { engine, project } = await projectOf(range(1, 120).map((n) => bump(n)));
    const { embedder: first } = await embedIndex(engine);
    await project.add(range(121, 186).map(mixed));
    const { embedder } = await embedIndex(engine);
    expect(embedder).not.toBe(first);
    await project.add(range(187, 252).map(mixed));
    expect(await embedIndex(engine)).toMatchObject({ embedder, embedded: 66 });
    // What it can learn still counts.
    await project.add(range(1, 66).map(other));
    expect((await embedIndex(engine)).embedder).not.toBe(embedder);
  });

  test('that comes out as it was counts as trained on all there is', async () => {
    const { engine, test } = await projectOf(range(1, 12).map((n) => about(n)));
    const { embedder } = await embedIndex(engine);
    await test.database.write([change('UPDATE embedders SET trained_on = 1')]);
    expect(await embedIndex(engine)).toMatchObject({ embedder, embedded: 0 });
    expect(await embedders(engine)).toEqual([{ name: embedder, state: 'ready', trained_on: 12 }]);
  });
});

describe('a document', () => {
  const store = (engine: Engine, after: string, batch: object) =>
    storeBatch(engine.database, indexDocument, {
      documents: [],
      watermark: { source: 'test', surface: 'more', before: null, after, complete: true, owner: 'test' },
      now: engine.clock.now(),
      embed: batchEmbedder(engine),
      ...batch,
    });
  const vectorOf = async (test: TestProject['test'], passage: string) =>
    (await storedVectors(test)).find((each) => each.passage === passage)?.vector;

  test('that changes or comes has its vector by the transaction that stores it, and loses it by that which removes it', async () => {
    const { engine, test } = await projectOf(range(1, 10).map((n) => about(n)));
    await embedIndex(engine);
    const before = await vectorOf(test, 'acme/app#3 0');
    const database = new CountingDatabase(test.database);
    await store({ ...engine, database }, '1', { documents: [about(3, 'dialog dialog kettle'), about(11)] });
    expect(database.writes).toBe(1);
    const changed = await vectorOf(test, 'acme/app#3 0');
    expect(changed).toBeDefined();
    expect(changed).not.toBe(before);
    expect(await vectorOf(test, 'acme/app#11 0')).toBeDefined();
    expect(await covered(engine)).toEqual([11, 11]);
    await store(engine, '2', {
      removals: ['acme/app#3'],
      watermark: { source: 'test', surface: 'more', before: '1', after: '2', complete: true, owner: 'test' },
    });
    expect(await vectorOf(test, 'acme/app#3 0')).toBeUndefined();
    expect(await covered(engine)).toEqual([10, 10]);
  });

  test('is not stored without its vector where the database is what failed', async () => {
    const { engine, test } = await projectOf(range(1, 10).map((n) => about(n)));
    await embedIndex(engine);
    class ClosedDatabase extends CountingDatabase {
      override read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
        if (!queries.some(({ sql }) => sql.includes('lsa_terms'))) return super.read(queries);
        return Promise.reject(new Failure('credential_required', 'the server refuses the token'));
      }
    }
    const closed = { ...engine, database: new ClosedDatabase(test.database) };
    await expect(store(closed, '1', { documents: [about(11)] })).rejects.toThrow('the server refuses the token');
    expect(await covered(engine)).toEqual([10, 10]);
  });

  test('that another process changes between the reading and the writing is read again', async () => {
    const { engine, project, test } = await projectOf(range(1, 10).map((n) => about(n)));
    await embedIndex(engine);
    await project.add([about(11), about(12)]);
    const racing = new RacingDatabase(test.database);
    racing.race = () => project.add([about(11, 'dialog dialog window')]);
    expect(await embedIndex({ ...engine, database: racing })).toMatchObject({ embedded: 2, done: true });
    expect(await covered(engine)).toEqual([12, 12]);
    const alone = await projectOf(range(1, 10).map((n) => about(n)));
    await embedIndex(alone.engine);
    await alone.project.add([about(11, 'dialog dialog window'), about(12)]);
    await embedIndex(alone.engine);
    expect(await storedVectors(test)).toEqual(await storedVectors(alone.test));
  });

  test('that never rests is given up on, and what is stored stays', async () => {
    const { engine, project, test } = await projectOf(range(1, 10).map((n) => about(n)));
    await embedIndex(engine);
    await project.add([about(11)]);
    const racing = new RacingDatabase(test.database);
    let changes = 0;
    const race = async (): Promise<void> => {
      await project.add([about(11, 'menu '.repeat((changes += 1)))]);
      racing.race = race;
    };
    racing.race = race;
    await expect(embedIndex({ ...engine, database: racing })).rejects.toMatchObject({ code: 'database_busy' });
    expect(await covered(engine)).toEqual([11, 10]);
  });
});
