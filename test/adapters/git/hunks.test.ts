import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from '../../../src/lib/adapters/git/byte-reader.ts';
import { PATCH_TEXT_LIMIT, readHunks } from '../../../src/lib/adapters/git/hunks.ts';

function readerOf(text: string | Buffer, size = 7): ByteReader {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) {
      yield bytes.subarray(at, at + size);
      await Promise.resolve();
    }
  }
  return new ByteReader(chunks());
}

// What a line of a hostile file may be.
const content = fc.oneof(
  fc.constantFrom(
    '',
    'diff --git a/x b/x',
    '@@ -1 +1 @@',
    '--- a/x',
    '+++ b/x',
    'end',
    ':100644',
    '\\ No newline at end of file',
    '\0',
    '\r',
  ),
  fc.string({ maxLength: 10 }).map((text) => text.replaceAll('\n', ' ')),
);
const line = fc.tuple(fc.constantFrom(' ', '+', '-'), content).map(([kind, text]) => kind + text);
const hunk = fc.tuple(fc.array(line, { minLength: 1, maxLength: 8 }), fc.boolean()).map(([lines, unended]) => {
  const before = lines.filter((text) => !text.startsWith('+')).length;
  const after = lines.filter((text) => !text.startsWith('-')).length;
  const header = `@@ -3,${String(before)} +4${after === 1 ? '' : `,${String(after)}`} @@ heading`;
  return { lines, text: [header, ...lines, ...(unended ? ['\\ No newline at end of file'] : [])].join('\n') };
});

describe('readHunks', () => {
  it('ends where the numbers say, whatever the lines look like', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hunk, { maxLength: 4 }), fc.integer({ min: 1, max: 30 }), async (hunks, size) => {
        const text = hunks.map((each) => each.text).join('\n');
        const reader = readerOf(`${text}${text === '' ? '' : '\n'}diff --git a/next b/next\n`, size);
        const lines = hunks.flatMap((each) => each.lines);
        expect(await readHunks(reader, PATCH_TEXT_LIMIT)).toEqual({
          text,
          additions: lines.filter((each) => each.startsWith('+')).length,
          deletions: lines.filter((each) => each.startsWith('-')).length,
        });
        expect((await reader.record(10, 100))?.toString()).toBe('diff --git a/next b/next');
      }),
    );
  });

  it('counts the lines of a text over the limit without keeping it', async () => {
    const lines = Array.from({ length: 50 }, (_, at) => `+${'x'.repeat(at * 10)}`).join('\n');
    const reader = readerOf(`@@ -0,0 +1,50 @@\n${lines}\nnext\n`, 100);
    expect(await readHunks(reader, 1000)).toEqual({ text: null, additions: 50, deletions: 0 });
    expect((await reader.record(10, 100))?.toString()).toBe('next');
  });

  it('keeps a text that just fits', async () => {
    const text = '@@ -0,0 +1 @@\n+12345';
    expect((await readHunks(readerOf(`${text}\n`), text.length + 1))?.text).toBe(text);
    expect((await readHunks(readerOf(`${text}\n`), text.length))?.text).toBeNull();
    expect((await readHunks(readerOf(`${text}\n`), 0))?.additions).toBe(1);
  });

  it('decodes a patch that is not UTF-8 as windows-1252', async () => {
    const reader = readerOf(Buffer.from('@@ -0,0 +1 @@\n+caf\xe9 \x80\n', 'latin1'));
    expect((await readHunks(reader, 1000))?.text).toBe('@@ -0,0 +1 @@\n+café €');
  });

  it.each([
    '@@ -1 +1 @@\n-a\n',
    '@@ -1 +1 @@\n-a\n+b',
    '@@ x @@\n',
    '@@ -1 +1 @@\nwhat\n',
    '@@ -1,1 +1,2 @@\n+a\n+b\n a\n',
  ])('gives null for %j, which ends early or is no hunk', async (text) => {
    expect(await readHunks(readerOf(text), 1000)).toBeNull();
  });
});
