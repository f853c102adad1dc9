import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemPresence } from '../../src/lib/adapters/presence.ts';
import { change, query } from '../../src/lib/engine/database.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { TestRepository } from '../support/repository.ts';
import { abortAfter, freshDigest, TestIndex } from '../support/test-index.ts';

/** A surface that one run is at work on is left alone by the others, for as long as that run may live. */

let repository: TestRepository;
let index: TestIndex;

beforeAll(() => {
  repository = TestRepository.init();
  for (let i = 0; i < 6; i += 1)
    repository.commit(`Page ${String(i)}`, { [`docs/${String(i)}.md`]: `# Page ${String(i)}\n\nIts text.\n` });
});
afterAll(() => {
  repository.remove();
});
beforeEach(() => {
  index = new TestIndex(2);
});
afterEach(() => index.remove());

const MACHINE = machineOf();

function machineOf(): string {
  const work = systemPresence.begin();
  work.end();
  return work.name.split('/')[0] ?? '';
}

/** Leaves the surface of the diffs as a run does that has ended without a word. */
async function abandoned(owner: string, seconds: number): Promise<void> {
  await expect(index.run(repository, { types: ['diff'] }, abortAfter(3))).rejects.toMatchObject({
    code: 'interrupted',
  });
  await index.test.database.write([
    change("UPDATE watermarks SET owner = ?, leased_until = unixepoch() + ? WHERE surface = 'git:diffs'", [
      owner,
      seconds,
    ]),
  ]);
}

async function owners(): Promise<unknown[]> {
  const all = query('SELECT owner FROM watermarks WHERE owner IS NOT NULL', [], (row) => row.owner);
  return (await index.test.database.read([all]))[0];
}

const diffs = () => index.run(repository, { types: ['diff'] });

test('a run of another machine is waited for until its lease is over', async () => {
  await abandoned('0123456789ab/1/elsewhere', 60);
  const before = await index.keys();
  await expect(diffs()).rejects.toMatchObject({ code: 'database_busy' });
  expect(await index.keys()).toEqual(before);
  expect(await owners()).toEqual(['0123456789ab/1/elsewhere']);

  await index.test.database.write([change('UPDATE watermarks SET leased_until = unixepoch() - 1')]);
  await diffs();
  expect(await index.digest()).toBe(await freshDigest([repository], { types: ['diff'] }));
  expect(await owners()).toEqual([]);
});

test('a run of this machine whose process is gone is not waited for', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  await abandoned(`${MACHINE}/${String(pid)}/gone`, 60);
  await diffs();
  expect(await index.keys()).toHaveLength(6);
});

test('a run of this process is waited for while it is at work', async () => {
  const work = systemPresence.begin();
  await abandoned(work.name, 60);
  await expect(diffs()).rejects.toMatchObject({ code: 'database_busy' });
  work.end();
  await diffs();
  expect(await index.keys()).toHaveLength(6);
});

test('a run that is stopped gives its lease back; looking needs none', async () => {
  await expect(index.run(repository, {}, abortAfter(3))).rejects.toMatchObject({ code: 'interrupted' });
  expect(await owners()).toEqual([]);
  await abandoned('0123456789ab/1/elsewhere', 60);
  expect((await index.run(repository, { types: ['diff'], dry_run: true })).written).toBeGreaterThan(0);
});

test('a run whose lease was over and taken stops at its next batch, and what both stored is sound', async () => {
  const takeOver = change("UPDATE watermarks SET owner = 'other/1/x', leased_until = unixepoch() + 60");
  const { database } = index.test;
  let batches = 0;
  const slow: Engine['database'] = {
    backend: database.backend,
    location: database.location,
    read: (queries) => database.read(queries),
    write: async (steps, durability) => {
      if ((batches += 1) === 3) await database.write([takeOver]);
      return database.write(steps, durability);
    },
    close: () => database.close(),
  };
  await expect(index.run(repository, { types: ['diff'] }, { database: slow })).rejects.toMatchObject({
    code: 'database_busy',
  });
  expect(await owners()).toEqual(['other/1/x']);
  await index.digest();
});
