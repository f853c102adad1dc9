import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from '../../../src/lib/adapters/git/byte-reader.ts';

async function* chunksOf(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
    await Promise.resolve();
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe('ByteReader', () => {
  it('gives the same records however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 12 })), sizes, async (texts, pieces) => {
        const records = texts.map((text) => text.replaceAll('\n', ' '));
        const reader = new ByteReader(chunksOf(Buffer.from(records.map((record) => `${record}\n`).join('')), pieces));
        for (const record of records) {
          const read = reader.recordNow(10, 1000) ?? (await reader.record(10, 1000));
          expect(read?.toString()).toBe(record);
        }
        expect(await reader.record(10, 1000)).toBeNull();
        expect(await reader.peek()).toBe(-1);
      }),
    );
  });

  it('keeps one byte more than the limit of a longer record, and goes on after it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 20 }),
        sizes,
        async (length, limit, pieces) => {
          const reader = new ByteReader(chunksOf(Buffer.from(`${'a'.repeat(length)}\nnext\n`), pieces));
          const read = reader.recordNow(10, limit) ?? (await reader.record(10, limit));
          expect(read?.length).toBe(Math.min(length, limit + 1));
          expect((await reader.record(10, 100))?.toString()).toBe('next');
        },
      ),
    );
  });

  it('counts bytes over chunks, and keeps the first of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 60 }),
        fc.nat(60),
        fc.nat(60),
        sizes,
        async (array, count, keep, pieces) => {
          const bytes = Buffer.from(array);
          const reader = new ByteReader(chunksOf(bytes, pieces));
          const read = await reader.exactly(count, keep);
          expect(read).toEqual(count <= bytes.length ? bytes.subarray(0, Math.min(count, keep)) : null);
          if (count <= bytes.length) expect(await reader.rest(100)).toEqual(bytes.subarray(count));
        },
      ),
    );
  });

  it('takes a stream that breaks for one that ends', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('half');
      await Promise.reject(new Error('destroyed'));
    }
    expect(await new ByteReader(broken()).record(10, 100)).toBeNull();
  });
});
