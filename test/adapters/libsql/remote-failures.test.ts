import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databaseLocation } from '../../../src/lib/adapters/database-location.ts';
import { openRemote } from '../../../src/lib/adapters/libsql/open-remote.ts';
import { EXIT_CODES } from '../../../src/lib/cli/exit-codes.ts';
import { Failure } from '../../../src/lib/core/failure.ts';
import { change, query } from '../../../src/lib/engine/database.ts';
import { MIGRATIONS, TestClock } from '../../support/database.ts';
import { type Hrana, startHrana } from '../../support/hrana/start.ts';

const TOKEN = 'SECRET-TOKEN';

let hrana: Hrana;
let foreign: Hrana;
const servers: Server[] = [];

beforeAll(async () => {
  [hrana, foreign] = await Promise.all([startHrana(), startHrana()]);
  await openAt(hrana.url, hrana.token).schema.apply();
  const db = new Libsql(foreign.file);
  db.exec('CREATE TABLE theirs (a)');
  db.close();
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

afterAll(async () => {
  await Promise.all([hrana.stop(), foreign.stop()]);
});

function openAt(url: string, token: string | undefined = TOKEN) {
  const location = databaseLocation(url);
  if (location.kind !== 'server') throw new Error('not a URL');
  return openRemote({ server: { ...location, token }, migrations: MIGRATIONS, clock: new TestClock(), timeoutMs: 600 });
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

const answering = (listener: RequestListener): Promise<string> =>
  listening(
    createHttpServer((request, response) => {
      response.setHeader('connection', 'close');
      listener(request, response);
    }),
  );

/** A port on which nothing listens. */
async function closedPort(): Promise<string> {
  const server = createServer();
  const url = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

/** A server that answers every step with an error. */
const refusing = (message: string, code: string): Promise<string> =>
  answering((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { requests } = JSON.parse(Buffer.concat(chunks).toString()) as {
        requests: { type: string; batch?: { steps: unknown[] } }[];
      };
      const results = requests.map(({ type, batch }) => {
        const steps = batch?.steps ?? [];
        const result = {
          step_results: steps.map(() => null),
          step_errors: steps.map((_, at) => (at === 0 ? { message, code } : null)),
        };
        return { type: 'ok', response: type === 'batch' ? { type, result } : { type } };
      });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ baton: null, base_url: null, results }));
    });
  });

const html: RequestListener = (_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<h1>Welcome</h1>');
};

const read = (url: string, token?: string) => openAt(url, token).database.read([query('SELECT 1', [], (row) => row)]);
const write = (url: string, token?: string) =>
  openAt(url, token).database.write([change("INSERT INTO repos (slug) VALUES ('a/b')")]);

const BAD: readonly [
  what: string,
  work: () => Promise<unknown>,
  code: Failure['code'],
  exit: number,
  message: RegExp,
][] = [
  ['an unknown host', () => read('libsql://db.invalid'), 'database_unavailable', 5, /no database server db\.invalid/],
  ['a port without a server', async () => read(await closedPort()), 'database_unavailable', 5, /refused/],
  ['a wrong token', () => read(hrana.url), 'credential_required', 4, /refuses the token: HTTP status 401/],
  ['a wrong token, writing', () => write(hrana.url), 'credential_required', 4, /refuses the token: HTTP status 401/],
  ['a read-only token', () => write(hrana.url, hrana.readOnlyToken), 'credential_required', 4, /read-only/],
  [
    'a quota that is used up, writing',
    async () => write(await refusing(QUOTA, 'BLOCKED')),
    'database_unavailable',
    5,
    /quota/,
  ],
  [
    'a quota that is used up, reading',
    async () => read(await refusing(QUOTA, 'BLOCKED')),
    'database_unavailable',
    5,
    /quota/,
  ],
  [
    'no TLS where TLS is asked',
    () => read(hrana.url.replace('http', 'https')),
    'database_unavailable',
    5,
    /TLS failed/,
  ],
  [
    'a server that never answers',
    async () => read(await listening(createServer())),
    'database_unavailable',
    5,
    /in time/,
  ],
  [
    'a server that never answers a write',
    async () => write(await listening(createServer())),
    'database_unavailable',
    5,
    /not known/,
  ],
  [
    'a server that is out of order',
    async () => read(await answering((_, response) => response.writeHead(502).end('no'))),
    'database_unavailable',
    5,
    /HTTP status 502/,
  ],
  ['a server of web pages', async () => read(await answering(html)), 'database_unavailable', 5, /no libSQL server/],
  [
    'a server of web pages, writing',
    async () => write(await answering(html)),
    'database_unavailable',
    5,
    /no libSQL server/,
  ],
  [
    'a server that sends elsewhere',
    async () => read(await answering((_, response) => response.writeHead(307, { location: hrana.url }).end())),
    'database_unavailable',
    5,
    /no libSQL server/,
  ],
  [
    'a server without this database',
    async () => read(await answering((_, response) => response.writeHead(404).end())),
    'database_unavailable',
    5,
    /HTTP status 404/,
  ],
  [
    'the database of another program',
    () => read(foreign.url, foreign.token),
    'database_unavailable',
    5,
    /another program/,
  ],
  [
    'the database of another program, writing',
    () => write(foreign.url, foreign.token),
    'database_unavailable',
    5,
    /another program/,
  ],
  [
    'the database of another program, migrating',
    () => openAt(foreign.url, foreign.token).schema.apply(),
    'database_unavailable',
    5,
    /another program/,
  ],
  ['a wrong token, migrating', () => openAt(hrana.url).schema.apply(), 'credential_required', 4, /refuses the token/],
  ['a wrong scheme', async () => read('mysql://db.example.com'), 'invalid_input', 2, /mysql:\/\//],
];

const QUOTA = 'Operation was blocked: SQL operations are forbidden (blocked, do you need to upgrade your plan?)';

describe('a database server', () => {
  it.each(BAD)('%s: one sentence with a code and a hint, in time', async (_, work, code, exit, message) => {
    const started = performance.now();
    const failure: unknown = await work().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(/./) as string,
    });
    const { message: text, hint } = failure as Failure;
    expect(EXIT_CODES[code]).toBe(exit);
    expect(`${text}\n${hint ?? ''}`).not.toMatch(/SECRET|token-to|\bat .*:\d+:\d+/);
    expect(text).not.toContain('\n');
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('that is empty is never filled by itself', async () => {
    const empty = await startHrana();
    const { database, schema } = openAt(empty.url, empty.token);
    const outdated = { code: 'schema_outdated', hint: expect.stringContaining('gh-rag migrate') as string };
    await expect(database.read([query('SELECT 1', [], (row) => row)])).rejects.toMatchObject(outdated);
    await expect(database.write([change('SELECT 1')])).rejects.toMatchObject(outdated);
    expect((await schema.list()).every(({ state }) => state === 'pending')).toBe(true);
    const db = new Libsql(empty.file);
    expect(db.prepare('SELECT count(*) AS n FROM sqlite_master').all([])).toEqual([{ n: 0 }]);
    db.close();
    await empty.stop();
  });
});
