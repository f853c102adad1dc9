import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Hrana, startHrana } from '../support/hrana/start.ts';
import { type Ended, endOf, Program } from '../support/program.ts';
import { EXAMPLE } from './sandbox.ts';

let program: Program;
let hrana: Hrana;
/** Says who the caller is. */
const github = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":7}');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  [program, hrana] = await Promise.all([Program.build(), startHrana()]);
}, 60_000);

afterAll(async () => {
  await hrana.stop();
  program.remove();
  github.close();
});

/** Starts the program on the server, or with GH_RAG_SYNC_URL on a local copy of what it has. */
function start(place: 'GH_RAG_DB' | 'GH_RAG_SYNC_URL', args: readonly string[]): ChildProcess {
  const home = program.directory;
  const { port } = github.address() as AddressInfo;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    [place]: `libsql://${new URL(hrana.url).host}?tls=0`,
    GH_RAG_DB_TOKEN: hrana.token,
    GITHUB_API_URL: `http://127.0.0.1:${String(port)}`,
    GH_TOKEN: 'token-of-7',
  };
  return spawn(process.execPath, [join(home, 'bin/run.js'), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

const onServer = (...args: string[]): Promise<Ended> => endOf(start('GH_RAG_DB', args));
const run = (...args: string[]): Promise<Ended> => endOf(start('GH_RAG_SYNC_URL', args));

it('a confirmation whose program dies before its answer is recorded once, however often it is typed', {
  timeout: 60_000,
}, async () => {
  for (const args of [['migrate'], ['index', EXAMPLE], ['search', 'sync resumes', '--all-repos', '--graph-expand']]) {
    expect(await onServer(...args)).toMatchObject({ code: 0 });
  }
  expect(await onServer('use', 'g1', '--stage', 'used', '--through')).toMatchObject({ code: 0 });
  // Looked for in the file that is served: a request would meet a fault that is meant for another.
  const confirmations = (): number => {
    const served = new Libsql(hrana.file);
    const rows = served.prepare("SELECT 1 FROM receipts WHERE kind = 'confirmation'").all([]);
    served.close();
    return rows.length;
  };
  const confirm = ['confirm', 'last', 'g1', '--reason', 'it held'];
  // The trace, its sources and what is known of them are read; the write is applied, but its answer comes too late.
  await hrana.fault({ next: [null, null, null, 'slowBody'] });
  const dying = start('GH_RAG_DB', confirm);
  const died = endOf(dying);
  while (confirmations() === 0) await delay(50);
  dying.kill('SIGKILL');
  await died;

  expect(await onServer(...confirm)).toMatchObject({ code: 0 });
  expect(confirmations()).toBe(1);
  // What is known to be recorded is not pending: the same words again are a new call.
  expect(await onServer(...confirm)).toMatchObject({ code: 0 });
  expect(confirmations()).toBe(2);
});

interface Status {
  readonly database: { readonly backend: string; readonly stale_since?: string | null };
}

it('a local copy answers while its server is away, and every answer says so', { timeout: 60_000 }, async () => {
  const search = ['search', 'kettle', '--all-repos'];
  const fresh = await run(...search);
  expect(fresh).toMatchObject({ code: 0, err: expect.stringContaining('Nothing matches.') as string });
  expect(fresh.err).not.toContain('copy');
  expect((JSON.parse((await run('status', '--json')).out) as Status).database).not.toHaveProperty('stale_since');

  await hrana.stop();
  const note = /The database server is away or behind: this is a local copy from (just now|\d+ \w+ ago)\.\n/;
  expect(await run(...search)).toMatchObject({ code: 0, err: expect.stringMatching(note) as string });
  expect((await run('status')).out).toMatch(note);
  expect((JSON.parse((await run('status', '--json')).out) as Status).database).toMatchObject({
    backend: 'replica',
    stale_since: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
});
