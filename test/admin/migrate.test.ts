import { existsSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { migrate } from '../../src/lib/admin/migrate.ts';
import { status } from '../../src/lib/admin/status.ts';
import { change } from '../../src/lib/engine/database.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { type TestDatabase, testDatabase, testBackend } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';

let opened: TestDatabase | undefined;
afterEach(() => opened?.remove());

function open(): TestDatabase {
  opened = testDatabase();
  return opened;
}

test.skipIf(testBackend() !== 'local')('a list creates nothing', async () => {
  const database = open();
  const { applied, migrations } = await invoke(migrate, testEngine(database), { list: true });
  expect(applied).toEqual([]);
  expect(migrations.length).toBeGreaterThan(0);
  expect(migrations[0]).toEqual({ version: 1, name: 'corpus', state: 'pending', applied_at: null });
  expect(migrations.every(({ state }) => state === 'pending')).toBe(true);
  expect(existsSync(database.file)).toBe(false);
});

test('applies what is pending, once', async () => {
  const database = open();
  const engine = testEngine(database);
  const first = await invoke(migrate, engine, {});
  expect(first.applied).toEqual(first.migrations.map(({ version }) => version));
  for (const { state, applied_at } of first.migrations) {
    expect({ state, applied_at }).toEqual({ state: 'applied', applied_at: '2024-06-01T12:00:00.000Z' });
  }
  const again = await invoke(migrate, engine, {});
  expect(again).toEqual({ applied: [], migrations: first.migrations });
  expect((await invoke(status, engine, {})).documents).toBe(0);
});

test('tells a changed script', async () => {
  const database = open();
  const engine = testEngine(database);
  await invoke(migrate, engine, {});
  await database.database.write([change("UPDATE schema_migrations SET checksum = 'x' WHERE version = 1")]);
  const { migrations } = await invoke(migrate, engine, { list: true });
  expect(migrations[0]).toMatchObject({ version: 1, state: 'changed' });
});

test('tells a newer schema, and refuses to touch it', async () => {
  const database = open();
  const engine = testEngine(database);
  await invoke(migrate, engine, {});
  await database.database.write([
    change("INSERT INTO schema_migrations VALUES (99, 'future', 'x', '2030-01-01T00:00:00.000Z')"),
  ]);
  const { migrations } = await invoke(migrate, engine, { list: true });
  expect(migrations.at(-1)).toEqual({
    version: 99,
    name: 'future',
    state: 'unknown',
    applied_at: '2030-01-01T00:00:00.000Z',
  });
  await expect(invoke(migrate, engine, {})).rejects.toMatchObject({ code: 'schema_newer' });
});
