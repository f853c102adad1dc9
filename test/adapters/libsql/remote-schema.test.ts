import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listMigrations } from '../../../src/lib/adapters/libsql/migrations.ts';
import { openRemote } from '../../../src/lib/adapters/libsql/open-remote.ts';
import { MIGRATIONS, TestClock } from '../../support/database.ts';
import { type Hrana, startHrana } from '../../support/hrana/start.ts';
import { temporaryDirectory } from '../../support/repository.ts';
import { serverOf } from '../../support/served-database.ts';

let hrana: Hrana;

beforeEach(async () => {
  hrana = await startHrana();
});

afterEach(async () => {
  await hrana.stop();
});

const versions = listMigrations(MIGRATIONS).map(({ version }) => version);

function open(migrations = MIGRATIONS, timeoutMs = 4000) {
  return openRemote({ server: serverOf(hrana), migrations, clock: new TestClock(), timeoutMs }).schema;
}

const versionsOf = (states: readonly { version: number }[]) => states.map(({ version }) => version);

describe('the schema of a remote database', () => {
  it('is made by request, is what the scripts make, and is then listed as applied', async () => {
    const schema = open();
    expect(versionsOf(await schema.apply())).toEqual(versions);
    const { expected, found } = await schema.compare();
    expect(found).toEqual(expected);
    expect((await schema.list()).map(({ state }) => state)).toEqual(versions.map(() => 'applied'));
    expect(await schema.apply()).toEqual([]);
  });

  it('is made once by several machines at once', async () => {
    const applied = await Promise.all(Array.from({ length: 4 }, () => open().apply()));
    const { expected, found } = await open().compare();
    expect(found).toEqual(expected);
    // Equal times of the test's clock: whoever was told of a version was told of one that is there.
    expect(new Set(applied.flatMap(versionsOf))).toEqual(new Set(versions));
    expect((await open().list()).map(({ state }) => state)).toEqual(versions.map(() => 'applied'));
  });

  it('survives lost requests and answers', async () => {
    await hrana.fault({ rate: 0.4, seed: 3, kinds: ['dropRequest', 'dropResponse', 'truncatedBody', 'status503'] });
    expect(versionsOf(await open(MIGRATIONS, 8000).apply())).toEqual(versions);
    await hrana.fault({});
    const { expected, found } = await open().compare();
    expect(found).toEqual(expected);
  });

  it('keeps nothing of a script that fails', async () => {
    const directory = temporaryDirectory();
    cpSync(MIGRATIONS, directory, { recursive: true });
    const next = String(versions.length + 1).padStart(4, '0');
    writeFileSync(join(directory, `${next}_broken.sql`), 'CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);');
    await expect(open(directory).apply()).rejects.toThrow(/nowhere/);
    rmSync(directory, { recursive: true });
    const { expected, found } = await open().compare();
    expect(found).toEqual(expected);
  });

  it('of a newer program is listed, and not touched', async () => {
    await open().apply();
    const db = new Libsql(hrana.file);
    db.exec(`INSERT INTO schema_migrations VALUES (${String(versions.length + 1)}, 'later', 'x', 'y')`);
    db.close();
    await expect(open().apply()).rejects.toMatchObject({ code: 'schema_newer' });
    expect((await open().list()).at(-1)).toMatchObject({ name: 'later', state: 'unknown' });
  });
});
