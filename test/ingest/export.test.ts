import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileSystem } from '../../src/lib/adapters/files.ts';
import { Failure } from '../../src/lib/core/failure.ts';
import { type ExportItem, type ExportOptions, fileDigest, readExport } from '../../src/lib/ingest/export.ts';

const files = fileSystem();
const never = new AbortController().signal;
const NOW = Date.UTC(2030, 0, 1);
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-rag-export-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(content: string | Uint8Array, name = 'export.jsonl'): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const issue = (number: number, fields: object = {}): string =>
  JSON.stringify({
    repo: 'acme/app',
    type: 'issue',
    number,
    title: `Issue ${String(number)}`,
    updated_at: '2024-05-01T00:00:00Z',
    ...fields,
  });

const comment = (id: number, fields: object = {}): string =>
  issue(1, { type: 'issue_comment', id, body: 'The cache loses entries on restart.', ...fields });

async function read(path: string, options: Partial<ExportOptions> = {}): Promise<ExportItem[]> {
  const items: ExportItem[] = [];
  for await (const item of readExport(files, path, { indexedAt: NOW, signal: never, allowed: 'all', ...options }))
    items.push(item);
  return items;
}

/** Items up to a failure, and the failure. */
async function readFailing(
  path: string,
  options: Partial<ExportOptions> = {},
): Promise<{ count: number; failure: Failure }> {
  let count = 0;
  try {
    for await (const item of readExport(files, path, { indexedAt: NOW, signal: never, allowed: 'all', ...options })) {
      if ('document' in item) count += 1;
    }
  } catch (error) {
    if (error instanceof Failure) return { count, failure: error };
    throw error;
  }
  throw new TypeError('nothing failed');
}

/** What became of each line, in short. */
const outcomes = (items: readonly ExportItem[]): string[] =>
  items.map((item) => {
    const what = 'document' in item ? item.document.type : 'skipped' in item ? item.skipped : item.problem;
    return `${String(item.line)}: ${what}`;
  });

describe('an export', () => {
  test('gives what became of each line, with its number', async () => {
    const path = write(
      [
        issue(1),
        '',
        '{"repo":',
        comment(5),
        comment(6, { author: 'helper[bot]' }),
        comment(7, { body: ' +1 ' }),
        issue(0),
        JSON.stringify({ repo: 'acme/app', type: 'doc', path: 'node_modules/x/readme.md' }),
        '   ',
        issue(2, { updated_at: 'yesterday' }),
        '',
      ].join('\r\n'),
    );
    const items = await read(path);
    expect(outcomes(items)).toEqual([
      '1: issue',
      '3: the line is not valid JSON',
      '4: issue_comment',
      '5: bot',
      '6: short',
      '7: number must be a whole number above 0',
      '8: vendored',
      '10: issue',
    ]);
    expect(items.at(-1)).toMatchObject({ warnings: ['updated_at is not a time and was left out'] });
  });

  test('reads the same from gzip', async () => {
    const text = Array.from({ length: 400 }, (_, i) => `${issue(i + 1)}\n`).join('');
    const items = await read(write(gzipSync(text), 'zipped.jsonl'));
    expect(items).toHaveLength(400);
    expect(items).toEqual(await read(write(text)));
  });

  test('of nothing gives nothing', async () => {
    expect(await read(write(''))).toEqual([]);
    expect(await read(write(gzipSync('')))).toEqual([]);
  });

  test('may have a line of a megabyte, not one of more than 8 MiB', async () => {
    const path = write(
      `${issue(1, { body: 'm'.repeat(1_000_000) })}\n${issue(2, { body: 'l'.repeat(9 * 1024 * 1024) })}\n${issue(3)}\n`,
    );
    expect(outcomes(await read(path))).toEqual(['1: issue', '2: the line is longer than 8 MiB', '3: issue']);
  });

  test('may lack its last line feed, but a cut record is no success', async () => {
    expect(outcomes(await read(write(`${issue(1)}\n${issue(2)}`)))).toEqual(['1: issue', '2: issue']);
    expect(outcomes(await read(write(`${issue(1)}\n${issue(2).slice(0, -5)}`)))).toEqual([
      '1: issue',
      '2: the last line is cut off in the middle of a record',
    ]);
    expect(outcomes(await read(write('{"type":"issue"}')))).toEqual(['1: repo is missing']);
  });
});

describe('options', () => {
  const mixed = (): string =>
    write(
      [
        issue(1),
        issue(2, { repo: 'Acme/App' }),
        issue(3, { repo: 'acme/other' }),
        comment(5),
        issue(4, { updated_at: '2023-01-01T00:00:00Z' }),
        'broken',
      ].join('\n'),
    );

  test('select by type, repository and time, and say so', async () => {
    const bad = '6: the last line is cut off in the middle of a record';
    expect(outcomes(await read(mixed(), { types: new Set(['issue_comment']) }))).toEqual([
      '1: other type',
      '2: other type',
      '3: other type',
      '4: issue_comment',
      '5: other type',
      bad,
    ]);
    expect(outcomes(await read(mixed(), { repo: 'ACME/app' }))).toEqual([
      '1: issue',
      '2: issue',
      '3: other repository',
      '4: issue_comment',
      '5: issue',
      bad,
    ]);
    const since = Date.UTC(2024, 4, 1);
    expect(outcomes(await read(mixed(), { since })).slice(3)).toEqual(['4: issue_comment', '5: before since', bad]);
    expect(outcomes(await read(mixed(), { since: since + 1 }))[0]).toBe('1: before since');
  });

  test('pass over lines that were read before', async () => {
    expect(outcomes(await read(mixed(), { skipLines: 4 }))[0]).toBe('5: issue');
    expect(await read(mixed(), { skipLines: 6 })).toEqual([]);
    expect(await read(mixed(), { skipLines: 99 })).toEqual([]);
  });

  test('the time of indexing stands for a missing one', async () => {
    const [item] = await read(write(issue(1, { updated_at: null })));
    expect(item).toMatchObject({ document: { createdAt: NOW, updatedAt: NOW, versionIsKnown: false } });
  });
});

describe('an unreadable export', () => {
  const text = Array.from({ length: 5000 }, (_, i) =>
    issue(i + 1, { body: createHash('sha256').update(String(i)).digest('hex') }),
  ).join('\n');

  test('cut short names its last good line, after everything before the cut', async () => {
    const zipped = gzipSync(`${text}\n`);
    const path = write(zipped.subarray(0, zipped.length - 2000), 'cut.gz');
    const { count, failure } = await readFailing(path);
    expect(count).toBeGreaterThan(4900);
    expect(count).toBeLessThan(5000);
    expect(failure).toMatchObject({
      code: 'unreadable_input',
      message: `${path} is a gzip file that ends too early; the last good line is ${String(count)}`,
      hint: 'Make or download the file again; `gzip -t` checks it.',
    });
    const resumed = await readFailing(path, { skipLines: count });
    expect([resumed.count, resumed.failure.message]).toEqual([0, failure.message]);
  });

  test('with a wrong checksum gives every line first', async () => {
    const zipped = gzipSync(`${issue(1)}\nbroken\n${issue(2)}\n{"also": "broken"}\n`);
    zipped.fill(0, zipped.length - 8, zipped.length - 4);
    const path = write(zipped, 'checksum.gz');
    const { count, failure } = await readFailing(path);
    expect(count).toBe(2);
    expect(failure.message).toBe(`${path} is a corrupt gzip file; the last good line is 3`);
  });

  test('without a single whole line says so', async () => {
    const zipped = gzipSync(text.slice(0, 100_000).replaceAll('\n', ' '));
    const { failure } = await readFailing(write(zipped.subarray(0, -20), 'first.gz'));
    expect(failure.message).toMatch(/ends too early; no line before that is good$/);
  });

  test('that is missing or a directory fails with that alone', async () => {
    const missing = join(folder, 'absent.jsonl');
    expect((await readFailing(missing)).failure.message).toBe(`cannot read ${missing}: no such file`);
    expect((await readFailing(folder)).failure.message).toBe(`cannot read ${folder}: it is a directory, not a file`);
  });

  test('an abort ends it between two lines', async () => {
    const controller = new AbortController();
    const path = write(text, 'abort.jsonl');
    let seen = 0;
    const reading = async (): Promise<void> => {
      for await (const item of readExport(files, path, { indexedAt: NOW, signal: controller.signal, allowed: 'all' })) {
        seen = item.line;
        if (seen === 3) controller.abort();
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen).toBe(3);
  });
});

describe('the digest of a file', () => {
  test('is the SHA-256 of its bytes as stored', async () => {
    const zipped = gzipSync(issue(1));
    const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
    expect(await fileDigest(files, write(zipped, 'digest.gz'), never)).toBe(sha256(zipped));
    const damaged = zipped.subarray(0, -3);
    expect(await fileDigest(files, write(damaged, 'digest.gz'), never)).toBe(sha256(damaged));
    expect(await fileDigest(files, write('', 'digest.jsonl'), never)).toBe(sha256(Buffer.from('')));
    await expect(fileDigest(files, join(folder, 'absent'), never)).rejects.toMatchObject({ code: 'unreadable_input' });
  });
});
