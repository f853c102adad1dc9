import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openLocal } from '../../src/lib/adapters/libsql/open.ts';
import { doctor } from '../../src/lib/admin/doctor.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { type Caller, github, HOUR, MemoryWorld, sourcesOf, THREADS } from '../feedback/memory.ts';
import { MIGRATIONS, type TestDatabase, testDatabase } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';

/** What `doctor` says of the feedback memory, sound and damaged. */

let world: MemoryWorld;
let copies = 0;
let copy: TestDatabase;

beforeAll(async () => {
  // On a file: it is copied, and the copies are damaged.
  world = await MemoryWorld.of(THREADS, testDatabase({ backend: 'local' }));
  for (const user of [1, 2]) await fill(world.as(github(user)));
  // Everything into the file itself, so that it can be copied.
  await world.rows('PRAGMA wal_checkpoint(TRUNCATE)');
});
afterAll(() => world.remove());

beforeEach(() => {
  copies += 1;
  const file = join(dirname(world.test.file), `copy-${String(copies)}.db`);
  copyFileSync(world.test.file, file);
  const { clock } = world;
  const { database, schema } = openLocal({ file, migrations: MIGRATIONS, clock });
  copy = { file, database, schema, clock, remove: () => database.close() };
});
afterEach(() => copy.remove());

/** Every kind of row: credits that are active, reversed, cut by the cap and nothing at all, and uses of every stage. */
async function fill(caller: Caller): Promise<void> {
  for (let n = 0; n < 26; n += 1) {
    const { trace_id, ...answer } = await caller.threads();
    const id = sourcesOf(answer);
    await caller.useFully(trace_id, id('acme/app#2'), id('acme/app#5'));
    await caller.use({ trace_id, uses: [{ source_id: id('acme/app#3'), stage: 'selected' }] });
    if (n === 24) world.clock.ms += HOUR / 100;
    const confirmation = await caller.confirm(trace_id, [id('acme/app#2'), id('acme/app#5')]);
    await caller.confirm(trace_id, [id('acme/app#2')]);
    if (n % 9 !== 0) continue;
    await caller.reverse(confirmation);
    await caller.reverse(confirmation);
  }
  await caller.search({ query: 'zebra' });
}

async function wrong(): Promise<Record<string, string>> {
  const { ok, checks } = await invoke(doctor, testEngine(copy), {});
  const bad = checks.filter((check) => !check.ok);
  expect(ok).toBe(bad.length === 0);
  return Object.fromEntries(bad.map(({ name, found }) => [name, found]));
}

it('a sound memory passes every check', async () => {
  expect(await world.rows('SELECT count(DISTINCT delta) > 2 AS cut FROM credits')).toEqual([{ cut: 1 }]);
  expect(await wrong()).toEqual({});
});

const FIRST_CREDIT = '(SELECT min(seq) FROM credits)';

it.each<[string, string, string]>([
  ['sources beyond a trace', 'UPDATE trace_sources SET trace_seq = 9999 WHERE trace_seq = 1', '6'],
  ['sources without activation', 'DELETE FROM activations WHERE principal_id = 1', '156'],
  ['activation out of bounds', 'UPDATE activations SET usage = 10.5 WHERE principal_id = 1 AND usage > 0', '3'],
  ['activation out of bounds', 'UPDATE activations SET retrieved = -0.1 WHERE principal_id = 2', '6'],
  ['activation out of bounds', 'UPDATE activations SET retrieved = 9e999 WHERE principal_id = 2', '6'],
  ['traces that cannot be read', "UPDATE traces SET settings = '{' WHERE seq = 2", '1'],
  ['sources that cannot be read', "UPDATE trace_sources SET path = '[' WHERE trace_seq = 2", '6'],
  ['receipts that cannot be read', 'UPDATE receipts SET body = substr(body, 2) WHERE seq = 3', '1'],
  ['receipts without a trace', 'UPDATE receipts SET trace_seq = 9999 WHERE seq = 1', '1'],
  ['receipts without a trace', 'UPDATE receipts SET principal_id = 2, idempotency_key = seq WHERE seq IN (1, 2)', '2'],
  ['receipts under another name', "UPDATE receipts SET receipt_id = 'rcp_x' WHERE seq = 1", '1'],
  ['receipts under another name', "UPDATE receipts SET kind = 'reversal' WHERE seq = 1", '1'],
  ['traces with wrong counts', 'UPDATE traces SET source_count = source_count + 1 WHERE seq IN (1, 2)', '2'],
  ['traces with wrong counts', 'UPDATE traces SET used_count = 3 WHERE seq = 1', '1'],
  ['traces with wrong counts', 'UPDATE traces SET confirmation_count = 1 WHERE seq = 1', '1'],
  ['traces with wrong counts', 'UPDATE traces SET reversal_count = 0 WHERE seq = 1', '1'],
  ['stages that receipts do not tell', 'UPDATE trace_sources SET stage = 2 WHERE trace_seq = 1 AND stage = 3', '2'],
  ['stages that receipts do not tell', 'UPDATE trace_sources SET stage = 1 WHERE trace_seq = 1 AND stage = 0', '3'],
  ['stages that receipts do not tell', 'DELETE FROM receipts WHERE seq = 1', '2'],
  ['credits without a confirmation', `UPDATE credits SET confirmation_id = 'rcp_x' WHERE seq = ${FIRST_CREDIT}`, '1'],
  ['credits without a confirmation', "DELETE FROM receipts WHERE kind = 'confirmation' AND trace_seq = 1", '1'],
  ['credits that receipts do not tell', `DELETE FROM credits WHERE seq = ${FIRST_CREDIT}`, '1'],
  ['credits that receipts do not tell', `UPDATE credits SET delta = delta - 1e-9 WHERE seq = ${FIRST_CREDIT}`, '1'],
  ['credits that receipts do not tell', `UPDATE credits SET dst_slug = '#3' WHERE seq = ${FIRST_CREDIT}`, '2'],
  [
    'credits that receipts do not tell',
    `INSERT INTO credits SELECT 9999, principal_id, repo, '#8', dst_slug, edge_kind, src_node, dst_node, trace_seq, confirmation_id, delta, created_at, state FROM credits WHERE seq = ${FIRST_CREDIT}`,
    '1',
  ],
  ['credits in a wrong state', "UPDATE credits SET state = 'active' WHERE principal_id = 1", '3'],
  ['credits in a wrong state', "UPDATE credits SET state = 'reversed' WHERE seq = (SELECT max(seq) FROM credits)", '1'],
])('%s: %s', async (name, sql, found) => {
  const raw = new Libsql(copy.file);
  raw.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON');
  raw.exec(sql);
  raw.close();
  const said = await wrong();
  expect(said).toMatchObject({ [name]: found });
  // Only what follows from the same damage is named beside it, and the corpus is sound.
  expect(Object.keys(said).filter((each) => /document|passage|entries/.test(each))).toEqual([]);
  const { checks } = await invoke(doctor, testEngine(copy), {});
  expect(checks.find((check) => check.name === name)?.advice).toMatch(/^Restore a copy/);
});
