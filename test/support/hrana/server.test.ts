import { createClient as createHttpClient } from '@libsql/client/http';
import { type Client, createClient } from '@libsql/client/web';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { FaultKind } from './faults.ts';
import { type Hrana, type HranaOptions, startHrana } from './start.ts';

let hrana: Hrana;
let client: Client;
const clients: Client[] = [];

beforeAll(async () => {
  hrana = await startHrana();
});
afterAll(() => hrana.stop());

beforeEach(async () => {
  client = connect();
  await client.executeMultiple('DROP TABLE IF EXISTS t; CREATE TABLE t (id INTEGER PRIMARY KEY, v UNIQUE)');
  await hrana.reset();
});
afterEach(async () => {
  await hrana.fault({});
  for (const open of clients.splice(0)) open.close();
});

function connect(authToken: string = hrana.token, timeoutMs = 5000, url = hrana.url): Client {
  const impatient = (request: Request): Promise<Response> => fetch(request, { signal: AbortSignal.timeout(timeoutMs) });
  const made = createClient({ url, authToken, intMode: 'bigint', fetch: impatient });
  clients.push(made);
  return made;
}

/** The rows as they are in the file. */
function stored(): unknown[] {
  const file = new Libsql(hrana.file);
  try {
    return file.prepare('SELECT v FROM t ORDER BY id').raw(true).all().flat();
  } finally {
    file.close();
  }
}

const insert = (v: string): { sql: string; args: string[] } => ({ sql: 'INSERT INTO t (v) VALUES (?)', args: [v] });

describe('SQL', () => {
  it.each([
    ['web', createClient],
    ['http', createHttpClient],
  ])('serves every kind of call of @libsql/client/%s', async (_name, create) => {
    const own = create({ url: hrana.url, authToken: hrana.token });
    clients.push(own);
    const inserted = await own.execute(insert('a'));
    expect(inserted).toMatchObject({ rowsAffected: 1, lastInsertRowid: 1n });
    const results = await own.batch([insert('b'), 'UPDATE t SET v = v || 1', 'SELECT count(*) AS n FROM t'], 'write');
    expect(results.map((result) => result.rowsAffected)).toEqual([1, 2, 0]);
    expect(results[2]?.rows[0]).toMatchObject({ n: 2 });
    const [read] = await own.batch(['SELECT v FROM t ORDER BY id'], 'read');
    expect(read?.rows.map((row) => row[0])).toEqual(['a1', 'b1']);
    await own.executeMultiple("INSERT INTO t (v) VALUES ('c;'); -- one; more\nINSERT INTO t (v) VALUES ('d')");
    await own.migrate(['CREATE TABLE IF NOT EXISTS u (x)', 'DROP TABLE u']);
    const transaction = await own.transaction('write');
    await transaction.execute(insert('e'));
    const inside = await transaction.execute('SELECT v FROM t ORDER BY id');
    expect(inside.rows).toHaveLength(5);
    await transaction.commit();
    expect(stored()).toEqual(['a1', 'b1', 'c;', 'd', 'e']);
  });

  it('carries every value of SQLite both ways', async () => {
    const blob = new Uint8Array([0, 255, 7]);
    const values = [null, 2n ** 62n, -1n, 1.5, 'ä\tb', blob, new Uint8Array(0)];
    const places = values.map(() => '?').join(', ');
    const { rows } = await client.execute({ sql: `SELECT ${places}, typeof(?2), typeof(?4)`, args: values });
    const [row] = rows.map((cells) => Array.from({ length: 9 }, (_, at) => cells[at]));
    expect(row?.map((cell) => (cell instanceof ArrayBuffer ? new Uint8Array(cell) : cell))).toEqual([
      ...values,
      'integer',
      'real',
    ]);
    const named = await client.execute({ sql: 'SELECT :a AS a, $b AS b', args: { a: 'x', b: 2n } });
    expect(named.rows[0]).toMatchObject({ a: 'x', b: 2n });
    expect(named.columnTypes).toEqual(['', '']);
  });

  it('tells of RETURNING both the rows and how many were changed', async () => {
    const result = await client.execute("INSERT INTO t (v) VALUES ('a'), ('b') RETURNING id");
    expect(result.rows.map((row) => row[0])).toEqual([1n, 2n]);
    expect(result).toMatchObject({ rowsAffected: 2, lastInsertRowid: 2n });
  });

  it('keeps the statements of a trigger together', async () => {
    await client.executeMultiple(
      `CREATE TRIGGER t_ai AFTER INSERT ON t WHEN new.v = 'a' BEGIN
         INSERT INTO t (v) VALUES (CASE new.v WHEN 'a' THEN 'b;' END); INSERT INTO t (v) VALUES ('c');
       END; INSERT INTO t (v) VALUES ('a')`,
    );
    expect(stored()).toEqual(['a', 'b;', 'c']);
  });

  it.each([
    ["INSERT INTO t VALUES (1, 'a'), (2, 'a')", 'SQLITE_CONSTRAINT', 'SQLite error: UNIQUE constraint failed: t.v'],
    ['SELECT * FROM nowhere', 'SQLITE_UNKNOWN', 'SQLite error: no such table: nowhere'],
    ['SELECT absent FROM t', 'SQL_INPUT_ERROR', 'SQL input error: no such column: absent (at offset 7)'],
    ['SELEC 1', 'SQL_PARSE_ERROR', 'SQL string could not be parsed: near "SELEC": syntax error'],
    ['PRAGMA wal_checkpoint', 'SQL_PARSE_ERROR', 'unsupported statement: PRAGMA wal_checkpoint'],
    ['CREATE TEMP TABLE x (y)', 'SQL_PARSE_ERROR', 'unsupported statement: CREATE TEMP TABLE x (y)'],
    ['SELECT 1; SELECT 2', 'SQL_MANY_STATEMENTS', 'more than one statement'],
    [' -- nothing', 'SQL_NO_STATEMENT', 'does not contain any statement'],
    ['SELECT ?', 'ARGS_INVALID', 'value for parameter 1 not found'],
  ])('refuses %s with %s', async (sql, code, message) => {
    const refused = client.execute(sql);
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    await expect(refused).rejects.toThrow(code);
  });

  it('rolls a batch back when a statement fails', async () => {
    const failed = client.batch([insert('a'), insert('a'), insert('b')], 'write');
    await expect(failed).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT', statementIndex: 1 });
    expect(stored()).toEqual([]);
  });

  it('runs nothing of a batch in which a text is no SQL', async () => {
    await expect(client.batch([insert('a'), 'SELEC 1'], 'write')).rejects.toMatchObject({ code: 'SQL_PARSE_ERROR' });
    expect(await hrana.log()).toMatchObject([{ statements: 0, status: 200 }]);
  });

  it('stops a sequence at the first error and keeps what was before it', async () => {
    await expect(
      client.executeMultiple(
        "INSERT INTO t VALUES (1, 'a'); INSERT INTO t VALUES (1, 'b'); INSERT INTO t VALUES (3, 'c')",
      ),
    ).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' });
    expect(stored()).toEqual(['a']);
  });
});

describe('the protocol', () => {
  const post = async (path: string, body: object | string): Promise<{ status: number; text: string }> => {
    const response = await fetch(new URL(path, hrana.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${hrana.token}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const step = (sql: string, condition?: object): object => ({ stmt: { sql }, condition });
  const failing = 'INSERT INTO t VALUES (NULL, (SELECT v FROM t)), (NULL, (SELECT v FROM t))';

  it('runs a step of a batch only when its condition holds', async () => {
    await client.execute(insert('a'));
    const ok = (at: number): object => ({ type: 'ok', step: at });
    const error = (at: number): object => ({ type: 'error', step: at });
    const steps = [
      step('SELECT 0'),
      step(failing),
      step('SELECT 2', ok(1)),
      step('SELECT 3', error(1)),
      step('SELECT 4', { type: 'not', cond: ok(1) }),
      step('SELECT 5', { type: 'and', conds: [ok(0), ok(1)] }),
      step('SELECT 6', { type: 'or', conds: [ok(0), ok(1)] }),
      step('SELECT 7', { type: 'is_autocommit' }),
      step('BEGIN'),
      step('SELECT 9', { type: 'is_autocommit' }),
      step('SELECT 10', error(2)),
    ];
    const { text } = await post('/v3/pipeline', { requests: [{ type: 'batch', batch: { steps } }] });
    const { step_results: results, step_errors: errors } = (
      JSON.parse(text) as { results: [{ response: { result: { step_results: unknown[]; step_errors: unknown[] } } }] }
    ).results[0].response.result;
    expect(results.flatMap((result, at) => (result === null ? [] : [at]))).toEqual([0, 3, 4, 6, 7, 8, 10]);
    expect(errors.flatMap((found, at) => (found === null ? [] : [[at, found]]))).toEqual([
      [1, { code: 'SQLITE_CONSTRAINT', message: 'SQLite error: UNIQUE constraint failed: t.v' }],
    ]);
  });

  it('stores texts, describes statements and says whether a transaction is open', async () => {
    const { text } = await post('/v3/pipeline', {
      requests: [
        { type: 'store_sql', sql_id: 1, sql: 'SELECT id FROM t WHERE v = :v' },
        { type: 'describe', sql_id: 1 },
        { type: 'execute', stmt: { sql_id: 1, named_args: [{ name: 'v', value: { type: 'text', value: 'a' } }] } },
        { type: 'close_sql', sql_id: 1 },
        { type: 'execute', stmt: { sql: 'BEGIN' } },
        { type: 'get_autocommit' },
        { type: 'close' },
      ],
    });
    const { baton, results } = JSON.parse(text) as { baton: null; results: { response: object }[] };
    expect(baton).toBeNull();
    const [, described, selected, , , autocommit] = results.map(({ response }) => response);
    const cols = [{ name: 'id', decltype: 'INTEGER' }];
    expect(described).toMatchObject({
      result: { cols, params: [{ name: ':v' }], is_readonly: true, is_explain: false },
    });
    expect(selected).toMatchObject({ result: { cols, rows: [] } });
    expect(autocommit).toEqual({ type: 'get_autocommit', is_autocommit: false });
  });

  it('answers a cursor line by line', async () => {
    const batch = { steps: [step('SELECT 1 AS one UNION SELECT 2'), step(failing), step('SELECT x')] };
    await client.execute(insert('a'));
    const { text } = await post('/v3/cursor', { batch });
    const [head, ...entries] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(head).toHaveProperty('baton', expect.any(String));
    expect(entries.map(({ type }) => type)).toEqual([
      'step_begin',
      'row',
      'row',
      'step_end',
      'step_error',
      'step_error',
    ]);
    expect(entries[1]).toEqual({ type: 'row', row: [{ type: 'integer', value: '1' }] });
  });

  it.each([
    ['an invalid baton', '/v2/pipeline', { baton: 'a.0.b', requests: [] }, 'Received an invalid baton'],
    ['no JSON', '/v2/pipeline', '{"requests":', 'Cannot deserialize client message from JSON'],
    ['an unknown request', '/v2/pipeline', { requests: [{ type: 'explode' }] }, 'Cannot deserialize client message'],
    [
      'a text that is not stored',
      '/v2/pipeline',
      { requests: [{ type: 'sequence', sql_id: 7 }] },
      'SQL text 7 not found',
    ],
    [
      'a later version',
      '/v2/pipeline',
      { requests: [{ type: 'get_autocommit' }] },
      'only supported in protocol version',
    ],
    [
      'a step after a close',
      '/v2/pipeline',
      { requests: [{ type: 'close' }, { type: 'sequence', sql: '' }] },
      'Stream for this baton was closed',
    ],
  ])('answers %s with status 400', async (_name, path, body, message) => {
    const { status, text } = await post(path, body);
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(message) });
  });

  it('takes a baton once', async () => {
    const { text } = await post('/v2/pipeline', { requests: [] });
    const { baton } = JSON.parse(text) as { baton: string };
    const [first, second] = [
      await post('/v2/pipeline', { baton, requests: [] }),
      await post('/v2/pipeline', { baton, requests: [] }),
    ];
    expect([first.status, second]).toEqual([200, { status: 400, text: 'Received a baton that has already been used' }]);
  });
});

describe('transactions', () => {
  it('come one after the other', async () => {
    const write = async (name: string): Promise<void> => {
      const transaction = await connect().transaction('write');
      await transaction.execute(insert(`${name}a`));
      await transaction.execute(insert(`${name}b`));
      await transaction.commit();
    };
    await Promise.all(Array.from({ length: 8 }, (_, n) => write(String(n))));
    const pairs = stored().map(String);
    expect(pairs).toHaveLength(16);
    for (let at = 0; at < pairs.length; at += 2) expect(pairs[at]?.[0]).toBe(pairs[at + 1]?.[0]);
  });

  it('come in the order of their arrival, and readers do not wait', async () => {
    const first = await client.transaction('write');
    await first.execute(insert('first'));
    const second = connect().execute(insert('second'));
    await expect.poll(() => hrana.requests()).toBe(2);
    const third = connect().batch([insert('third')], 'write');
    await expect.poll(() => hrana.requests()).toBe(3);
    expect((await connect().execute('SELECT * FROM t')).rows).toEqual([]);
    await first.commit();
    await Promise.all([second, third]);
    expect(stored()).toEqual(['first', 'second', 'third']);
  });

  it('wait for a program that has the file open by itself', async () => {
    const file = new Libsql(hrana.file);
    file.exec("BEGIN IMMEDIATE; INSERT INTO t (v) VALUES ('theirs')");
    const ours = connect().execute(insert('ours'));
    await expect.poll(() => hrana.requests()).toBe(1);
    file.exec('COMMIT');
    file.close();
    await ours;
    expect(stored()).toEqual(['theirs', 'ours']);
  });

  it('fails the write of a transaction that has read what has changed since, and goes on serving', async () => {
    const reader = await client.transaction('deferred');
    await reader.execute('SELECT * FROM t');
    await connect().execute(insert('other'));
    await expect(reader.execute(insert('stale'))).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    await reader.rollback().catch(() => undefined);
    await connect().execute(insert('next'));
    expect(stored()).toEqual(['other', 'next']);
  });
});

describe('limits of time', () => {
  const limited = async (options: HranaOptions): Promise<() => Client> => {
    const server = await startHrana(options);
    onTestFinished(() => server.stop());
    const open = (): Client => connect(server.token, 5000, server.url);
    await open().execute('CREATE TABLE t (v)');
    return open;
  };
  const values = async (from: Client): Promise<unknown[]> =>
    (await from.execute('SELECT v FROM t')).rows.map((row) => row[0]);

  it('roll back a transaction whose stream is idle, and tell its client', async () => {
    const open = await limited({ streamTtlMs: 100 });
    const idle = await open().transaction('write');
    await idle.execute(insert('lost'));
    await open().execute(insert('kept'));
    expect(await values(open())).toEqual(['kept']);
    await expect(idle.execute(insert('late'))).rejects.toMatchObject({
      code: 'STREAM_EXPIRED',
      message: expect.stringContaining('The stream has expired due to inactivity'),
    });
  });

  it('take the turn from a transaction that keeps others waiting', async () => {
    const open = await limited({ transactionTtlMs: 100 });
    const slow = await open().transaction('write');
    await slow.execute(insert('slow'));
    await open().execute(insert('waiting'));
    await expect(slow.execute(insert('late'))).rejects.toMatchObject({ code: 'TRANSACTION_TIMEOUT' });
    expect(await values(open())).toEqual(['waiting']);
  });

  it('let a writer that waits for too long go with SQLITE_BUSY', async () => {
    const open = await limited({ lockTimeoutMs: 100 });
    const slow = await open().transaction('write');
    await slow.execute(insert('slow'));
    await expect(open().execute(insert('b'))).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    await slow.commit();
    expect(await values(open())).toEqual(['slow']);
  });
});

describe('credentials', () => {
  it.each([
    ['wrong', 'not-the-token'],
    ['missing', undefined],
  ])('answers a %s token with status 401', async (_name, authToken) => {
    const stranger = createClient({ url: hrana.url, ...(authToken === undefined ? {} : { authToken }) });
    clients.push(stranger);
    await expect(stranger.execute('SELECT 1')).rejects.toMatchObject({ code: 'SERVER_ERROR', cause: { status: 401 } });
    expect(await hrana.log()).toMatchObject([{ status: 401, statements: 0 }]);
  });

  it('lets a read-only token read, and blocks its writes', async () => {
    const reader = connect(hrana.readOnlyToken);
    expect((await reader.batch(['SELECT 1'], 'read'))[0]?.rows).toHaveLength(1);
    const blocked = { code: 'BLOCKED', message: expect.stringContaining('Operation was blocked') };
    await expect(reader.execute(insert('a'))).rejects.toMatchObject(blocked);
    await expect(reader.batch([insert('a')], 'write')).rejects.toMatchObject(blocked);
    await expect(reader.executeMultiple('SELECT 1; DROP TABLE t')).rejects.toMatchObject(blocked);
    expect(stored()).toEqual([]);
  });
});

describe('requests', () => {
  it('are counted, with what each did, until they are forgotten', async () => {
    await client.execute('SELECT 1');
    await client.batch([insert('a'), insert('b')], 'write');
    expect(await hrana.requests()).toBe(2);
    const [one, two] = await hrana.log();
    expect(one).toEqual({ endpoint: 'pipeline', types: ['execute', 'close'], statements: 1, fault: null, status: 200 });
    expect(two).toMatchObject({ statements: 4, types: ['store_sql', 'batch', 'close'] });
    await hrana.reset();
    expect(await hrana.requests()).toBe(0);
  });
});

describe('faults', () => {
  it.each<[FaultKind, applied: boolean, failure: object]>([
    ['dropRequest', false, { message: 'fetch failed' }],
    ['dropResponse', true, { message: 'fetch failed' }],
    ['truncatedBody', true, { message: 'terminated' }],
    ['cutBody', true, { name: 'SyntaxError' }],
    ['slowBody', true, { name: 'TimeoutError' }],
    ['hang', false, { name: 'TimeoutError' }],
    ['status401', false, { cause: { status: 401 } }],
    ['status429', false, { cause: { status: 429 } }],
    ['status503', false, { cause: { status: 503 } }],
    ['expiredStream', false, { code: 'STREAM_EXPIRED' }],
  ])('%s: applied is %s', async (kind, applied, failure) => {
    const patienceMs = kind === 'slowBody' || kind === 'hang' ? 150 : 5000;
    await hrana.fault({ next: [kind] });
    const failed = connect(hrana.token, patienceMs).batch([insert('a')], 'write');
    await expect(failed).rejects.toMatchObject(failure);
    await expect.poll(() => hrana.log()).toMatchObject([{ fault: kind, statements: applied ? 3 : 0 }]);
    expect(stored()).toEqual(applied ? ['a'] : []);
    await client.batch([insert('b')], 'write');
    expect(stored()).toEqual(applied ? ['a', 'b'] : ['b']);
  });

  it('latency: a request runs later, also when its client has given up', async () => {
    await hrana.fault({ next: ['latency300'] });
    await expect(connect(hrana.token, 50).execute(insert('a'))).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(stored()).toEqual([]);
    await expect.poll(stored).toEqual(['a']);
    await hrana.fault({ latencyMs: 60 });
    const start = performance.now();
    await client.execute('SELECT 1');
    expect(performance.now() - start).toBeGreaterThan(55);
  });

  it('expiredStream rolls back the transaction of the stream', async () => {
    const transaction = await client.transaction('write');
    await transaction.execute(insert('a'));
    await hrana.fault({ next: ['expiredStream'] });
    await expect(transaction.commit()).rejects.toMatchObject({ code: 'STREAM_EXPIRED' });
    await client.execute(insert('b'));
    expect(stored()).toEqual(['b']);
  });

  it('come in the order of a list, and leave out requests that only close', async () => {
    await hrana.fault({ next: [null, 'status503', null, 'dropResponse'] });
    const outcomes: boolean[] = [];
    for (let n = 0; n < 5; n += 1) {
      outcomes.push(
        await client.execute(insert(String(n))).then(
          () => true,
          () => false,
        ),
      );
    }
    expect(outcomes).toEqual([true, false, true, false, true]);
    expect(stored()).toEqual(['0', '2', '3', '4']);
  });

  it('come by a seed, the same each time', async () => {
    const draw = async (seed: number): Promise<(string | null)[]> => {
      await hrana.reset();
      await hrana.fault({ rate: 0.4, seed, kinds: ['dropRequest', 'dropResponse', 'status503'] });
      for (let n = 0; n < 20; n += 1) await client.execute('SELECT 1').catch(() => undefined);
      return (await hrana.log()).map(({ fault }) => fault);
    };
    const first = await draw(7);
    expect(await draw(7)).toEqual(first);
    expect(await draw(8)).not.toEqual(first);
    expect(new Set(first)).toEqual(new Set([null, 'dropRequest', 'dropResponse', 'status503']));
  });
});

describe('the process', () => {
  it('goes away for its clients, and serves the same file again at the same address', async () => {
    const file = `${hrana.file}-2`;
    const before = await startHrana({ file });
    const theirs = connect(before.token, 5000, before.url);
    await theirs.execute('CREATE TABLE kept (x)');
    await before.stop();
    await expect(theirs.execute('SELECT 1')).rejects.toThrow('fetch failed');
    await expect(before.requests()).rejects.toThrow('has ended');
    const after = await startHrana({ file, port: before.port });
    onTestFinished(() => after.stop());
    expect(after.url).toBe(before.url);
    expect((await theirs.execute('SELECT count(*) AS n FROM kept')).rows[0]).toMatchObject({ n: 0n });
  });
});

describe('replicas', () => {
  const follow = (authToken: string): Libsql.Database => {
    const options = { syncUrl: hrana.url, authToken };
    return new Libsql(`${hrana.file}-replica-${authToken}`, options);
  };

  it('get the file and the frames of its log', async () => {
    const replica = follow(hrana.token);
    const values = (): unknown[] => replica.prepare('SELECT v FROM t').raw(true).all();
    await client.execute(insert('a'));
    replica.sync();
    expect(values()).toEqual([['a']]);
    await client.execute(insert('b'));
    expect(values()).toEqual([['a']]);
    replica.sync();
    expect(values()).toEqual([['a'], ['b']]);
    replica.close();
    expect(await hrana.requests()).toBe(2);
  });

  it('need the token, and meet faults that are meant for everything', async () => {
    const info = async (authorization: string): Promise<number> =>
      (await fetch(new URL('/info', hrana.url), { headers: { authorization } })).status;
    expect(await info('Bearer other')).toBe(401);
    await hrana.fault({ next: ['status503'] });
    expect(await info(`Bearer ${hrana.token}`)).toBe(200);
    await hrana.fault({ next: ['status503'], scope: 'all' });
    expect(await info(`Bearer ${hrana.token}`)).toBe(503);
  });
});
