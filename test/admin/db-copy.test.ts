import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databasesBy } from '../../src/lib/adapters/databases.ts';
import { openLocal } from '../../src/lib/adapters/libsql/open.ts';
import { openRemote } from '../../src/lib/adapters/libsql/open-remote.ts';
import { COMPARED_TABLES, OWN_TABLES } from '../../src/lib/admin/copied-tables.ts';
import { dbCopyOperation } from '../../src/lib/admin/db-copy.ts';
import type { DbCopyOutput } from '../../src/lib/admin/db-copy-contract.ts';
import { doctor } from '../../src/lib/admin/doctor.ts';
import { DOCUMENT_TYPE_NAMES } from '../../src/lib/corpus/document-types.ts';
import {
  change,
  type Database,
  type Durability,
  type Query,
  query,
  type Rows,
  type WriteStep,
} from '../../src/lib/engine/database.ts';
import { remoteItemSteps, reviewedSteps } from '../../src/lib/corpus/remote-items.ts';
import type { OpenDatabase } from '../../src/lib/engine/databases.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { insertEmbedder } from '../../src/lib/corpus/embedder-store.ts';
import { missingPassagesQuery, vectorSteps } from '../../src/lib/corpus/vector-store.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { insertTerms } from '../../src/lib/indexing/lsa/lsa-store.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { Caller, github, MemoryWorld, refusal, sourcesOf } from '../feedback/memory.ts';
import { MIGRATIONS, TestClock, testDatabase, type TestDatabase } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';
import { type Hrana, startHrana } from '../support/hrana/start.ts';
import { comment, diff, doc, inlineComment, issue, pull, release, review, wiki } from '../support/project.ts';
import { temporaryDirectory } from '../support/repository.ts';
import { serverOf } from '../support/served-database.ts';
import { abortAfter, withDatabase } from '../support/test-index.ts';

/** One of every type and more, in batches of their own. */
const DOCUMENTS = [
  issue(1, { body: 'The kettle leaks. See #2, #3 and the page Alpha.' }),
  pull(2, { body: 'Fixes #1: the kettle is sealed.', labels: ['bug'], assignees: ['ada'], milestone: 'v1' }),
  issue(3, { title: '漏水のやかん', body: '水が漏れる。やかんを交換した。' }),
  comment(1, '11', { body: 'Mine leaks too, see acme/lib#7.' }),
  comment(1, null, { body: 'Nobody knows the id of this one.' }),
  review(2, '21', { body: 'The seal holds.' }),
  inlineComment(2, '31', { body: 'This line leaks.', path: 'src/kettle.ts', line: 4 }),
  release('v1', { body: 'Kettles are sealed, see #2.' }),
  doc('docs/kettle.md', {
    body: `# Kettles\n\nHow to descale.\n\n${'A long paragraph on water. '.repeat(120)}\n\n## Seals\n\nSee #1.`,
  }),
  doc('empty.md', { body: '' }),
  wiki('Alpha', { body: 'The needle is explained on Beta.' }),
  wiki('Beta', { body: 'What it means is told on Gamma. 😀' }),
  wiki('Gamma', { body: 'It is sharp.' }),
  diff('ab', 'src/kettle.ts', { body: '@@ -1 +1 @@ function boil()\n-const sealed = false;\n+const sealed = true;' }),
  issue(7, { repo: 'acme/lib', body: 'The library leaks.' }),
];

const SMALL = { rows: 3, characters: 300 };
const copyInSmallBatches = dbCopyOperation(indexDocument, SMALL);
const copyOperation = dbCopyOperation(indexDocument);

let world: MemoryWorld;
let directory: string;
let expected: DbCopyOutput;
let served: Hrana[] = [];
beforeAll(async () => {
  directory = temporaryDirectory();
  world = await filled();
  expected = await copy(newTarget());
});
afterEach(async () => {
  for (const hrana of served) await hrana.stop();
  served = [];
});
afterAll(async () => {
  await world.remove();
  rmSync(directory, { recursive: true, force: true });
});

/** A file with an index, a graph, and what two principals did with it. */
async function filled(): Promise<MemoryWorld> {
  const made = await MemoryWorld.of(DOCUMENTS, testDatabase({ backend: 'local' }));
  for (const caller of [made.as({ kind: 'local' }), made.as(github(7))]) {
    const chain = await caller.chain();
    const of = sourcesOf(chain);
    await caller.useFully(chain.trace_id, of('acme/app/wiki/Alpha'), of('acme/app/wiki/Gamma'));
    const confirmed = await caller.confirm(chain.trace_id, [of('acme/app/wiki/Gamma')]);
    made.clock.ms += 12_345;
    const threads = await caller.threads();
    await caller.useFully(threads.trace_id, sourcesOf(threads)('acme/app#1'));
    await caller.confirm(threads.trace_id, [sourcesOf(threads)('acme/app#1')]);
    if (caller.engine.principal?.kind === 'github') await caller.reverse(confirmed);
  }
  const key = 'acme/app#1/comment/999';
  await made.test.database.write([
    ...remoteItemSteps(
      [{ key, repo: 'acme/app', type: 'issue_comment', number: 1 }],
      [],
      [{ repo: 'acme/app', number: 1, comments: 3 }],
    ),
    ...reviewedSteps([{ repo: 'acme/app', number: 2, reviewed: 1_700_000_000_000 }]),
  ]);
  await embed(made.test);
  return made;
}

/** A model of two terms, and vectors of some passages: a real one has hundreds of terms, and the copies many batches. */
async function embed({ database }: TestDatabase): Promise<void> {
  await database.write([
    insertEmbedder({ name: 'lsa-2-made', kind: 'lsa', dimensions: 2, trainedOn: 9, state: 'ready' }),
    ...insertTerms('lsa-2-made', [
      { term: 'kettl', weight: 1, scale: 1 / 3, vector: Int8Array.of(127, -128) },
      { term: '漏水', weight: 0.1, scale: 0, vector: Int8Array.of(0, 0) },
    ]),
  ]);
  const [places] = await database.read([missingPassagesQuery({ embedderId: 1, after: 0, limit: 4, allowed: 'all' })]);
  const vectors = [0, 1, 2, 3].map((angle) => Float32Array.of(Math.cos(angle), Math.sin(angle)));
  await database.write(
    vectorSteps(
      { name: 'lsa-2-made', dimensions: 2 },
      places.map(({ passageId }, at) => ({ passage: passageId, vector: vectors[at] ?? new Float32Array(2) })),
    ),
  );
}

let targets = 0;
function newTarget(): string {
  targets += 1;
  return join(directory, `target-${String(targets)}.db`);
}

interface Hooks {
  /** Before a read of either side with this in its SQL. */
  readonly beforeRead?: (sql: string) => Promise<void>;
  /** After a write was applied. */
  readonly afterWrite?: () => void;
}

class HookedDatabase implements Database {
  readonly backend;
  readonly location;
  readonly #inner: Database;
  readonly #hooks: Hooks;

  constructor(inner: Database, hooks: Hooks) {
    this.#inner = inner;
    this.#hooks = hooks;
    this.backend = inner.backend;
    this.location = inner.location;
  }

  async read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
    await this.#hooks.beforeRead?.(queries.map(({ sql }) => sql).join(';'));
    return this.#inner.read(queries);
  }

  async write(steps: readonly WriteStep[], durability?: Durability) {
    const outcome = await this.#inner.write(steps, durability);
    this.#hooks.afterWrite?.();
    return outcome;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

function opened(hooks: Hooks = {}): Pick<Engine, 'databases'> {
  const clock = new TestClock();
  const by = (url: string): Hrana => {
    const hrana = served.find((each) => each.url === url);
    if (hrana === undefined) throw new Error('no such server');
    return hrana;
  };
  return {
    databases: databasesBy((location): OpenDatabase => {
      const { database, schema } =
        location.kind === 'file'
          ? openLocal({ file: location.path, migrations: MIGRATIONS, clock })
          : openRemote({ server: serverOf(by(location.url)), migrations: MIGRATIONS, clock });
      return { database: new HookedDatabase(database, hooks), schema };
    }),
  };
}

function copy(
  target: string,
  {
    source = world.test.file,
    operation = copyOperation,
    hooks = {},
    parts = {},
  }: { source?: string; operation?: typeof copyOperation; hooks?: Hooks; parts?: Partial<Engine> } = {},
): Promise<DbCopyOutput> {
  return invoke(operation, testEngine(world.test, { ...opened(hooks), ...parts }), { source, target });
}

const rowsIn = async (test: Pick<TestDatabase, 'database'>, sql: string) =>
  (await test.database.read([query(sql, [], (row) => ({ ...row }))]))[0];

describe('a copy', () => {
  it('holds every row of the source, and says so', () => {
    expect(expected).toMatchObject({ verified: true, resumed: false, source: world.test.file });
    const rows = new Map(expected.tables.map(({ table, rows: n }) => [table, n]));
    expect(rows.get('documents')).toBe(DOCUMENTS.length);
    expect(rows.get('passages_code')).toBe(1);
    expect([...rows.values()].every((n) => n > 0)).toBe(true);
    expect([...rows.keys()]).toEqual([...COMPARED_TABLES.keys()]);
  });

  it('has documents of every type to copy', () => {
    expect(new Set(DOCUMENTS.map(({ type }) => type))).toEqual(new Set(DOCUMENT_TYPE_NAMES));
  });

  it('covers every table that the migrations make', async () => {
    const made = await rowsIn(
      world.test,
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%VIRTUAL%'
       AND name NOT GLOB 'passages_*'`,
    );
    const known = [...COMPARED_TABLES.values()].map(({ name }) => name).filter((name) => !name.endsWith('_docsize'));
    expect(made.map(({ name }) => name).sort()).toEqual([...known, ...OWN_TABLES].sort());
  });

  it('keeps every value to the last bit', async () => {
    const odd = newTarget();
    await copy(odd);
    await withDatabase(odd, async (source) => {
      await source.database.write([
        // What JavaScript and JSON do not keep by themselves.
        change(`UPDATE documents SET line = 9007199254740993 WHERE key = 'acme/app#3'`),
        change(`UPDATE traces SET query = char(65279) || 'a' || char(0) || 'b' WHERE seq = 2`),
      ]);
      const { target } = await copy(newTarget(), { source: odd });
      for (const sql of [
        'SELECT key, CAST(line AS TEXT) AS line FROM documents WHERE line > 9007199254740991',
        'SELECT seq, hex(query) AS query FROM traces ORDER BY seq',
        "SELECT source_id, printf('%!.20g', retrieved) AS r, printf('%!.20g', usage) AS u FROM activations ORDER BY 1, 2, 3",
        "SELECT seq, printf('%!.20g', delta) AS d, state FROM credits ORDER BY seq",
        'SELECT name, seq FROM sqlite_sequence ORDER BY name',
      ]) {
        const there = await rowsIn(source, sql);
        expect(there.length).toBeGreaterThan(0);
        await withDatabase(target, async (test) => {
          expect(await rowsIn(test, sql)).toEqual(there);
        });
      }
    });
  });

  it('answers as the source does: history, cursors, search by full text, doctor', async () => {
    const target = newTarget();
    await copy(target);
    await withDatabase(target, async (test) => {
      test.clock.ms = world.clock.ms;
      const sides = [world.test, test] as const;
      const both = <T>(ask: (caller: Caller) => Promise<T>, principal: Engine['principal'] = { kind: 'local' }) =>
        Promise.all(sides.map((side) => ask(new Caller(testEngine(side, { principal })))));
      for (const principal of [{ kind: 'local' }, github(7)] as const) {
        const [there, here] = await both((caller) => caller.pages({ limit: 1 }), principal);
        expect(there?.length).toBeGreaterThan(1);
        // Signed with the same key.
        expect(here).toEqual(there);
      }
      const [sound, copied] = await Promise.all(sides.map((side) => invoke(doctor, testEngine(side), {})));
      expect(copied).toEqual(sound);
      expect(copied).toMatchObject({ ok: true });
      for (const asked of [
        { query: 'kettle' },
        { query: 'leaking kettles', graph_expand: true },
        { query: 'needle', graph_expand: true, graph_hops: 2 },
        { query: 'やかん' },
        { query: 'descale' },
        { query: 'const sealed = true', type: ['diff' as const] },
        { query: 'boil' },
      ]) {
        const [there, here] = await both(async (caller) => {
          const { trace_id: _trace, ...answer } = await caller.search(asked);
          return answer;
        });
        expect(there?.results.length).toBeGreaterThan(0);
        expect(here).toEqual(there);
      }
    });
  });

  it('is a source again', async () => {
    const first = newTarget();
    const { digest } = await copy(first);
    const again = await copy(newTarget(), { source: first, operation: copyInSmallBatches });
    expect(again.digest).toBe(digest);
  });

  it('of an empty database is an empty one', async () => {
    const empty = newTarget();
    await withDatabase(empty, (test) => rowsIn(test, 'SELECT 1'));
    const { copied, tables } = await copy(newTarget(), { source: empty });
    expect(copied).toBe(0);
    expect(tables.filter(({ rows }) => rows > 0).map(({ table }) => table)).toEqual(['installations']);
  });

  it('reads in pages that are bounded, and each row once', async () => {
    let writes = 0;
    const output = await copy(newTarget(), {
      operation: copyInSmallBatches,
      hooks: { afterWrite: () => (writes += 1) },
    });
    expect(output.copied).toBeLessThanOrEqual(SMALL.rows * writes);
    expect(output.tables).toEqual((await copy(newTarget())).tables);
  });
});

describe('an interrupted copy', () => {
  it('goes on from each batch at which it was stopped, and copies nothing twice', async () => {
    const whole = await copy(newTarget());
    const target = newTarget();
    const seen: unknown[] = [];
    for (;;) {
      // Each run stores two batches, and is stopped then.
      await stopEarly(target);
      const [mark] = await withDatabase(target, (test) => rowsIn(test, MARK));
      // Nothing is left but to read both sides, which are more than two pages.
      if (JSON.stringify(mark) === JSON.stringify(seen.at(-1))) break;
      seen.push(mark);
    }
    expect(seen.length).toBeGreaterThan(5);
    expect(await copy(target)).toMatchObject({ resumed: true, copied: 0, digest: whole.digest });
    expect(await withDatabase(target, (test) => rowsIn(test, MARK))).toEqual([]);
  });

  it('goes on after each write at which the process ended', async () => {
    let writes = 0;
    const whole = await copy(newTarget(), {
      operation: copyInSmallBatches,
      hooks: { afterWrite: () => (writes += 1) },
    });
    // The last two check the full-text indexes and take the mark away.
    for (const at of [1, 2, 3, Math.floor(writes / 2), writes - 2, writes - 1]) {
      const target = newTarget();
      let left = at;
      const end = () => {
        left -= 1;
        if (left === 0) throw new Error('the process ended');
      };
      const ended = copy(target, { operation: copyInSmallBatches, hooks: { afterWrite: end } });
      await expect(ended).rejects.toThrow('the process ended');
      const output = await copy(target, { operation: copyInSmallBatches });
      expect(output).toMatchObject({ resumed: true, digest: whole.digest });
      expect(output.copied).toBeLessThanOrEqual(whole.copied);
    }
  });

  it('is no source, and is gone on with from its own source only', async () => {
    const target = newTarget();
    await stopEarly(target);
    expect(await refusal(copy(newTarget(), { source: target }))).toMatchObject({
      code: 'invalid_input',
      message: 'source: is a copy that is not finished',
    });
    const other = newTarget();
    await withDatabase(other, (test) => rowsIn(test, 'SELECT 1'));
    expect(await refusal(copy(target, { source: other }))).toMatchObject({
      code: 'invalid_input',
      message: 'target: holds an unfinished copy of another database',
    });
  });

  it('that was written to does not end as a copy, and blames no side alone', async () => {
    const target = newTarget();
    await stopEarly(target);
    await withDatabase(target, ({ database }) => database.write([change("UPDATE repos SET default_branch = 'mine'")]));
    expect(await refusal(copy(target))).toMatchObject({
      code: 'drift',
      message: 'the copy is not equal to its source in repos',
      hint: expect.stringContaining('wrote to one of both') as string,
    });
  });

  it('is not written to by two at once', async () => {
    const target = newTarget();
    let other: Promise<DbCopyOutput> | undefined;
    const first = copy(target, {
      operation: copyInSmallBatches,
      hooks: {
        beforeRead: async (sql) => {
          if (other !== undefined || !readsPageOf('edges', sql)) return;
          other = copy(target);
          await other;
        },
      },
    });
    expect(await refusal(first)).toMatchObject({ code: 'database_busy' });
    expect(await other).toMatchObject({ verified: true, resumed: true });
  });
});

/** Whether it reads rows, and does not only count them. */
function readsPageOf(table: string, sql: string): boolean {
  return sql.includes(`FROM ${table} AS t WHERE`) && !sql.includes('count(*)');
}

const MARK = "SELECT value FROM watermarks WHERE source = 'db copy'";

async function stopEarly(target: string): Promise<void> {
  expect(await refusal(copy(target, { operation: copyInSmallBatches, parts: abortAfter(2) }))).toMatchObject({
    code: 'interrupted',
  });
}

describe('a wrong pair of databases', () => {
  it('is a target that holds something', async () => {
    const other = await MemoryWorld.of([issue(1)], testDatabase({ backend: 'local' }));
    const before = await rowsIn(other.test, 'SELECT * FROM installations');
    expect(await refusal(copy(other.test.file))).toEqual({
      code: 'invalid_input',
      message: 'target: holds something already',
      hint: 'Copy into a new file, or into a database that gh-rag migrate has just made.',
    });
    expect(await rowsIn(other.test, 'SELECT * FROM installations')).toEqual(before);
    await other.remove();
  });

  it('is a target that is the source, by whatever name, or a finished copy', async () => {
    const link = join(directory, 'link.db');
    symlinkSync(world.test.file, link);
    const finished = newTarget();
    await copy(finished);
    for (const target of [world.test.file, `file:${world.test.file}`, link, finished]) {
      expect(await refusal(copy(target))).toMatchObject({
        code: 'invalid_input',
        message: 'target: is the source itself, or a complete copy of it',
      });
    }
  });

  it('is a source that is not there, which is not made', async () => {
    const source = newTarget();
    const target = newTarget();
    expect(await refusal(copy(target, { source }))).toMatchObject({ code: 'not_found' });
    expect(existsSync(source)).toBe(false);
    expect(existsSync(target)).toBe(false);
  });
});

describe('a source that changes meanwhile', () => {
  /** A copy of the world as it is, whose source is changed before the first read of a table. */
  async function disturbed(table: string, disturb: (source: MemoryWorld) => Promise<unknown>) {
    const source = await filled();
    let changed = false;
    const beforeRead = async (sql: string): Promise<void> => {
      if (changed || !readsPageOf(table, sql)) return;
      changed = true;
      await disturb(source);
    };
    const target = newTarget();
    const failure = await refusal(copy(target, { source: source.test.file, hooks: { beforeRead } }));
    // It is not taken for a database afterwards.
    expect(await withDatabase(target, (test) => rowsIn(test, MARK))).toHaveLength(1);
    await source.remove();
    return failure;
  }

  it('is told by the tables that differ', async () => {
    const failure = await disturbed('edges', (source) =>
      source.index([issue(1, { body: 'A longer text than before.' })]),
    );
    expect(failure).toMatchObject({ code: 'drift' });
    expect(failure.message).toBe(
      'the copy is not equal to its source in repos, documents, bodies, passages, passages_nat',
    );
    expect(failure.hint).toContain('Something wrote to one of both meanwhile: stop what does');
  });

  it('is told at once where rows need others that came too late', async () => {
    expect(await disturbed('traces', (source) => source.as(github(8)).chain())).toMatchObject({
      code: 'drift',
      message: 'the source or the target changed while it was copied',
    });
    expect(await disturbed('edges', (source) => source.index([issue(50, { body: 'See #1.' })]))).toMatchObject({
      code: 'drift',
    });
  });

  it('is told where a document came back under another id', async () => {
    expect(
      await disturbed('watermarks', async (source) => {
        await source.index([], ['acme/app#1']);
        await source.index([issue(1, { body: 'The kettle leaks. See #2, #3 and the page Alpha.' })]);
      }),
    ).toMatchObject({ code: 'drift' });
  });

  it('is told where a passage is not as this program cuts it', async () => {
    const source = await filled();
    await source.test.database.write([change('UPDATE passages SET length = length - 1 WHERE length > 5')]);
    expect(await refusal(copy(newTarget(), { source: source.test.file }))).toMatchObject({
      code: 'drift',
      hint: 'Index it again with this gh-rag, then copy into an empty database.',
    });
    await source.remove();
  });
});

describe('over a line', () => {
  it('goes to a server and back over a line that loses requests and answers, and is what it was', async () => {
    const hrana = await startHrana();
    served.push(hrana);
    const url = hrana.url;
    expect(await refusal(copy(url))).toMatchObject({ code: 'schema_outdated' });
    await openRemote({ server: serverOf(hrana), migrations: MIGRATIONS, clock: new TestClock() }).schema.apply();
    expect(await refusal(copy(url, { operation: copyInSmallBatches, parts: abortAfter(3) }))).toMatchObject({
      code: 'interrupted',
    });
    const whole = await copy(newTarget());
    await hrana.fault({ rate: 0.2, seed: 5, kinds: ['dropRequest', 'dropResponse', 'truncatedBody', 'status503'] });
    expect(await copy(url)).toMatchObject({ resumed: true, digest: whole.digest });
    const back = newTarget();
    expect(await copy(back, { source: url })).toMatchObject({ resumed: false, tables: whole.tables });
    await withDatabase(back, async (test) => {
      expect(await invoke(doctor, testEngine(test), {})).toMatchObject({ ok: true });
    });
  });
});
