import { afterEach, describe, expect, test } from 'vitest';
import { doctor } from '../../src/lib/admin/doctor.ts';
import { contentHash } from '../../src/lib/corpus/content-hash.ts';
import type { Document } from '../../src/lib/corpus/document.ts';
import { storeBatch } from '../../src/lib/corpus/store.ts';
import { change, query, type WriteStep } from '../../src/lib/engine/database.ts';
import { allowedBy } from '../../src/lib/engine/allow-list.ts';
import type { Embedder } from '../../src/lib/engine/embedder.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { edgesOf } from '../../src/lib/indexing/edges.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { backfill } from '../../src/lib/operations.ts';
import { CountingDatabase, type TestDatabase, testDatabase } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';
import { comment, diff, doc, issue, wiki } from '../support/project.ts';

/** Vectors that tell texts apart by their letters. */
const letters: Embedder = {
  id: 'letters',
  embed: (texts) =>
    Promise.resolve(
      texts.map((text) => {
        const vector = new Float32Array(8);
        for (const [at, letter] of [...text].entries()) vector[at % 8] = (vector[at % 8] ?? 0) + letter.charCodeAt(0);
        const length = Math.hypot(...vector);
        return vector.map((value) => value / length);
      }),
    ),
};

const documents = [
  issue(1, { body: 'It was decided in #2.' }),
  issue(2, { versionIsKnown: false }),
  comment(1, '5', { body: 'See docs and acme/app#2.' }),
  comment(1, null, { body: 'Of an old export, before #2.' }),
  doc('docs/a.md', { body: `# A title\n\n${'Text of the first part. '.repeat(60)}\n\n## B\n\nMore text.` }),
  doc('notes.txt', { body: 'Plain.' }),
  diff('ab', 'src/x.ts', { body: '+a changed line\n' }),
  wiki('Home', { body: 'Read Guide and [[Setup]] first.' }),
  wiki('Guide', { body: 'Nothing.' }),
];

const tests: TestDatabase[] = [];
afterEach(() => Promise.all(tests.splice(0).map((each) => each.remove())));

async function open(given: readonly Document[] = documents, parts: Partial<Engine> = {}) {
  const database = testDatabase();
  tests.push(database);
  const engine = testEngine(database, { embedder: letters, ...parts });
  const watermark = { source: 'test', surface: 'all', before: null, after: '1', complete: true, owner: 'test' };
  await storeBatch(engine.database, indexDocument, { documents: given, watermark, edgesOf, now: 0 });
  await embedIndex(engine);
  return engine;
}

const run = (engine: Engine, surface: string, input: Record<string, unknown> = {}) =>
  invoke(backfill, engine, { surface, ...input });
const sql = async ({ database }: Engine, ...statements: string[]): Promise<void> => {
  await database.write(statements.map((text) => change(text)));
};

test.each(['segments', 'edges', 'embeddings'])(
  '%s repairs the whole index, and takes no repository',
  async (surface) => {
    const failure = { code: 'invalid_input', hint: `Without it: gh-rag backfill ${surface}` };
    await expect(run(await open([]), surface, { repo: 'acme/app' })).rejects.toMatchObject({
      ...failure,
      message: `repo: ${surface} repairs the whole index, not one repository`,
    });
  },
);

const TABLES = [
  'SELECT * FROM documents',
  'SELECT * FROM bodies',
  'SELECT * FROM passages',
  'SELECT * FROM edges',
  'SELECT * FROM credits',
  'SELECT * FROM passages_nat_vocab',
  'SELECT * FROM passages_code_vocab',
  'SELECT id, hex(sz) FROM passages_nat_docsize',
  'SELECT id, hex(sz) FROM passages_code_docsize',
  'SELECT embedder_id, passage_id, hex(vector) FROM passage_vectors',
  'SELECT embedder_id, passage_id, repo_id, type, hex(signature) FROM passage_signatures',
];

/** Everything that is stored and that a repair may touch. */
async function everything({ database }: Engine): Promise<string> {
  const rows = await database.read(TABLES.map((text) => query(text, [], (row) => JSON.stringify(Object.values(row)))));
  return rows.map((table) => table.sort().join('\n')).join('\n\n');
}

describe('segments', () => {
  test.each<[string, number, string[]]>([
    ['passages that are gone', 2, ['DELETE FROM passages WHERE document_id IN (1, 5)']],
    ['passages cut otherwise', 1, ['UPDATE passages SET length = length - 3 WHERE id = 5 << 16']],
    ['headings of other rules', 1, ["UPDATE passages SET heading_path = '[]' WHERE document_id = 5"]],
    ['a title of other rules', 1, ["UPDATE documents SET title = 'a.md' WHERE id = 5"]],
    ['prose that is not searchable', 1, ['DELETE FROM passages_nat WHERE rowid >> 16 = 3']],
    ['code that is not searchable', 1, ['DELETE FROM passages_code WHERE rowid >> 16 = 7']],
    ['prose in the index of code', 1, ["INSERT INTO passages_code (rowid, body) VALUES (65536, 'prose')"]],
    ['an entry of no passage', 1, ["INSERT INTO passages_nat (rowid, body) VALUES ((3 << 16) + 9, 'x')"]],
    [
      'entries of no document',
      2,
      [
        "INSERT INTO passages_nat (rowid, body) VALUES ((88 << 16) + 9, 'x')",
        "INSERT INTO passages_code (rowid, body) VALUES ((77 << 16) + 1, 'xyz')",
      ],
    ],
    [
      'a vector without a passage',
      1,
      [
        `INSERT INTO passage_vectors SELECT embedder_id, passage_id + 7, vector FROM passage_vectors WHERE passage_id = 65536`,
      ],
    ],
    [
      'a vector of no document',
      1,
      [
        `INSERT INTO passage_vectors SELECT embedder_id, 99 << 16, vector FROM passage_vectors WHERE passage_id = 65536`,
      ],
    ],
    ['a vector that no search finds', 1, ['DELETE FROM passage_signatures WHERE passage_id = 65536']],
    [
      'a signature alone',
      1,
      [
        'DELETE FROM passage_vectors WHERE passage_id = 65536',
        `INSERT INTO passage_signatures SELECT embedder_id, 65536, repo_id, type, signature FROM passage_signatures LIMIT 1`,
      ],
    ],
  ])('%s are made anew with their vectors, once', async (_name, count, damage) => {
    const engine = await open();
    const before = await everything(engine);
    await sql(engine, ...damage);
    const damaged = await everything(engine);
    expect(damaged).not.toBe(before);
    expect(await run(engine, 'segments', { dry_run: true })).toMatchObject({ repaired: count, done: true });
    expect(await everything(engine)).toBe(damaged);
    expect(await run(engine, 'segments')).toMatchObject({ repaired: count, notes: [], done: true, repo: null });
    expect(await everything(engine)).toBe(before);
    expect(await run(engine, 'segments')).toMatchObject({ repaired: 0 });
    expect((await invoke(doctor, engine, {})).ok).toBe(true);
  });

  test('what was indexed under older rules is indexed under those of now, and keeps the vectors of what is cut alike', async () => {
    const engine = await open();
    const before = await everything(engine);
    const older = documents.map((each) => contentHash(each, 0));
    await sql(
      engine,
      ...older.map((hash, at) => `UPDATE documents SET content_hash = '${hash}' WHERE id = ${String(at + 1)}`),
    );
    const calls: number[] = [];
    const counting: Engine = {
      ...engine,
      embedder: {
        ...letters,
        embed: (texts, role, signal) => {
          calls.push(texts.length);
          return letters.embed(texts, role, signal);
        },
      },
    };
    expect(await run(counting, 'segments')).toMatchObject({ looked: 9, repaired: 9, done: true });
    expect(await everything(engine)).toBe(before);
    expect(calls).toEqual([]);
  });

  test('goes on by its cursor in parts of one transaction, and says what it cannot repair', async () => {
    const engine = await open();
    const before = await everything(engine);
    await sql(engine, 'DELETE FROM passages');
    const database = new CountingDatabase(engine.database);
    const looked: number[] = [];
    let cursor: string | undefined;
    do {
      const part = await run({ ...engine, database }, 'segments', {
        limit: 4,
        ...(cursor !== undefined && { cursor }),
      });
      looked.push(part.looked);
      cursor = part.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(looked).toEqual([4, 4, 1]);
    expect(database.writes).toBe(3);
    expect(await everything(engine)).toBe(before);
    await sql(
      engine,
      'DELETE FROM bodies WHERE document_id = 1',
      "UPDATE bodies SET body = 'Another text' WHERE document_id = 2",
    );
    const { repaired, notes } = await run(engine, 'segments');
    expect(repaired).toBe(1);
    expect(notes).toEqual([
      expect.stringContaining('acme/app#1 has no body'),
      expect.stringContaining('acme/app#2 is not'),
    ]);
    await expect(run(engine, 'segments', { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  test('leaves vectors to backfill embeddings where they cannot be made, and says so', async () => {
    const engine = await open();
    const before = await everything(engine);
    await sql(engine, 'UPDATE passages SET length = 1 WHERE id = 65536');
    const { notes } = await run({ ...engine, embedder: null }, 'segments');
    expect(notes).toEqual([expect.stringContaining('gh-rag backfill embeddings')]);
    expect(await run(engine, 'embeddings')).toMatchObject({ repaired: 1 });
    expect(await everything(engine)).toBe(before);
  });

  test('an embedder is given no text of a repository outside the list', async () => {
    const hidden = issue(1, { repo: 'vault/hidden', body: 'The nightjar sings at noon.' });
    const engine = await open([issue(1), hidden, issue(2)]);
    const before = await everything(engine);
    const given: string[] = [];
    const embedder: Embedder = {
      ...letters,
      embed: (texts, role, signal) => {
        given.push(...texts);
        return letters.embed(texts, role, signal);
      },
    };
    const listed = { ...engine, embedder, allowed: allowedBy(['acme/*']) };
    await sql(engine, 'UPDATE passages SET length = 1 WHERE id IN (65536, 131072)');
    expect(await run(listed, 'segments')).toMatchObject({ repaired: 2, notes: [] });
    expect(given).toHaveLength(1);
    expect(given.join()).not.toContain('nightjar');
    await sql(engine, 'UPDATE passages SET length = 1 WHERE id = 131072');
    expect(await run(listed, 'segments')).toMatchObject({ repaired: 1, notes: [] });
    expect(given).toHaveLength(1);
    // Whoever may send it does.
    expect(await run(engine, 'embeddings')).toMatchObject({ repaired: 1 });
    expect(await everything(engine)).toBe(before);
  });

  test('a part that is stopped while it is planned changes nothing', async () => {
    const engine = await open();
    await sql(engine, 'UPDATE passages SET length = 1 WHERE id = 65536');
    const before = await everything(engine);
    const controller = new AbortController();
    const embedder: Embedder = {
      ...letters,
      embed: (texts, role, signal) => {
        setImmediate(() => {
          controller.abort();
        });
        return letters.embed(texts, role, signal);
      },
    };
    const stopped = { ...engine, embedder, signal: controller.signal };
    await expect(run(stopped, 'segments')).rejects.toMatchObject({ code: 'interrupted' });
    expect(await everything(engine)).toBe(before);
  });

  test('a vector is never that of a passage that was cut anew meanwhile', async () => {
    const engine = await open();
    const before = await everything(engine);
    const shortened = 'UPDATE passages SET length = 1 WHERE id = 65536';
    await sql(engine, shortened, 'DELETE FROM passage_vectors WHERE passage_id = 65536');
    let repairs = 0;
    const embedder: Embedder = {
      ...letters,
      embed: async (texts, role, signal) => {
        repairs += 1;
        if (repairs === 1) await run({ ...engine, embedder: null }, 'segments');
        return letters.embed(texts, role, signal);
      },
    };
    await embedIndex({ ...engine, embedder });
    expect(repairs).toBe(2);
    expect(await everything(engine)).toBe(before);
  });

  test('a document that is written meanwhile is looked at again', async () => {
    const engine = await open();
    await sql(engine, 'DELETE FROM passages WHERE document_id = 1');
    let others = 0;
    const database = new CountingDatabase(engine.database);
    const write = async (steps: readonly WriteStep[]) => {
      others += 1;
      if (others === 1) {
        const watermark = { source: 'test', surface: 'all', before: '1', after: '2', complete: true, owner: 'other' };
        const newer = { ...issue(1), body: 'Somebody wrote this in between.' };
        await storeBatch(engine.database, indexDocument, { documents: [newer], watermark, edgesOf, now: 0 });
      }
      return engine.database.write(steps);
    };
    database.write = write;
    expect(await run({ ...engine, database }, 'segments')).toMatchObject({ repaired: 0 });
    expect(others).toBe(1);
    await embedIndex(engine);
    expect((await invoke(doctor, engine, {})).ok).toBe(true);
  });
});

describe('edges', () => {
  const LEARNED = [
    "INSERT INTO principals (id, name) VALUES (1, 'github:1')",
    `INSERT INTO traces (seq, trace_id, principal_id, created_at, mode, request, settings, recording, source_count)
     VALUES (1, 'trace', 1, 0, 'search', '{}', '{}', '{}', 0)`,
    `INSERT INTO credits (principal_id, repo, src_slug, dst_slug, edge_kind, src_node, dst_node, trace_seq, confirmation_id, delta, created_at)
     VALUES (1, 'acme/app', '#1', '#2', 'reference', 'thread:acme/app:1', 'thread:acme/app:2', 1, 'confirmation', 1, 0)`,
  ];

  test.each<[string, number, string[]]>([
    ['edges that are gone', 4, ['DELETE FROM edges WHERE document_id IN (1, 3, 7, 8)']],
    [
      'edges that nobody states',
      2,
      [
        "INSERT INTO edges VALUES (2, 'thread:acme/app:2', 'thread:acme/app:9', 'reference', 'thread:acme/app:9')",
        "INSERT INTO edges VALUES (3, 'thread:acme/app:2', 'thread:acme/app:9', 'reference', 'thread:acme/app:9')",
      ],
    ],
    ['an edge that leads elsewhere', 1, ["UPDATE edges SET dst = 'thread:acme/app:9' WHERE document_id = 1"]],
    ['mentions of a page that arrived unseen', 1, ["DELETE FROM edges WHERE dst LIKE '%Guide'"]],
  ])('%s are found anew, once, and what was learned stays', async (_name, count, damage) => {
    const engine = await open();
    await sql(engine, ...LEARNED);
    const before = await everything(engine);
    await sql(engine, ...damage);
    const damaged = await everything(engine);
    expect(damaged).not.toBe(before);
    expect(await run(engine, 'edges', { dry_run: true })).toMatchObject({ repaired: count });
    expect(await everything(engine)).toBe(damaged);
    const first = await run(engine, 'edges', { limit: 5 });
    const rest = await run(engine, 'edges', { cursor: first.next_cursor });
    expect(first.repaired + rest.repaired).toBe(count);
    expect(rest.done).toBe(true);
    expect(await everything(engine)).toBe(before);
    expect(await run(engine, 'edges')).toMatchObject({ looked: 9, repaired: 0 });
  });
});
