import { appendFileSync, cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, describe, expect, it } from 'vitest';
import { openLocal } from '../../../src/lib/adapters/libsql/open.ts';
import { query } from '../../../src/lib/engine/database.ts';
import { MIGRATIONS, type TestDatabase, testDatabase } from '../../support/database.ts';
import { temporaryDirectory } from '../../support/repository.ts';

const made: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const undo of made.splice(0)) await undo();
});

function open(options: Parameters<typeof testDatabase>[0] = {}): TestDatabase {
  const test = testDatabase(options);
  made.push(() => test.remove());
  return test;
}

/** The shipped migrations in a directory of the test's own. */
function ownMigrations(): string {
  const directory = temporaryDirectory();
  made.push(() => {
    rmSync(directory, { recursive: true });
  });
  cpSync(MIGRATIONS, directory, { recursive: true });
  return directory;
}

const tables = query(`SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'`, [], (row) => row.n);
const shipped = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));

describe('migrations', () => {
  it('list what is pending without creating the database', async () => {
    const { schema, file } = open();
    expect((await schema.list()).map((each) => each.state)).toEqual(shipped.map(() => 'pending'));
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });

  it('are applied by themselves on request, to a file for its owner only', async () => {
    const { schema, file } = open();
    expect(await schema.apply()).toHaveLength(shipped.length);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are applied by the first use, once each, with the time of the clock', async () => {
    const { database, schema, clock } = open();
    await database.read([tables]);
    const states = await schema.list();
    expect(states).toHaveLength(shipped.length);
    expect(states.every((each) => each.state === 'applied')).toBe(true);
    expect(states[0]?.applied_at).toBe(new Date(clock.ms).toISOString());
    expect(await schema.apply()).toEqual([]);
  });

  it('bring every older schema to the newest with the data that was there', async () => {
    const directory = ownMigrations();
    const { database, file, clock } = open({ migrations: directory });
    await database.read([tables]);
    await database.close();
    const older = new Libsql(file);
    older.exec(`INSERT INTO repos (slug) VALUES ('acme/app')`);
    older.close();
    const next = String(shipped.length + 1).padStart(4, '0');
    writeFileSync(join(directory, `${next}_more.sql`), 'CREATE TABLE more (a TEXT) STRICT;');
    const { database: newer } = openLocal({ file, migrations: directory, clock });
    expect(
      await newer.read([query('SELECT slug FROM repos, (SELECT count(*) FROM more)', [], (row) => row.slug)]),
    ).toEqual([['acme/app']]);
    await newer.close();
  });

  it('leave nothing behind when a script fails half-way', async () => {
    const directory = ownMigrations();
    const next = String(shipped.length + 1).padStart(4, '0');
    writeFileSync(
      join(directory, `${next}_broken.sql`),
      'CREATE TABLE half (a TEXT) STRICT; CREATE TABLE half (a TEXT);',
    );
    const { database, file, schema } = open({ migrations: directory });
    await expect(database.read([tables])).rejects.toThrow();
    const states = await schema.list();
    expect(states.at(-1)?.state).toBe('pending');
    expect(states.at(-2)?.state).toBe('applied');
    const raw = new Libsql(file);
    expect(raw.prepare(`SELECT count(*) AS n FROM sqlite_master WHERE name = 'half'`).all()).toMatchObject([{ n: 0 }]);
    raw.close();
  });

  it('run once when many connections open a new file at the same time', async () => {
    const { file, clock, schema } = open();
    const all = Array.from({ length: 6 }, () => openLocal({ file, migrations: MIGRATIONS, clock }).database);
    await Promise.all(all.map((database) => database.read([tables])));
    await Promise.all(all.map((database) => database.close()));
    expect((await schema.list()).every((each) => each.state === 'applied')).toBe(true);
  });

  it('refuse a schema that is newer than the program, and say which', async () => {
    const { database, file, clock } = open();
    await database.read([tables]);
    await database.close();
    const raw = new Libsql(file);
    raw.exec(`INSERT INTO schema_migrations VALUES (9000, 'future', 'x', 'then')`);
    raw.close();
    const again = openLocal({ file, migrations: MIGRATIONS, clock });
    await expect(again.database.read([tables])).rejects.toMatchObject({
      code: 'schema_newer',
      message: expect.stringContaining('9000'),
    });
    expect((await again.schema.list()).at(-1)).toMatchObject({ version: 9000, state: 'unknown' });
  });

  it('tell a script that was changed after it was applied', async () => {
    const directory = ownMigrations();
    const { database, schema } = open({ migrations: directory });
    await database.read([tables]);
    appendFileSync(join(directory, '0001_corpus.sql'), '\n-- later');
    expect((await schema.list())[0]?.state).toBe('changed');
  });

  it('give the schema that a database has, and a difference where it was altered', async () => {
    const { database, file, schema } = open();
    await database.read([tables]);
    const clean = await schema.compare();
    expect(clean.found).toEqual(clean.expected);
    expect(clean.expected.size).toBeGreaterThan(10);
    const raw = new Libsql(file);
    raw.exec('DROP INDEX documents_by_time');
    raw.close();
    const altered = await schema.compare();
    expect([...altered.expected.keys()].filter((name) => !altered.found.has(name))).toEqual(['documents_by_time']);
  });
});
