import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryOutput } from '../../src/lib/feedback/history-contract.ts';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { TestRepository } from '../support/repository.ts';
import { EXAMPLE, Sandbox } from './sandbox.ts';

const SECRET = 'xyzzy-secret';
const QUESTION = 'why did we drop the v1 cache';

let sandbox: Sandbox;
let empty: TestRepository;
let client: Client;
let before: string;

/** Everything that is stored: a digest of the content, and the history with every count. */
async function stored(): Promise<string> {
  const [doctor, history] = await Promise.all([
    sandbox.json<{ ok: boolean; content_digest: string }>(['doctor']),
    sandbox.json<HistoryOutput>(['history', '--limit', '50']),
  ]);
  return JSON.stringify([doctor.ok, doctor.content_digest, history.traces]);
}

beforeAll(async () => {
  sandbox = await Sandbox.build();
  empty = TestRepository.init();
  mkdirSync(join(sandbox.home, 'work', 'folder'));
  writeFileSync(join(sandbox.home, 'work', 'notes.txt'), 'this is no database, whatever its name says\n'.repeat(200));
  await sandbox.ok(['index', EXAMPLE]);
  await sandbox.ok(['search', QUESTION, '-R', 'acme/app', '--graph-expand', '-n', '3']);
  await sandbox.ok(['use', '1', '--key', 'taken']);
  client = await sandbox.client();
  before = await stored();
});
afterAll(async () => {
  await client.close();
  empty.remove();
  sandbox.remove();
});

type Refusal = readonly [line: string, code: number, error: RegExp | string, hint: RegExp | string];

/** Refused in two lines, with the exit code, without an echo of what may be private; in JSON when that is asked for. */
async function refused([line, code, error, hint]: Refusal): Promise<void> {
  const ended = await sandbox.shell(line);
  expect({ line, code: ended.code, out: ended.out }).toEqual({ line, code, out: '' });
  const [first = '', second = '', ...rest] = ended.err.split('\n').filter((each) => !/^(?:records|files): /.test(each));
  expect(rest, line).toEqual(['']);
  expect(first, line).toMatch(typeof error === 'string' ? exactly(`error: ${error}`) : error);
  expect(second, line).toMatch(typeof hint === 'string' ? exactly(`hint: ${hint}`) : hint);
  expect(ended.err, line).not.toContain(SECRET);
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}

/** Two at a time: as many as a small machine has processors. */
async function all(refusals: readonly Refusal[]): Promise<void> {
  const waiting = [...refusals];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await refused(next);
  };
  await Promise.all([work(), work()]);
}

const search = 'See gh-rag search --help.';
const see = 'gh-rag history last shows each source with its number.';

describe('bad input', () => {
  it('to index is told apart and named', async () => {
    const [missing, half] = [
      join(sandbox.home, 'none.jsonl'),
      sandbox.file(gzipSync(`{"repo":"acme/app"}\n`.repeat(500)).subarray(0, 40), 'jsonl.gz'),
    ];
    await all([
      ['gh-rag index folder', 1, /^error: not a git repository: folder/, /^hint: Give the path of a clone/],
      [`gh-rag index ${empty.path} --repo acme/app`, 1, /has no commits yet$/, /^hint: There is nothing to index/],
      [`gh-rag index ${missing}`, 1, /^error: there is no file or folder/, /^hint: Give the path of a git repository/],
      [`gh-rag index ${half}`, 1, /^error: .*(?:compressed|gzip|truncated|ends|line)/, /^hint: /],
      ['gh-rag index . --types isue', 2, /^error: --types: must be one of .*\(given: isue\)$/, 'Did you mean issue?'],
    ]);
  });

  it('in an export is numbered, counted and skipped, and the rest is stored', async () => {
    const other = sandbox.another();
    const good = {
      type: 'issue',
      number: 1,
      title: 'Good',
      body: 'A good record.',
      updated_at: '2024-01-01T00:00:00Z',
    };
    const file = other.file(`${JSON.stringify({ repo: 'acme/app', ...good })}\nno JSON\n{"repo":"acme/app"}\n`);
    const { code, out, err } = await other.run(['index', file]);
    expect(code).toBe(1);
    expect(out).toMatch(/: 1 written/);
    expect(out).toMatch(/^ {2}line 2: /m);
    expect(out).toMatch(/^ {2}line 3: /m);
    expect(err).toContain('error: 2 bad lines were skipped\nhint: Everything else was indexed.');
    expect((await other.json<SearchOutput>(['search', 'good record'])).count).toBe(1);
  });

  it('to search names the flag, the rule and the range', async () => {
    const long = `${SECRET} `.repeat(5000);
    await all([
      [`gh-rag search "${long}"`, 2, 'QUERY: must be at most 4096 characters long', search],
      ['gh-rag search x -n 0', 2, '--top-k: must be at least 1 (given: 0)', search],
      ['gh-rag search x -n 51', 2, '--top-k: must be at most 50 (given: 51)', search],
      ['gh-rag search x -n many', 2, /^error: --top-k: must be of type \w+ \(given: many\)$/, search],
      ['gh-rag search x --graph-hops 3', 2, '--graph-hops: must be at most 2 (given: 3)', search],
      ['gh-rag search x --state opne', 2, /^error: --state: must be one of .* \(given: opne\)$/, 'Did you mean open?'],
      ['gh-rag search x --since yesterday', 2, /^error: --since: .* \(given: yesterday\)$/, search],
      ['gh-rag search x -R acme', 2, '--repo: must be owner/name (given: acme)', /^hint: gh-rag status/],
      ['gh-rag show acme/app#999', 3, 'REF acme/app#999: no such source in this index', /^hint: A newer version/],
      [`gh-rag show ${SECRET}`, 2, 'REF: is neither a source id nor a reference', /^hint: References look like/],
      ['gh-rag show 9', 2, /^error: SOURCE: must be 1 to 3, .* \(given: 9\)$/, see],
      ['gh-rag show', 2, 'REF: is required', 'See gh-rag show --help.'],
    ]);
  });

  it('to the feedback memory is refused with its own exit code', async () => {
    const trace = 'gh-rag history lists your retrievals; last is the newest.';
    const used = 'Record its use first: gh-rag use 2 --stage used --through';
    const reason = `--reason "${SECRET}"`;
    await all([
      ['gh-rag use', 2, 'SOURCE: is required', 'See gh-rag use --help.'],
      ['gh-rag use 9', 2, /^error: SOURCE: must be 1 to 3, .*g1.* \(given: 9\)$/, see],
      ['gh-rag use g99', 2, /^error: SOURCE: must be 1 to 3, .*g1.* \(given: g99\)$/, see],
      [`gh-rag use ${SECRET}`, 2, 'SOURCE: must be a result number or a source id', /^hint: Give numbers as search/],
      ['gh-rag use 1 --stage retrieved', 2, /^error: --stage: must be one of selected, validated, used /, /^hint: /],
      [
        'gh-rag use 2 --stage used',
        3,
        'SOURCE: used must follow the stage before it (given: 2)',
        /^hint: Add --through/,
      ],
      [
        `gh-rag use 2 src_${SECRET}`,
        3,
        'SOURCE: is no source of this trace (number 2 of the 2 given)',
        /^hint: gh-rag history/,
      ],
      [`gh-rag use trc_${SECRET} 1`, 3, 'TRACE: is no trace of yours', trace],
      ['gh-rag use 2 --key taken', 3, '--key: was used before with another payload', /^hint: Leave out --key/],
      [`gh-rag use 2 --key "${SECRET} "`, 2, '--key: must be visible ASCII characters', /^hint: See gh-rag use --help/],
      [`gh-rag confirm 2 ${reason}`, 3, 'SOURCE: is not recorded as used in this trace (given: 2)', used],
      [`gh-rag confirm 2 2 ${reason}`, 2, 'SOURCE: must be distinct', 'See gh-rag confirm --help.'],
      ['gh-rag confirm 2', 2, '--reason: is required', 'See gh-rag confirm --help.'],
      ['gh-rag confirm 2 --reason ""', 2, '--reason: must be at least 1 characters long', 'See gh-rag confirm --help.'],
      [`gh-rag rollback ${reason}`, 2, 'CONFIRMATION: is required', 'See gh-rag rollback --help.'],
      [
        `gh-rag rollback rcp_${SECRET} ${reason}`,
        3,
        'CONFIRMATION: is none of yours',
        /^hint: Use the confirmation id/,
      ],
      [`gh-rag rollback last ${reason}`, 3, 'CONFIRMATION: there is none yet', /^hint: gh-rag history/],
      [`gh-rag rollback rcp_x --trace trc_${SECRET} ${reason}`, 3, 'TRACE: is no trace of yours', trace],
      [
        `gh-rag rollback x --outcome confirmed ${reason}`,
        2,
        /^error: --outcome: must be one of rolled_back, corrected /,
        /^hint: /,
      ],
      [`gh-rag history trc_${SECRET}`, 3, 'TRACE: is no trace of yours', /^hint: /],
      [`gh-rag history --cursor ${SECRET}`, 3, '--cursor: is not one of this listing', /^hint: Use next_cursor/],
      ['gh-rag history --limit 51', 2, '--limit: must be at most 50 (given: 51)', 'See gh-rag history --help.'],
    ]);
  });

  it('is answered in JSON where that was asked for', async () => {
    const lines = [
      [`gh-rag use trc_${SECRET} 1 --json`, 3, 'unknown_trace'],
      [`gh-rag search x --topk 3 --json`, 2, 'invalid_input'],
      ['gh-rag serach x --json', 2, 'invalid_input'],
      [`gh-rag status --json --db notes.txt`, 5, 'database_unavailable'],
    ] as const;
    for (const [line, code, name] of lines) {
      const { out, err, ...ended } = await sandbox.shell(line);
      expect({ line, ...ended, err }).toEqual({ line, code, signal: null, err: '' });
      expect(JSON.parse(out)).toEqual({ error: { code: name, message: expect.any(String), hint: expect.any(String) } });
      expect(out).not.toContain(SECRET);
    }
  });

  it('is met with a suggestion where a word was misspelt', () =>
    all([
      ['gh-rag serach cache', 2, 'unknown command serach', 'Did you mean gh-rag search?'],
      ['gh-rag histroy', 2, 'unknown command histroy', 'Did you mean gh-rag history?'],
      ['gh-rag search x --grpah-expand', 2, 'unknown flag --grpah-expand', 'Did you mean --graph-expand?'],
      ['gh-rag use 1 --trough', 2, 'unknown flag --trough', 'Did you mean --through?'],
      [
        'gh-rag use 1 --stage usd',
        2,
        '--stage: must be one of selected, validated, used (given: usd)',
        'Did you mean used?',
      ],
    ]));

  it('over MCP is an error that names the field, and the server goes on', async () => {
    const calls: readonly [string, Record<string, unknown>, string, string][] = [
      ['search', { query: 'x', top_k: 0 }, 'invalid_input', 'top_k: must be at least 1'],
      ['search', { query: SECRET.repeat(9000) }, 'invalid_input', 'query: must be at most 4096 characters long'],
      [
        'record_source_use',
        { trace_id: 'trc_x', idempotency_key: 'k', uses: [] },
        'invalid_input',
        'uses: must be a list of at least 1 entries',
      ],
      [
        'record_source_use',
        { trace_id: `trc_${SECRET}`, idempotency_key: 'k', uses: [{ source_id: 'src_x', stage: 'used' }] },
        'unknown_trace',
        'trace_id: is no trace of yours',
      ],
      ['memory_history', { cursor: SECRET }, 'invalid_cursor', 'cursor: is not one of this listing'],
    ];
    for (const [name, input, code, message] of calls) {
      const result = await client.callTool({ name, arguments: input });
      expect(result.isError, name).toBe(true);
      expect(result.structuredContent).toMatchObject({ code, message });
      expect(JSON.stringify(result)).not.toContain(SECRET);
    }
  });

  it('changed nothing at all', async () => {
    expect(await stored()).toBe(before);
  });
});

describe('odd but good input', () => {
  it('is answered: text of every kind is a query, and a wrong filter is told from a true zero', async () => {
    const odd = [
      '?!',
      'the of and',
      'NEAR(a b) OR "c AND -d:*',
      'a"b',
      '\u0001\uFEFF',
      Array.from({ length: 500 }, (_, at) => `t${String(at)}`).join(' '),
    ];
    for (const query of [...odd, '\uD800 lone', 'nul \u0000 inside']) {
      const { isError } = await client.callTool({ name: 'search', arguments: { query } });
      expect(isError, JSON.stringify(query)).not.toBe(true);
    }
    const [punctuation, wrong] = await Promise.all([
      sandbox.run(['search', '--', '-?!"']),
      sandbox.run(['search', 'cache', '-R', 'acme/ap']),
    ]);
    expect(punctuation).toMatchObject({ code: 0, out: '' });
    expect(wrong).toMatchObject({ code: 0, out: '' });
    expect(wrong.err).toContain('No document at all satisfies --repo: probably a wrong value. Indexed are: acme/app.');
  });
});

describe('a database that does not serve', () => {
  it('is named, with exit code 5', () =>
    all([
      [
        'gh-rag status --db notes.txt/index.db',
        5,
        /^error: cannot create the database .*notes\.txt\/index\.db$/,
        /^hint: Check/,
      ],
      ['gh-rag status --db folder', 5, /^error: .*folder/, /^hint: /],
      ['gh-rag status --db notes.txt', 5, /^error: .*notes\.txt is not a gh-rag database$/, /^hint: Name another file/],
      [
        `gh-rag status --db libsql://user:${SECRET}@example.org`,
        2,
        /^error: (?:--)?db: must not hold a user or a password/,
        /^hint: /,
      ],
    ]));

  it('because another writes: index gives up in order, search answers without a trace, nothing is lost', async () => {
    const other = sandbox.another();
    const record = {
      type: 'issue',
      number: 1,
      title: 'Locked out',
      body: 'Somebody else is writing.',
      updated_at: '2024-01-01T00:00:00Z',
    };
    await other.ok(['index', other.export([record])]);
    const writer = new Database(other.database);
    writer.exec('BEGIN IMMEDIATE');
    try {
      const [index, search] = await Promise.all([
        other.run(['index', other.export([{ ...record, number: 2 }])]),
        other.run(['search', 'locked', '--json']),
      ]);
      expect(index).toMatchObject({ code: 5, out: '' });
      expect(index.err).toMatch(/^error: .*\nhint: .*\n$/m);
      expect(search.code).toBe(0);
      expect(JSON.parse(search.out)).toMatchObject({
        count: 1,
        memory_unavailable: true,
        memory_error: 'memory_save_failed',
      });
    } finally {
      writer.exec('ROLLBACK');
      writer.close();
    }
    expect((await other.json<SearchOutput>(['search', 'locked'])).count).toBe(1);
  });

  it('because its disk is full: the run fails in order, and goes on when there is room', async () => {
    const other = sandbox.another();
    const records = Array.from({ length: 400 }, (_, at) => ({
      type: 'issue',
      number: at + 1,
      title: `Record ${String(at)}`,
      body: `${String(at)} lorem ipsum dolor sit amet `.repeat(40),
      updated_at: '2024-01-01T00:00:00Z',
    }));
    const file = other.export(records);
    // A limit on the size of files is what a test can do everywhere: blocks of 512 bytes.
    const full = await other.shell(`ulimit -f 1200; gh-rag index ${file}`);
    expect([1, 5]).toContain(full.code);
    expect(full.err).toMatch(/^error: .*\nhint: .*\n$/m);
    const { ok } = await other.json<{ ok: boolean }>(['doctor']);
    expect(ok).toBe(true);
    await other.ok(['index', file]);
    expect((await other.json<{ documents: number }>(['status'])).documents).toBe(400);
  });
});
