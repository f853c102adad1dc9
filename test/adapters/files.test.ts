import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileSystem } from '../../src/lib/adapters/files.ts';
import { Failure } from '../../src/lib/core/failure.ts';

const files = fileSystem();

/** What the descriptors of this process point at. A descriptor may be closed while the folder is read. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
const never = new AbortController().signal;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-rag-files-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** Everything a file gives until it ends or fails. */
async function drain(source: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; error: unknown }> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of source) pieces.push(piece);
    return { bytes: Buffer.concat(pieces), error: undefined };
  } catch (error) {
    return { bytes: Buffer.concat(pieces), error };
  }
}

function failure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw new TypeError(`not a Failure: ${String(error)}`);
}

/** Text whose gzip is large enough for several pieces of input. */
function prose(lines: number): string {
  return Array.from({ length: lines }, (_, i) => `${String(i)} ${randomBytes(12).toString('base64')}\n`).join('');
}

describe('kind and size', () => {
  test('tells files, directories and nothing apart, and follows links', async () => {
    const path = write('kind.txt', 'twelve bytes');
    mkdirSync(join(folder, 'inside'));
    symlinkSync(path, join(folder, 'link'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
    expect(await files.kind(path)).toBe('file');
    expect(await files.kind(join(folder, 'link'))).toBe('file');
    expect(await files.kind(folder)).toBe('directory');
    expect(await files.kind(join(folder, 'dangling'))).toBe('missing');
    expect(await files.kind(join(path, 'below-a-file'))).toBe('missing');
    expect(await files.size(path)).toBe(12);
  });

  test('a path that cannot be looked at is a failure', async () => {
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    await expect(files.kind(join(folder, 'loop'))).rejects.toMatchObject({
      code: 'unreadable_input',
      message: `cannot read ${join(folder, 'loop')}: too many symbolic links`,
    });
    await expect(files.kind('a\u0000b')).rejects.toBeInstanceOf(Failure);
    await expect(files.size(join(folder, 'absent'))).rejects.toMatchObject({ code: 'unreadable_input' });
  });
});

describe('plain files', () => {
  test('are read as they are, whatever their name says', async () => {
    const text = prose(8000);
    expect((await drain(files.read(write('plain.jsonl.gz', text), never))).bytes.toString()).toBe(text);
    expect((await drain(files.read(write('empty', ''), never))).bytes).toHaveLength(0);
    expect((await drain(files.read(write('one', '\u001f'), never))).bytes.toString()).toBe('\u001f');
  });

  test('what is no regular file fails without waiting', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const missing = join(folder, 'missing.jsonl');
    expect(failure((await drain(files.read(pipe, never))).error).message).toContain('not a regular file');
    expect(failure((await drain(files.read('/dev/null', never))).error).message).toContain('not a regular file');
    expect(failure((await drain(files.read(folder, never))).error)).toMatchObject({
      code: 'unreadable_input',
      message: `cannot read ${folder}: it is a directory, not a file`,
    });
    expect(failure((await drain(files.read(missing, never))).error)).toMatchObject({
      code: 'unreadable_input',
      message: `cannot read ${missing}: no such file`,
      hint: 'Check the path.',
    });
  });

  test('an aborted signal ends reading between pieces', async () => {
    const path = write('long.txt', Buffer.alloc(1024 * 1024, 'x'));
    const controller = new AbortController();
    let seen = 0;
    const reading = async (): Promise<void> => {
      for await (const piece of files.read(path, controller.signal)) {
        seen += piece.length;
        controller.abort();
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen).toBeLessThan(1024 * 1024);
    expect(failure((await drain(files.read(path, controller.signal))).error).code).toBe('interrupted');
  });

  test.skipIf(process.platform !== 'linux')('a reader that stops early closes the file', async () => {
    const path = write('stop.txt', Buffer.alloc(200_000, 'x'));
    const held = openSync(path, 'r');
    expect(openFiles()).toContain(path);
    closeSync(held);
    for (let i = 0; i < 50; i += 1) {
      for await (const piece of files.read(path, never)) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    }
    expect(openFiles()).not.toContain(path);
  });
});

describe('gzip', () => {
  test('is known by its magic number, not by its name', async () => {
    const text = prose(5000);
    const path = write('zipped.txt', gzipSync(text));
    expect((await drain(files.read(path, never))).bytes.toString()).toBe(text);
    expect((await drain(files.bytes(path, never))).bytes.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  });

  test('of several members and with zero padding is one text', async () => {
    const [a, b, c] = [prose(3000), '', prose(10)];
    const padding = Buffer.alloc(40_000);
    const path = write('members.gz', Buffer.concat([gzipSync(a), gzipSync(b), gzipSync(c), padding]));
    const { bytes, error } = await drain(files.read(path, never));
    expect(error).toBeUndefined();
    expect(bytes.toString() === a + b + c).toBe(true);
  });

  test('a member that ends where a piece of input ends does not end the text', async () => {
    const filler = (size: number): Buffer => gzipSync(randomBytes(size), { level: 0 });
    const overhead = filler(16_000).length - 16_000;
    const first = filler(16 * 1024 - overhead);
    expect(first).toHaveLength(16 * 1024);
    const path = write('boundary.gz', Buffer.concat([first, gzipSync('the second member')]));
    const { bytes, error } = await drain(files.read(path, never));
    expect(error).toBeUndefined();
    expect(bytes.subarray(-17).toString()).toBe('the second member');
  });

  test('of very repetitive text comes in bounded pieces', async () => {
    const path = write('bomb.gz', gzipSync(Buffer.alloc(20 * 1024 * 1024)));
    let total = 0;
    let largest = 0;
    for await (const piece of files.read(path, never)) {
      total += piece.length;
      largest = Math.max(largest, piece.length);
    }
    expect(total).toBe(20 * 1024 * 1024);
    expect(largest).toBeLessThan(18 * 1024 * 1024);
  });

  test('that is truncated gives every byte before the cut, then fails', async () => {
    const text = prose(6000);
    const zipped = gzipSync(text);
    for (const cut of [2, 9, 11, 4000, 16 * 1024, 60_000, zipped.length - 8, zipped.length - 1]) {
      const path = write('cut.gz', zipped.subarray(0, cut));
      const { bytes, error } = await drain(files.read(path, never));
      expect(failure(error)).toMatchObject({
        code: 'unreadable_input',
        message: `${path} is a gzip file that ends too early`,
      });
      expect(text.startsWith(bytes.toString())).toBe(true);
      // Random base64 of 12 bytes compresses to about three quarters.
      expect(bytes.length).toBeGreaterThanOrEqual(Math.max(0, (cut - 700) * 1.1));
      if (cut >= zipped.length - 8) expect(bytes.toString()).toBe(text);
    }
  });

  test('with a wrong checksum gives the whole text, then fails', async () => {
    const text = prose(20);
    const zipped = gzipSync(text);
    zipped[zipped.length - 6] = (zipped.at(-6) ?? 0) ^ 0xff;
    const path = write('checksum.gz', zipped);
    const { bytes, error } = await drain(files.read(path, never));
    expect(bytes.toString()).toBe(text);
    expect(failure(error).message).toBe(`${path} is a corrupt gzip file`);
  });

  test('with foreign bytes after the first member gives that member, then fails', async () => {
    const text = prose(100);
    const path = write('trailing.gz', Buffer.concat([gzipSync(text), Buffer.from('not gzip at all')]));
    const { bytes, error } = await drain(files.read(path, never));
    expect(bytes.toString()).toBe(text);
    expect(failure(error).code).toBe('unreadable_input');
  });

  test('damaged in the middle gives what lies before the damage', async () => {
    const first = prose(3000);
    const second = gzipSync('never to be seen');
    second[10] = 0xff; // a block type that does not exist
    const path = write('middle.gz', Buffer.concat([gzipSync(first), second, gzipSync(prose(100))]));
    const { bytes, error } = await drain(files.read(path, never));
    expect(bytes.toString()).toBe(first);
    expect(failure(error).message).toContain('corrupt gzip');
  });

  test('cut inside its header has nothing to give', async () => {
    const { bytes, error } = await drain(files.read(write('header.gz', Buffer.from([0x1f, 0x8b, 9, 0])), never));
    expect(bytes).toHaveLength(0);
    expect(failure(error).code).toBe('unreadable_input');
  });

  test('stops when the signal is aborted', async () => {
    const controller = new AbortController();
    const path = write('abort.gz', gzipSync(randomBytes(300_000)));
    const reading = async (): Promise<void> => {
      for await (const piece of files.read(path, controller.signal)) {
        expect(piece.length).toBeGreaterThan(0);
        controller.abort();
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'interrupted' });
  });
});
