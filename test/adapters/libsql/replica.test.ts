import { rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRemote, openReplica } from '../../../src/lib/adapters/libsql/open-remote.ts';
import type { ReplicaDatabase } from '../../../src/lib/adapters/libsql/replica.ts';
import { change, type Database, guard, query } from '../../../src/lib/engine/database.ts';
import { MIGRATIONS, TestClock } from '../../support/database.ts';
import { type Hrana, startHrana } from '../../support/hrana/start.ts';
import { temporaryDirectory } from '../../support/repository.ts';
import { serverOf } from '../../support/served-database.ts';

let directory: string;
let primaryFile: string;
let hrana: Hrana;
let clock: TestClock;
const opened: Database[] = [];

beforeEach(async () => {
  directory = temporaryDirectory();
  primaryFile = join(directory, 'primary.db');
  clock = new TestClock();
  hrana = await startHrana({ file: primaryFile });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await hrana.stop();
  rmSync(directory, { recursive: true, force: true });
});

const common = () => ({ migrations: MIGRATIONS, clock, timeoutMs: 1500 });

function replica(options: { server?: ReturnType<typeof serverOf>; file?: string; syncEveryMs?: number } = {}) {
  const { server = serverOf(hrana), file = join(directory, 'copy.db'), syncEveryMs } = options;
  const { database } = openReplica({ ...common(), server, file, syncEveryMs });
  opened.push(database);
  return database;
}

/** Another machine, without a copy. */
function other(): Database {
  return openRemote({ ...common(), server: serverOf(hrana) }).database;
}

async function migrated(): Promise<void> {
  await openRemote({ ...common(), server: serverOf(hrana) }).schema.apply();
}

const insert = (slug: string) => change('INSERT INTO repos (slug) VALUES (?)', [slug]);
const slugs = query('SELECT slug FROM repos ORDER BY slug', [], (row) => row.slug);

async function read(database: ReplicaDatabase): Promise<unknown[]> {
  const [rows] = await database.read([slugs]);
  return rows;
}

describe('a local copy of a remote database', () => {
  it('is in step before the first read, for its owner only, and is then read without asking the server', async () => {
    await migrated();
    await other().write([insert('a/a')]);
    const database = replica();
    await hrana.reset();
    expect(await read(database)).toEqual(['a/a']);
    expect(await read(database)).toEqual(['a/a']);
    expect(await hrana.requests()).toBe(0);
    expect(database.staleSince).toBeUndefined();
    expect(statSync(join(directory, 'copy.db')).mode & 0o777).toBe(0o600);
  });

  it('has own writes at once, and those of others after a sync', async () => {
    await migrated();
    const database = replica();
    expect(await read(database)).toEqual([]);
    await database.write([insert('a/mine')]);
    expect(await read(database)).toEqual(['a/mine']);
    await other().write([insert('a/theirs')]);
    expect(await read(database)).toEqual(['a/mine']);
    expect(await database.sync()).toBe(true);
    expect(await read(database)).toEqual(['a/mine', 'a/theirs']);
  });

  it('syncs again where a sync that succeeded did not bring an own write', async () => {
    await migrated();
    const database = replica();
    expect(await read(database)).toEqual([]);
    // The write itself is one of these, and so is every question whether the server is there.
    await hrana.fault({ scope: 'all', next: Array.from({ length: 6 }, () => 'noNews' as const) });
    await database.write([insert('a/a')]);
    expect(await read(database)).toEqual(['a/a']);
    expect(database.staleSince).toBeUndefined();
  });

  it.each(['that was read before', 'that is new'])('%s tells since when it lacks an own write', async (kind) => {
    await migrated();
    const database = replica();
    if (kind === 'that was read before') expect(await read(database)).toEqual([]);
    const syncedAt = clock.ms;
    clock.ms += 60_000;
    await hrana.fault({ scope: 'all', rate: 1, kinds: ['noNews'] });
    expect(await database.write([insert('a/a')])).toEqual({ applied: true });
    expect(database.staleSince).toBe(kind === 'that was read before' ? syncedAt : null);
    // Not forgotten by a sync that brings nothing either.
    expect(await database.sync()).toBe(false);
    expect(database.staleSince).not.toBeUndefined();

    await hrana.fault({});
    expect(await database.sync()).toBe(true);
    expect(database.staleSince).toBeUndefined();
    expect(await read(database)).toEqual(['a/a']);
  });

  it('is read after a batch that was refused or failed', async () => {
    await migrated();
    const database = replica();
    await database.write([insert('a/a')]);
    await expect(database.write([insert('a/b'), insert('a/a')])).rejects.toThrow(/UNIQUE/);
    expect(await database.write([guard('none', '(SELECT count(*) FROM repos) = 0'), insert('a/c')])).toEqual({
      applied: false,
      guard: 'none',
    });
    expect(await read(database)).toEqual(['a/a']);
  });

  it('goes on where another process left it', async () => {
    await migrated();
    const first = replica();
    await first.write([insert('a/a')]);
    await read(first);
    await first.close();
    await other().write([insert('a/b')]);
    expect(await read(replica())).toEqual(['a/a', 'a/b']);
  });

  it('can be shared by two that both bring it up to date', async () => {
    await migrated();
    const [one, two] = [replica(), replica()];
    for (const [at, database] of [one, two, one, two].entries()) await database.write([insert(`a/${String(at)}`)]);
    await other().write([insert('a/z')]);
    await one.sync();
    const all = ['a/0', 'a/1', 'a/2', 'a/3', 'a/z'];
    expect([await read(one), await read(two)]).toEqual([all, all]);
    const file = new Libsql(join(directory, 'copy.db'));
    expect(file.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }]);
    file.close();
  });

  it('follows by itself when it is asked to', async () => {
    await migrated();
    const database = replica({ syncEveryMs: 20 });
    expect(await read(database)).toEqual([]);
    await other().write([insert('a/a')]);
    await expect.poll(() => read(database), { interval: 20, timeout: 4000 }).toEqual(['a/a']);
  });

  it('answers while the server is away and tells how old it is; writes fail, and nothing is lost', async () => {
    await migrated();
    const first = replica();
    await first.write([insert('a/a')]);
    await first.close();
    const syncedAt = clock.ms;
    clock.ms += 3_600_000;
    const { port } = hrana;
    await hrana.stop();

    const database = replica();
    expect(await read(database)).toEqual(['a/a']);
    expect(database.staleSince).toBe(syncedAt);
    await expect(database.write([insert('a/b')])).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(await read(database)).toEqual(['a/a']);

    hrana = await startHrana({ file: primaryFile, port });
    await database.write([insert('a/b')]);
    expect(await read(database)).toEqual(['a/a', 'a/b']);
    expect(database.staleSince).toBeUndefined();
  });

  it('of which an open program loses the server goes on being read', async () => {
    await migrated();
    const database = replica();
    await database.write([insert('a/a')]);
    await read(database);
    await hrana.stop();
    expect(await database.sync()).toBe(false);
    expect(await read(database)).toEqual(['a/a']);
    expect(database.staleSince).toBe(clock.ms);
  });

  it('does not wait long for a server that accepts and never answers', async () => {
    await migrated();
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
    const server = { url: `http://${host}`, host, location: `libsql://${host}`, token: undefined };
    const started = performance.now();
    await expect(read(replica({ server }))).rejects.toMatchObject({
      code: 'database_unavailable',
      message: expect.stringMatching(/^there is no copy of the database yet, and .* in time$/) as string,
    });
    expect(performance.now() - started).toBeLessThan(20_000);
    silent.close();
  });

  it.each([
    ['a local database', 'is no copy of a database server'],
    ['another server’s', 'is the copy of another database server'],
  ])('is not made over %s file', async (kind, message) => {
    await migrated();
    const file = join(directory, 'taken.db');
    if (kind === 'a local database') {
      const local = new Libsql(file);
      local.exec('CREATE TABLE mine (a)');
      local.close();
    } else {
      await read(replica({ file }));
    }
    const server = { ...serverOf(hrana), url: kind === 'a local database' ? hrana.url : `${hrana.url}/other` };
    await expect(read(replica({ file, server }))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message) as string,
    });
  });

  it('has the schema of its server', async () => {
    await expect(read(replica())).rejects.toMatchObject({
      code: 'schema_outdated',
      hint: expect.stringContaining('gh-rag migrate') as string,
    });
  });

  it('is refused with a wrong token, also where there is a copy', async () => {
    await migrated();
    await read(replica());
    await expect(read(replica({ server: serverOf(hrana, 'wrong') }))).rejects.toMatchObject({
      code: 'credential_required',
    });
  });
});
