import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Hrana, startHrana } from '../support/hrana/start.ts';
import { type Ended, endOf, Program } from '../support/program.ts';

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

/** Runs the program on a local copy of what the server has. */
function run(...args: string[]): Promise<Ended> {
  const home = program.directory;
  const { port } = github.address() as AddressInfo;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    GH_RAG_SYNC_URL: hrana.url,
    GH_RAG_DB_TOKEN: hrana.token,
    GITHUB_API_URL: `http://127.0.0.1:${String(port)}`,
    GH_TOKEN: 'token-of-7',
  };
  const child = spawn(process.execPath, [join(home, 'bin/run.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return endOf(child);
}

interface Status {
  readonly database: { readonly backend: string; readonly stale_since?: string | null };
}

it('a local copy answers while its server is away, and every answer says so', { timeout: 60_000 }, async () => {
  expect(await run('migrate')).toMatchObject({ code: 0 });
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
