import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import Libsql from 'libsql';
import { afterEach, describe, expect, test } from 'vitest';
import { doctor } from '../../src/lib/admin/doctor.ts';
import { query } from '../../src/lib/engine/database.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { comment, diff, doc, issue, pull, TestProject } from '../support/project.ts';
import { testBackend } from '../support/database.ts';

const projects: TestProject[] = [];
afterEach(() => Promise.all(projects.splice(0).map(({ test: database }) => database.remove())));

const documents = [
  issue(1),
  pull(2, { labels: ['bug'] }),
  comment(1, '5'),
  comment(1, null),
  doc('docs/a.md', { body: '# A\n\nText.\n\n## B\n\nMore text.' }),
  diff('ab', 'src/x.ts', { body: '+a changed line\n' }),
];

async function open(given = documents): Promise<TestProject> {
  const project = await TestProject.of(given);
  projects.push(project);
  return project;
}

const examine = ({ engine }: TestProject) => invoke(doctor, engine, {});

/** Runs SQL past the program, without foreign keys. */
function damage({ test: { file } }: TestProject, sql: string): void {
  const raw = new Libsql(file);
  raw.exec('PRAGMA foreign_keys = OFF');
  raw.exec(sql);
  raw.close();
}

test('a caller who no longer waits is not kept', async () => {
  const { engine } = await open();
  const signal = AbortSignal.abort();
  await expect(invoke(doctor, { ...engine, signal }, {})).rejects.toMatchObject({ code: 'interrupted' });
});

test('a sound database passes every check', async () => {
  const { ok, checks } = await examine(await open());
  expect(checks.filter((check) => !check.ok)).toEqual([]);
  expect(ok).toBe(true);
  expect(checks.length).toBeGreaterThan(10);
  expect((await examine(await open([]))).ok).toBe(true);
});

// Damage is done to a file.
describe.skipIf(testBackend() !== 'local')('damage is named, and nothing else with it', () => {
  test.each<[string, string, string, advice?: string]>([
    ['documents without a body', 'DELETE FROM bodies WHERE document_id = 1', '1'],
    ['bodies without a document', "INSERT INTO bodies VALUES (999, 'x', '')", '1', 'Run gh-rag backfill segments'],
    [
      'documents without a passage',
      'DELETE FROM passages WHERE document_id IN (1, 2)',
      '2',
      'Run gh-rag backfill segments',
    ],
    [
      'prose passages that are not searchable',
      'DELETE FROM passages_nat WHERE rowid >> 16 = 5',
      '2',
      'Run gh-rag backfill segments',
    ],
    [
      'code passages that are not searchable',
      'DELETE FROM passages_code WHERE rowid >> 16 = 6',
      '1',
      'Run gh-rag backfill segments',
    ],
    [
      'prose entries without a passage',
      "INSERT INTO passages_nat (rowid, body) VALUES (99999999, 'x')",
      '1',
      'Run gh-rag backfill segments',
    ],
    [
      'code entries without a passage',
      "INSERT INTO passages_code (rowid, body) VALUES (99999999, 'xyz')",
      '1',
      'Run gh-rag backfill segments',
    ],
    [
      'passages beyond their body',
      'UPDATE passages SET length = length + 1 WHERE id = 65536',
      '1',
      'Run gh-rag backfill segments',
    ],
    ['documents with damaged lists', "UPDATE documents SET labels = '[' WHERE id = 2", '1'],
    ['documents under a wrong source id', "UPDATE documents SET source_id = 'src_x' WHERE id = 1", '1'],
    [
      'documents under a wrong source id',
      'UPDATE documents SET source_id = NULL WHERE id IN (1, 5)',
      '2',
      'Run gh-rag backfill identities -R acme/app\\. Until it says Done, ',
    ],
    ['references', 'UPDATE documents SET repo_id = 77 WHERE id = 1', 'dangling reference in documents'],
    ['schema', "UPDATE schema_migrations SET checksum = 'x' WHERE version = 1", '1 corpus: changed'],
    ['full-text index passages_nat', "UPDATE passages_nat_data SET block = x'00' WHERE id > 10", 'damaged'],
    ['full-text index passages_code', 'DELETE FROM passages_code_data WHERE id > 10', 'damaged'],
  ])('%s: %s', async (name, sql, found, advice = 'Index again') => {
    const project = await open();
    damage(project, sql);
    const { ok, checks } = await examine(project);
    expect(ok).toBe(false);
    // The check of the file sees some of the same damage.
    const bad = checks.filter(
      (check) => !check.ok && (check.name === name || !['file', 'references'].includes(check.name)),
    );
    expect(bad.map((check) => check.name)).toEqual([name]);
    expect(bad[0]?.found).toContain(found);
    expect(bad[0]?.advice).toMatch(new RegExp(`^${advice}`));
  });

  test('passages without a document', async () => {
    const project = await open();
    damage(project, 'DROP TRIGGER documents_ad; DELETE FROM documents WHERE id = 1');
    const { checks } = await examine(project);
    const bad = checks.filter((check) => !check.ok).map((check) => check.name);
    expect(bad).toEqual(expect.arrayContaining(['bodies without a document', 'passages without a document']));
    const references = checks.find((check) => check.name === 'references');
    expect(references?.advice).toBe(
      'Run gh-rag backfill segments. Until it says Done, go on with the command that it ends with.',
    );
  });

  test.each<[string, readonly string[]]>([
    ['DELETE FROM passage_signatures WHERE passage_id = 65536', ['vectors without a signature']],
    [
      'DROP TRIGGER passage_vectors_ad; DELETE FROM passage_vectors WHERE passage_id = 65536',
      ['signatures without a vector'],
    ],
    [
      'INSERT INTO passage_vectors SELECT embedder_id, 99999999, vector FROM passage_vectors LIMIT 1',
      ['vectors without a passage', 'vectors without a signature'],
    ],
  ])('of vectors: %s', async (sql, names) => {
    const project = await open();
    await embedIndex({ ...project.engine, embedder: 'lsa' });
    expect((await examine(project)).ok).toBe(true);
    damage(project, sql);
    const { checks } = await examine(project);
    expect(checks.filter((check) => !check.ok).map((check) => check.name)).toEqual(names);
  });

  test('a page overwritten in the file', async () => {
    const many = Array.from({ length: 200 }, (_, i) => issue(i + 1, { body: `A body ${String(i)}. `.repeat(20) }));
    const project = await open(many);
    const [[page]] = await project.test.database.read([
      query("SELECT rootpage AS page FROM sqlite_master WHERE name = 'bodies'", [], (row) => Number(row.page)),
    ]);
    damage(project, 'PRAGMA wal_checkpoint(TRUNCATE)');
    await project.test.database.close();
    const size = readFileSync(project.test.file).readUInt16BE(16);
    const file = openSync(project.test.file, 'r+');
    writeSync(file, Buffer.alloc(size, 0x5a), 0, size, ((page ?? 1) - 1) * size);
    closeSync(file);
    const { ok, checks } = await examine(project);
    expect(ok).toBe(false);
    expect(checks.find((check) => check.name === 'file')).toMatchObject({ ok: false });
    expect(checks.find((check) => check.name === 'schema')).toMatchObject({ ok: true });
    expect(JSON.stringify(checks)).not.toContain('Run gh-rag doctor');
  });
});

test.skipIf(testBackend() !== 'local')('what is no database is no damage: it fails as everywhere', async () => {
  const project = await open([]);
  await project.test.database.close();
  writeFileSync(project.test.file, 'not a database at all '.repeat(100));
  for (const suffix of ['-wal', '-shm']) rmSync(`${project.test.file}${suffix}`, { force: true });
  await expect(examine(project)).rejects.toMatchObject({ code: 'database_unavailable' });
});

describe('the digest', () => {
  const digest = async (given: typeof documents): Promise<string> => (await examine(await open(given))).content_digest;

  test('is that of the content, whatever the order of indexing', async () => {
    expect(await digest(documents)).toMatch(/^[0-9a-f]{64}$/);
    expect(await digest([...documents].reverse())).toBe(await digest(documents));
  });

  test('changes with any document', async () => {
    const original = await digest(documents);
    expect(await digest(documents.slice(1))).not.toBe(original);
    expect(await digest(documents.map((each) => ({ ...each, author: 'eve' })))).not.toBe(original);
  });
});
