import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileSystem } from '../../src/lib/adapters/files.ts';
import { query } from '../../src/lib/engine/database.ts';
import type { Files } from '../../src/lib/engine/files.ts';
import { temporaryDirectory } from '../support/repository.ts';
import { abortAfter, freshDigest, TestIndex } from '../support/test-index.ts';

let folder: string;
let index: TestIndex;

beforeEach(() => {
  folder = temporaryDirectory();
  index = new TestIndex(8);
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await index.remove();
});

const issue = (number: number, fields: object = {}): string =>
  JSON.stringify({
    repo: 'acme/app',
    type: 'issue',
    number,
    title: `Issue ${String(number)}`,
    body: 'The sync stalls.',
    updated_at: '2024-05-01T00:00:00Z',
    ...fields,
  });

const issues = (count: number): string[] => Array.from({ length: count }, (_, i) => issue(i + 1));

function file(lines: readonly string[] | Uint8Array, name = 'export.jsonl'): string {
  const path = join(folder, name);
  writeFileSync(path, lines instanceof Uint8Array ? lines : `${lines.join('\n')}\n`);
  return path;
}

/** Counts what is read for decoding; the bytes for the digest do not count. */
function countingFiles(): { files: Files; reads: () => number } {
  const inner = fileSystem();
  let reads = 0;
  return {
    reads: () => reads,
    files: {
      kind: (path) => inner.kind(path),
      bytes: (path, signal) => inner.bytes(path, signal),
      size: (path) => inner.size(path),
      read: (path, signal) => {
        reads += 1;
        return inner.read(path, signal);
      },
    },
  };
}

async function titles(): Promise<string[]> {
  return (await index.documents()).map(({ title }) => title);
}

describe('an export file', () => {
  it('is stored once; given again it is not even read', async () => {
    const path = file(issues(3));
    expect(await index.run(path)).toMatchObject({ kind: 'export', repos: ['acme/app'], written: 3 });
    const { files, reads } = countingFiles();
    expect(await index.run(path, {}, { files })).toMatchObject({ repos: ['acme/app'], written: 0, unchanged: 0 });
    expect(reads()).toBe(0);
    expect(await index.counted(path)).toMatchObject({ reads: 1, writes: 0 });
    // The same records under another name, packed, are read and give nothing new.
    expect(await index.run(file(gzipSync(issues(3).join('\n')), 'other.gz'))).toMatchObject({
      written: 0,
      unchanged: 3,
    });
  });

  it('with bad lines is stored without them, and says so each time it is given', async () => {
    const path = file([
      issue(1),
      '{"repo":',
      issue(0),
      issue(2, { updated_at: 'yesterday' }),
      ...Array.from({ length: 30 }, () => 'x'),
    ]);
    const first = await index.run(path);
    expect(first).toMatchObject({
      written: 2,
      problem_count: 32,
      warnings: { 'updated_at is not a time and was left out': 1 },
    });
    expect(first.problems).toHaveLength(20);
    expect(first.problems.slice(0, 2)).toEqual([
      { line: 2, message: 'the line is not valid JSON' },
      { line: 3, message: 'number must be a whole number above 0' },
    ]);
    const { report, writes } = await index.counted(path);
    expect(report).toEqual({ ...first, written: 0 });
    expect(writes).toBe(0);
  });

  it('that was interrupted goes on where it stood, and forgets no bad line', async () => {
    const path = file(['bad', ...issues(40), issue(7, { title: 'Seven, again' })]);
    await expect(index.run(path, {}, abortAfter(30))).rejects.toMatchObject({ code: 'interrupted' });
    expect(await index.keys()).toHaveLength(24);
    expect(await index.run(path)).toMatchObject({
      written: 17,
      unchanged: 0,
      problem_count: 1,
      problems: [{ line: 1, message: 'the line is not valid JSON' }],
    });
    expect(await index.keys()).toHaveLength(40);
    expect((await titles()).filter((title) => title === 'Seven, again')).toHaveLength(1);
    expect(await index.digest()).toBe(await freshDigest([path]));
  });

  it('that is damaged is stored up to the damage, again and again', async () => {
    const zipped = gzipSync(`bad\n${issues(2000).join('\n')}\n`);
    const path = file(zipped.subarray(0, zipped.length - 800), 'cut.gz');
    await expect(index.run(path)).rejects.toMatchObject({
      code: 'unreadable_input',
      message: expect.stringMatching(/cut\.gz is a gzip file that ends too early; the last good line is \d+$/),
    });
    const stored = await index.keys();
    expect(stored.length).toBeGreaterThan(1000);
    await expect(index.counted(path)).rejects.toMatchObject({ code: 'unreadable_input' });
    expect(await index.keys()).toEqual(stored);
    await index.digest();
  });

  it('may spell a repository in several ways', async () => {
    const path = file([issue(1), issue(2, { repo: 'Acme/App' }), issue(1, { repo: 'ACME/APP', title: 'One, again' })]);
    expect(await index.run(path)).toMatchObject({ repos: ['acme/app'], written: 2 });
    expect(await titles()).toEqual(['One, again', 'Issue 2']);
  });

  it('may be empty', async () => {
    expect(await index.run(file([]))).toMatchObject({ written: 0, repos: [], problem_count: 0 });
    expect(await index.run(file(new Uint8Array()))).toMatchObject({ written: 0, problem_count: 0 });
  });

  it('writes nothing in a dry run', async () => {
    const path = file(issues(20));
    expect(await index.counted(path, { dry_run: true })).toMatchObject({ writes: 0, report: { written: 20 } });
    expect(await index.run(path)).toMatchObject({ written: 20 });
  });
});

describe('two export files', () => {
  const may = (number: number, title: string) => issue(number, { title, updated_at: '2024-05-01T00:00:00Z' });
  const june = (number: number, title: string) => issue(number, { title, updated_at: '2024-06-01T00:00:00Z' });

  it('of one repository end with the newer state of each record, in every order', async () => {
    const a = file([june(1, 'A, newer'), may(2, 'A, older'), may(4, 'only A')], 'a.jsonl');
    const b = file([may(1, 'B, older'), june(2, 'B, newer'), may(5, 'only B')], 'b.jsonl');
    const digests = [];
    for (const order of [
      [a, b],
      [b, a],
      [a, b, a],
      [b, a, b],
    ])
      digests.push(await freshDigest(order));
    expect(new Set(digests).size).toBe(1);
    for (const path of [a, b, a]) await index.run(path);
    expect(await titles()).toEqual(['A, newer', 'B, newer', 'only A', 'only B']);
  });

  it('with equally new records end with the file that was given last', async () => {
    const a = file([may(1, 'A')], 'a.jsonl');
    const b = file([may(1, 'B')], 'b.jsonl');
    for (const path of [a, b, a]) await index.run(path);
    expect(await titles()).toEqual(['A']);
    expect(await index.counted(a)).toMatchObject({ writes: 0 });
    await index.run(b);
    expect(await titles()).toEqual(['B']);
  });

  it('of different repositories do not make each other be read again', async () => {
    const a = file([issue(1)], 'a.jsonl');
    const b = file([issue(1, { repo: 'acme/other' })], 'b.jsonl');
    await index.run(a);
    await index.run(b);
    const { files, reads } = countingFiles();
    await index.run(a, {}, { files });
    await index.run(b, {}, { files });
    expect(reads()).toBe(0);
  });

  it('one record twice in one file: the newer one stays, wherever it is', async () => {
    await index.run(file([june(1, 'newer'), may(1, 'older'), may(2, 'older'), june(2, 'newer')]));
    expect(await titles()).toEqual(['newer', 'newer']);
  });
});

describe('options of an export', () => {
  it('make a narrower run, after which a wider one misses nothing', async () => {
    const path = file([
      issue(1),
      issue(2, { updated_at: '2023-01-01T00:00:00Z' }),
      issue(3, { repo: 'acme/other' }),
      issue(1, { type: 'issue_comment', id: 5, body: 'The cache loses entries.' }),
    ]);
    const narrow = [{ types: ['issue_comment'] }, { repo: 'Acme/Other' }, { since: '2024-01-01' }, { dry_run: true }];
    const fresh = await freshDigest([path]);
    for (const options of narrow) {
      await index.run(path, options);
      const other = new TestIndex();
      await other.run(path, options);
      await other.run(path);
      expect(await other.digest()).toBe(fresh);
      await other.remove();
    }
    await index.run(path);
    expect(await index.digest()).toBe(fresh);
  });

  it('do not leave a watermark for each day that an age is counted from', async () => {
    const path = file([issue(1), issue(2, { updated_at: '2023-01-01T00:00:00Z' })]);
    for (let day = 0; day < 5; day += 1) {
      await index.run(path, { since: '90d' });
      index.test.clock.ms += 86_400_000;
    }
    const [rows] = await index.test.database.read([query('SELECT surface FROM watermarks', [], (row) => row.surface)]);
    expect(rows).toEqual(['records']);
    expect(await index.counted(path, { since: '90d' })).toMatchObject({ writes: 0 });
  });

  it('a narrower run that is interrupted and changed starts anew', async () => {
    const path = file([...issues(20), issue(1000, { updated_at: '2020-01-01T00:00:00Z' })]);
    await expect(index.run(path, { since: '2024-01-01' }, abortAfter(18))).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(await index.run(path)).toMatchObject({ written: 5, unchanged: 16 });
    expect(await index.digest()).toBe(await freshDigest([path]));
  });
});
