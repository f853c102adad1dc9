import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@libsql/client/http';
import Libsql from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryDirectory } from '../repository.ts';
import { type Hrana, startHrana } from './start.ts';

const HEADER = 32;
const FRAME = 24 + 4096;

let directory: string;
let hrana: Hrana;

beforeEach(async () => {
  directory = temporaryDirectory();
  hrana = await startHrana({ file: join(directory, 'primary.db') });
});

afterEach(async () => {
  await hrana.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function execute(...sqls: string[]): Promise<void> {
  const client = createClient({ url: hrana.url, authToken: hrana.token });
  for (const sql of sqls) await client.execute(sql);
  client.close();
}

async function get(path: string): Promise<{ status: number; body: Buffer }> {
  const response = await fetch(`${hrana.url}${path}`, { headers: { authorization: `Bearer ${hrana.token}` } });
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
}

const log = () => readFileSync(`${hrana.file}-wal`);

it('gives out the log from any frame on, whatever was read of the file and closed meanwhile', async () => {
  await execute('CREATE TABLE t (a)');
  const base = await get('/export/1');
  for (let n = 0; n < 8; n += 1) {
    const before = statSync(`${hrana.file}-wal`).size;
    await execute(`INSERT INTO t VALUES (${String(n)})`);
    expect((await get('/export/1')).body).toEqual(base.body);
    const other = new Libsql(hrana.file);
    expect(other.prepare('SELECT count(*) AS n FROM t').all([])).toEqual([{ n: n + 1 }]);
    other.close();
    const first = (before - HEADER) / FRAME + 1;
    const { status, body } = await get(`/sync/1/${String(first)}/${String(first + 128)}`);
    expect(status).toBe(200);
    expect(body).toEqual(log().subarray(before));
  }
});

it('goes on with the log and the file that an earlier server left', async () => {
  await execute('CREATE TABLE t (a)', 'INSERT INTO t VALUES (1)');
  const [base, frames] = [await get('/export/1'), log()];
  await hrana.stop();
  hrana = await startHrana({ file: hrana.file });
  await execute('INSERT INTO t VALUES (2)');
  expect((await get('/export/1')).body).toEqual(base.body);
  expect(log().subarray(0, frames.length)).toEqual(frames);
  expect((await get('/sync/1/1/129')).body).toEqual(log().subarray(HEADER));
});

it('has no news for who has every frame', async () => {
  await execute('CREATE TABLE t (a)');
  const next = (log().length - HEADER) / FRAME + 1;
  expect((await get(`/sync/1/${String(next)}/${String(next + 128)}`)).status).toBe(400);
});
