import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, MAX_LINE_BYTES, readLines } from '../../src/lib/ingest/lines.ts';

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    yield await Promise.resolve(bytes.subarray(at, at + size));
    at += size;
  }
}

async function lines(bytes: Uint8Array | string, sizes: readonly number[] = [64], maxBytes?: number): Promise<Line[]> {
  const found: Line[] = [];
  for await (const line of readLines(inPieces(Buffer.from(bytes), sizes), maxBytes)) found.push(line);
  return found;
}

const texts = async (bytes: Uint8Array | string): Promise<(string | null)[]> =>
  (await lines(bytes)).map((line) => line.text);

describe('lines', () => {
  test('are numbered from 1, blank ones too', async () => {
    expect(await lines('a\n\nb\n')).toEqual([
      { number: 1, text: 'a', complete: true },
      { number: 2, text: '', complete: true },
      { number: 3, text: 'b', complete: true },
    ]);
    expect(await lines('')).toEqual([]);
  });

  test('a last line without line feed is marked', async () => {
    expect(await lines('a\nb')).toEqual([
      { number: 1, text: 'a', complete: true },
      { number: 2, text: 'b', complete: false },
    ]);
  });

  test('CRLF and a byte order mark are no part of a line', async () => {
    expect(await texts('\uFEFFa\r\n\uFEFFb\r\nc\rd\r\n')).toEqual(['a', 'b', 'c\rd']);
    expect(await texts('\uFEFF')).toEqual(['']);
  });

  test('invalid UTF-8 becomes replacement characters', async () => {
    expect(await texts(Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe3, 0x81, 0x0a]))).toEqual(['a\uFFFDb', '\uFFFD']);
  });

  test('a line over the limit is skipped, its neighbours are not', async () => {
    const source = `before\n${'x'.repeat(33)}\n${'y'.repeat(32)}\nafter`;
    expect(await lines(source, [7], 32)).toEqual([
      { number: 1, text: 'before', complete: true },
      { number: 2, text: null, complete: true },
      { number: 3, text: 'y'.repeat(32), complete: true },
      { number: 4, text: 'after', complete: false },
    ]);
    expect((await lines('x'.repeat(50), [7], 32)).at(-1)).toEqual({ number: 1, text: null, complete: false });
  });

  test('a megabyte is a normal line, and 8 MiB is the limit', async () => {
    const [megabyte] = await lines(`${'m'.repeat(1_000_000)}\n`, [65_536]);
    expect(megabyte?.text).toHaveLength(1_000_000);
    const [longest, tooLong] = await lines(`${'l'.repeat(MAX_LINE_BYTES)}\n${'t'.repeat(MAX_LINE_BYTES + 1)}\n`, [
      1024 * 1024,
    ]);
    expect(longest?.text).toHaveLength(MAX_LINE_BYTES);
    expect(tooLong).toEqual({ number: 2, text: null, complete: true });
  });

  test('a line that never ends is not held', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x61);
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 256; i += 1) yield await Promise.resolve(chunk.slice());
    }
    const before = process.memoryUsage().arrayBuffers;
    let count = 0;
    for await (const line of readLines(endless())) {
      expect(line.text).toBeNull();
      count += 1;
    }
    expect(count).toBe(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 * 1024 * 1024);
  });

  test('an error of the source passes through after the lines before it', async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('whole\nhal'));
      throw new Error('the source broke');
    }
    const found: Line[] = [];
    await expect(
      (async () => {
        for await (const line of readLines(breaking())) found.push(line);
      })(),
    ).rejects.toThrow('the source broke');
    expect(found).toEqual([{ number: 1, text: 'whole', complete: true }]);
  });

  test('any chunking gives the same lines', async () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r\n', '\r', '\uFEFF', 'é', '日本', '😀', '{"a":1}'),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 20 }).map((parts) => Buffer.from(parts.join(''))),
      fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(bytes, sizes, fc.integer({ min: 1, max: 40 }), async (source, chunks, limit) => {
        const whole = await lines(source, [Math.max(1, source.length)], limit);
        expect(await lines(source, chunks, limit)).toEqual(whole);
        const feeds = source.filter((byte) => byte === 0x0a).length;
        expect(whole).toHaveLength(feeds + (source.length > 0 && source.at(-1) !== 0x0a ? 1 : 0));
        expect(whole.map((line) => line.number)).toEqual(whole.map((_, i) => i + 1));
      }),
      { numRuns: 500 },
    );
  });

  test('lines joined again are the text they came from', async () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\uFEFF]/g, ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line), async (parts) => {
        expect(await texts(parts.map((part) => `${part}\n`).join(''))).toEqual(parts);
      }),
    );
  });
});
