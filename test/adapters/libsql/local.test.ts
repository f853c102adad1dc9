import { execFile } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import Libsql from 'libsql';
import { afterEach, describe, expect, it } from 'vitest';
import { openLocal } from '../../../src/lib/adapters/libsql/open.ts';
import { change, guard, query, type SqlValue } from '../../../src/lib/engine/database.ts';
import { bundleForNode } from '../../support/bundle.ts';
import { MIGRATIONS, type TestDatabase, testDatabase } from '../../support/database.ts';

const run = promisify(execFile);

const opened: TestDatabase[] = [];

function open(options: Parameters<typeof testDatabase>[0] = {}): TestDatabase {
  const test = testDatabase(options);
  opened.push(test);
  return test;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((test) => test.remove()));
});

const insert = (slug: string) => change('INSERT INTO repos (slug) VALUES (?)', [slug]);
const slugs = query('SELECT slug FROM repos ORDER BY id', [], (row) => row.slug);

describe('the local database', () => {
  it('is created by its first use, for its owner only, and not before', async () => {
    const { file, database } = open();
    expect(existsSync(file)).toBe(false);
    await database.read([slugs]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('lets what happens outside be noticed, however fast calls follow each other', async () => {
    const { database } = open();
    await database.read([slugs]);
    const outside = new AbortController();
    setImmediate(() => {
      outside.abort();
    });
    for (let calls = 0; !outside.signal.aborted && calls < 20_000; calls += 1) await database.read([slugs]);
    expect(outside.signal.aborted).toBe(true);
  });

  it('applies a batch as a whole', async () => {
    const { database } = open();
    const outcome = await database.write([
      insert('a/a'),
      insert('a/b'),
      change("UPDATE repos SET default_branch = 'main'"),
    ]);
    expect(outcome).toEqual({ applied: true });
    expect(await database.read([slugs])).toEqual([['a/a', 'a/b']]);
  });

  it('applies nothing of a batch whose guard does not hold, and names the guard', async () => {
    const { database } = open();
    await database.write([insert('a/a')]);
    const outcome = await database.write([
      insert('a/b'),
      guard('empty', '(SELECT count(*) FROM repos) = ?', [0]),
      insert('a/c'),
    ]);
    expect(outcome).toEqual({ applied: false, guard: 'empty' });
    expect(await database.read([slugs])).toEqual([['a/a']]);
  });

  it('takes NULL for a condition that does not hold', async () => {
    const { database } = open();
    expect(await database.write([guard('unknown', 'NULL')])).toEqual({ applied: false, guard: 'unknown' });
  });

  it('applies nothing of a batch in which a statement fails, and goes on working', async () => {
    const { database } = open();
    await expect(database.write([insert('a/a'), insert('a/a')])).rejects.toThrow(/UNIQUE/);
    await database.write([insert('a/b')]);
    expect(await database.read([slugs])).toEqual([['a/b']]);
  });

  it('reads a batch from one snapshot', async () => {
    const { database, file } = open();
    await database.write([insert('a/a')]);
    const other = new Libsql(file);
    const counted = query('SELECT count(*) AS n FROM repos', [], (row) => row.n);
    const writing = query('SELECT 1 AS n', [], () => {
      other.exec("INSERT INTO repos (slug) VALUES ('a/b')");
      return 1;
    });
    const [before, , after] = await database.read([counted, writing, counted]);
    expect([before, after]).toEqual([[1], [1]]);
    other.close();
  });

  it('keeps integers, text, NULL and reals as they are', async () => {
    const { database } = open();
    const [[row]] = await database.read([
      query('SELECT ? AS i, typeof(?1) AS t, ? AS s, ? AS n, ? AS f', [7, 'ü', null, 1.5], (each) => each),
    ]);
    expect(row).toMatchObject({ i: 7, t: 'integer', s: 'ü', n: null, f: 1.5 });
  });

  it('never rounds an integer: one beyond 2^53 fails, as does what cannot be told from it', async () => {
    const { database } = open();
    const value = (sql: string, args: SqlValue[] = []) =>
      database.read([query(`SELECT ${sql} AS v`, args, ({ v }) => v)]);
    expect(await value('?', [2n ** 53n - 1n])).toEqual([[2 ** 53 - 1]]);
    expect(await value('?', [-(2 ** 53) + 1])).toEqual([[-(2 ** 53) + 1]]);
    for (const big of [2n ** 53n, -(2n ** 53n) - 1n, 2n ** 63n - 1n]) {
      await expect(value('?', [big])).rejects.toThrow(/column v is too large/);
    }
    await expect(value('1e20')).rejects.toThrow(/too large/);
    expect(await value('typeof(?)', [1e20])).toEqual([['real']]);
    expect(await value("'9007199254740993'")).toEqual([['9007199254740993']]);
    expect(await value('9e999')).toEqual([[Number.POSITIVE_INFINITY]]);
  });

  it('flushes every write to the disk but those that need not survive a loss of power', async () => {
    const { database } = open();
    const pragma = query('PRAGMA synchronous', [], (row) => row.synchronous);
    const [normal, full] = [1, 2];
    expect(await database.read([pragma])).toEqual([[full]]);
    await database.write([insert('a/a')], 'normal');
    expect(await database.read([pragma])).toEqual([[normal]]);
    await database.write([insert('a/b')]);
    expect(await database.read([pragma])).toEqual([[full]]);
  });

  it('lets one writer of a process after the other', async () => {
    const { database } = open();
    await Promise.all(Array.from({ length: 50 }, (_, i) => database.write([insert(`a/${String(i)}`)])));
    const [rows] = await database.read([slugs]);
    expect(rows).toHaveLength(50);
  });

  it('fails with database_busy when another process holds the lock beyond the timeout, and loses nothing', async () => {
    const { database, file } = open({ busyTimeoutMs: 30 });
    await database.write([insert('a/a')]);
    const other = new Libsql(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(database.write([insert('a/b')])).rejects.toMatchObject({ code: 'database_busy' });
    expect(await database.read([slugs])).toEqual([['a/a']]);
    other.exec('ROLLBACK');
    other.close();
    await database.write([insert('a/c')]);
    expect(await database.read([slugs])).toEqual([['a/a', 'a/c']]);
  });

  it('waits for another writer within the timeout without blocking the event loop', async () => {
    const { database, file } = open({ busyTimeoutMs: 5000 });
    await database.write([insert('a/a')]);
    const other = new Libsql(file);
    other.exec('BEGIN IMMEDIATE');
    const written = database.write([insert('a/b')]);
    let turns = 0;
    for (; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    other.exec('COMMIT');
    other.close();
    expect(await written).toMatchObject({ applied: true });
    expect(turns).toBe(20);
  });

  it('refuses a file that is no database, and leaves it as it is', async () => {
    const { database, file } = open();
    const text = 'this is somebody else’s file\n'.repeat(200);
    writeFileSync(file, text);
    await expect(database.read([slugs])).rejects.toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('not a gh-rag database'),
    });
    expect(statSync(file).size).toBe(Buffer.byteLength(text));
  });

  it('refuses the database of another program', async () => {
    const { database, file } = open();
    const other = new Libsql(file);
    other.exec('CREATE TABLE theirs (a)');
    other.close();
    await expect(database.read([slugs])).rejects.toMatchObject({ code: 'database_unavailable' });
  });

  it('says so when its folder cannot be made', async () => {
    const { database, file } = open();
    writeFileSync(join(dirname(file), 'blocked'), '');
    const { database: blocked } = openLocal({
      file: join(dirname(file), 'blocked', 'index.db'),
      migrations: MIGRATIONS,
      clock: { now: () => 0 },
    });
    await expect(blocked.read([slugs])).rejects.toMatchObject({ code: 'database_unavailable' });
    await database.close();
  });

  it('has everything that 8 processes with a 50 ms timeout were told was written', async () => {
    const { database, file } = open();
    await database.read([slugs]);
    const child = await bundleForNode(new URL('./writer.ts', import.meta.url));
    const outputs = await Promise.all(
      Array.from({ length: 8 }, (_, i) => run(process.execPath, [child, file, MIGRATIONS, `p${String(i)}`, '40'])),
    );
    const acknowledged = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
    const [rows] = await database.read([slugs]);
    expect(acknowledged).toHaveLength(320);
    expect([...rows].sort()).toEqual([...acknowledged].sort());
  });
});
