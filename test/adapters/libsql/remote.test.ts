import { randomUUID } from 'node:crypto';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listMigrations } from '../../../src/lib/adapters/libsql/migrations.ts';
import { openRemote } from '../../../src/lib/adapters/libsql/open-remote.ts';
import { change, type Database, guard, query } from '../../../src/lib/engine/database.ts';
import { MIGRATIONS, TestClock } from '../../support/database.ts';
import { type Hrana, startHrana } from '../../support/hrana/start.ts';
import { serverOf } from '../../support/served-database.ts';

let hrana: Hrana;

function open(timeoutMs = 4000, token = hrana.token): Database {
  const server = serverOf(hrana, token);
  return openRemote({ server, migrations: MIGRATIONS, clock: new TestClock(), timeoutMs }).database;
}

beforeAll(async () => {
  hrana = await startHrana();
  const { schema } = openRemote({ server: serverOf(hrana), migrations: MIGRATIONS, clock: new TestClock() });
  await schema.apply();
  const db = new Libsql(hrana.file);
  db.exec('CREATE TABLE lines (name TEXT)');
  db.close();
});

afterEach(async () => {
  await hrana.fault({});
});

afterAll(async () => {
  await hrana.stop();
});

const insert = (slug: string) => change('INSERT INTO repos (slug) VALUES (?)', [slug]);

/** Looks into the served file itself. */
function served<T>(sql: string, args: unknown[] = []): T[] {
  const db = new Libsql(hrana.file);
  try {
    return db.prepare(sql).all(args) as T[];
  } finally {
    db.close();
  }
}

const copies = (slug: string): number => served('SELECT 1 FROM repos WHERE slug = ?', [slug]).length;

/** A name of a test's own. */
const fresh = (): string => `acme/${randomUUID()}`;

/** A table without a key: a batch that ran twice shows. */
const append = (name: string) => change('INSERT INTO lines VALUES (?)', [name]);
const appended = (name: string): number => served('SELECT 1 FROM lines WHERE name = ?', [name]).length;

/** Waits for the end of a request that was delayed. */
async function lateCopy(): Promise<void> {
  const done = async () =>
    (await hrana.log()).some(({ fault, status }) => /latency/.test(fault ?? '') && status !== null);
  await expect.poll(done, { timeout: 3000, interval: 20 }).toBe(true);
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );
}

describe('a remote database', () => {
  it('reads and writes with one request each, the check of the schema included', async () => {
    const database = open();
    const slug = fresh();
    await hrana.reset();
    await database.write([insert(slug), guard('there', 'EXISTS (SELECT 1 FROM repos WHERE slug = ?)', [slug])]);
    expect(await hrana.requests()).toBe(1);
    const find = query('SELECT slug FROM repos WHERE slug = ?', [slug], (row) => row.slug);
    expect(await database.read([find, find])).toEqual([[slug], [slug]]);
    expect(await database.read([find])).toEqual([[slug]]);
    expect(await hrana.requests()).toBe(3);
    expect(await database.read([])).toEqual([]);
    expect(await hrana.requests()).toBe(3);
  });

  it('applies nothing of a batch whose guard does not hold, and names the guard', async () => {
    const slug = fresh();
    for (const condition of ['1 = ?', 'NULLIF(1, ?) IS NULL AND 0', 'nullif(1, 1) = ?']) {
      const steps = [insert(slug), guard('first', '1'), guard('second', condition, [2]), insert(fresh())];
      expect(await open().write(steps)).toEqual({ applied: false, guard: 'second' });
    }
    expect(copies(slug)).toBe(0);
  });

  it('takes no data for a guard', async () => {
    const steps = [insert(fresh()), change("SELECT json_extract('{}', ?)", ['guard-3-second']), guard('second', '1')];
    await expect(open().write(steps)).rejects.toThrow(/JSON path/);
  });

  it('applies nothing of a batch in which a statement fails, and goes on working', async () => {
    const database = open();
    const slug = fresh();
    await expect(database.write([insert(slug), insert(slug)])).rejects.toThrow(/UNIQUE/);
    expect(copies(slug)).toBe(0);
    expect(await database.write([insert(slug)])).toEqual({ applied: true });
  });

  it('gives values as the local one does', async () => {
    const bytes = Buffer.from([0, 1, 255]);
    const [[row]] = await open().read([
      query(
        'SELECT ? AS i, typeof(?1) AS t, ? AS s, ? AS n, ? AS f, ? AS b, ? AS big, 1 = 1 AS yes',
        [7, 'ü', null, 1.5, bytes, 2n ** 40n],
        (each) => each,
      ),
    ]);
    expect(row).toEqual({ i: 7, t: 'integer', s: 'ü', n: null, f: 1.5, b: bytes, big: 2 ** 40, yes: 1 });
    expect(Buffer.isBuffer(row?.b)).toBe(true);
  });

  it('never rounds an integer', async () => {
    const beyond = query('SELECT ? AS big', [2n ** 53n + 1n], (row) => row.big);
    await expect(open().read([beyond])).rejects.toThrow(/too large/);
  });

  it('removes old ids of writes, and only those', async () => {
    const db = new Libsql(hrana.file);
    db.exec("INSERT INTO applied_writes (id, applied_at) VALUES ('old', unixepoch() * 1000 - 90000000)");
    db.exec("INSERT INTO applied_writes (id, applied_at) VALUES ('new', unixepoch() * 1000 - 80000000)");
    db.close();
    await open().write([insert(fresh())]);
    expect(served("SELECT id FROM applied_writes WHERE id IN ('old', 'new')")).toEqual([{ id: 'new' }]);
  });
});

describe('over a lossy line', () => {
  const faults = [
    'dropRequest',
    'dropResponse',
    'truncatedBody',
    'cutBody',
    'status503',
    'status429',
    'expiredStream',
    'slowBody',
    'hang',
  ] as const;

  it.each(faults)('%s: a write is applied once and said to be, a read is repeated', async (kind) => {
    const silent = kind === 'hang' || kind === 'slowBody';
    const database = open(silent ? 900 : 3000);
    const name = fresh();
    await hrana.fault({ next: [kind] });
    expect(await database.write([append(name)])).toEqual({ applied: true });
    expect(appended(name)).toBe(1);
    await hrana.fault({ next: [kind, silent ? null : kind] });
    const count = query('SELECT count(*) AS n FROM lines WHERE name = ?', [name], (row) => row.n);
    expect(await database.read([count])).toEqual([[1]]);
  });

  it('a copy that the server runs after it was given up is not applied beside the second one', async () => {
    const name = fresh();
    await hrana.reset();
    await hrana.fault({ next: ['latency700'] });
    expect(await open(900).write([append(name)])).toEqual({ applied: true });
    await lateCopy();
    expect(appended(name)).toBe(1);
  });

  it('a guard that refused the second copy refuses a first one that comes late, though it would hold by then', async () => {
    const database = open(900);
    const name = fresh();
    const steps = [guard('open', 'EXISTS (SELECT 1 FROM repos WHERE slug = ?)', [name]), append(name)];
    await hrana.reset();
    await hrana.fault({ next: ['latency800'] });
    expect(await database.write(steps)).toEqual({ applied: false, guard: 'open' });
    await database.write([insert(name)]);
    await lateCopy();
    expect(appended(name)).toBe(0);
  });

  it('says that it does not know when the time is over', async () => {
    const name = fresh();
    await hrana.fault({ rate: 1, kinds: ['dropResponse'] });
    const failure: unknown = await open(300)
      .write([append(name)])
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('not known whether the last write was applied') as string,
    });
    expect(appended(name)).toBe(1);
  });

  it('doubles and loses nothing of 60 writes of four callers when every third request fails', async () => {
    const name = fresh();
    await hrana.fault({ rate: 0.33, seed: 7, kinds: ['dropRequest', 'dropResponse', 'status503', 'truncatedBody'] });
    const callers = Array.from({ length: 4 }, () => open(8000));
    const outcomes = await Promise.all(
      callers.map(async (database) => {
        let applied = 0;
        for (let i = 0; i < 15; i += 1) if ((await database.write([append(name)])).applied) applied += 1;
        return applied;
      }),
    );
    expect(outcomes).toEqual([15, 15, 15, 15]);
    expect(appended(name)).toBe(60);
  });

  it('waits for another writer, and says so when it does not end', async () => {
    const db = new Libsql(hrana.file);
    db.exec('BEGIN IMMEDIATE');
    const slug = fresh();
    expect(await codeOf(open(700).write([insert(slug)]))).toMatch(/database_(busy|unavailable)/);
    db.exec('ROLLBACK');
    db.close();
    expect(await open().write([insert(fresh())])).toEqual({ applied: true });
  });
});

describe('a schema that is not this program’s', () => {
  const known = listMigrations(MIGRATIONS).length;
  const newer = `INSERT INTO schema_migrations VALUES (${String(known + 1)}, 'x', '', '')`;
  const older = `UPDATE schema_migrations SET version = 0 WHERE version = ${String(known)}`;

  it.each([
    ['schema_newer', newer, `DELETE FROM schema_migrations WHERE version > ${String(known)}`],
    ['schema_outdated', older, `UPDATE schema_migrations SET version = ${String(known)} WHERE version = 0`],
  ])('is %s at the first request, whatever was asked', async (code, make, undo) => {
    const slug = fresh();
    const db = new Libsql(hrana.file);
    db.exec(make);
    try {
      const find = query('SELECT 1 AS one', [], (row) => row.one);
      expect(await codeOf(open().read([find]))).toBe(code);
      expect(await codeOf(open().write([insert(slug)]))).toBe(code);
      expect(await codeOf(open().read([query('SELECT a FROM unheard_of', [], (row) => row)]))).toBe(code);
    } finally {
      db.exec(undo);
      db.close();
    }
    expect(copies(slug)).toBe(0);
  });
});
