import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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

function run(...args: string[]): Promise<Ended> {
  const home = program.directory;
  const { port } = github.address() as AddressInfo;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    GH_RAG_DB: `libsql://${new URL(hrana.url).host}?tls=0`,
    GH_RAG_DB_TOKEN: hrana.token,
    GITHUB_API_URL: `http://127.0.0.1:${String(port)}`,
    GH_TOKEN: 'token-of-7',
  };
  return endOf(
    spawn(process.execPath, [join(home, 'bin/run.js'), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

it('a confirmation whose answer is lost is recorded once, however often it is typed', { timeout: 90_000 }, async () => {
  for (const args of [['migrate'], ['index', EXAMPLE], ['search', 'sync resumes', '--all-repos', '--graph-expand']]) {
    expect(await run(...args)).toMatchObject({ code: 0 });
  }
  expect(await run('use', 'g1', '--stage', 'used', '--through')).toMatchObject({ code: 0 });
  // Three reads come through; the write is applied and never acknowledged.
  const confirm = ['confirm', 'last', 'g1', '--reason', 'it held'];
  await hrana.fault({ next: [null, null, null, ...Array.from({ length: 60 }, () => 'dropResponse' as const)] });
  const lost = await run(...confirm);
  await hrana.fault({});
  expect(lost).toMatchObject({ code: 5, err: expect.stringContaining('not known whether') as string });

  expect(await run(...confirm)).toMatchObject({ code: 0 });
  const shown = JSON.parse((await run('history', 'last', '--json')).out) as { receipts: { kind: string }[] };
  expect(shown.receipts.filter(({ kind }) => kind === 'confirmation')).toHaveLength(1);
  // What is known to be recorded is not pending: the same words again are a new call.
  expect(await run(...confirm)).toMatchObject({ code: 0 });
  const later = JSON.parse((await run('history', 'last', '--json')).out) as { receipts: { kind: string }[] };
  expect(later.receipts.filter(({ kind }) => kind === 'confirmation')).toHaveLength(2);
});
