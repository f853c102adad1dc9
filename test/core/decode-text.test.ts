import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/lib/core/decode-text.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('the text of a file', () => {
  it('is read by its byte order mark, as UTF-8, or else as Windows-1252', () => {
    expect(decodeText(Buffer.from('Zürich 同期 😀'))).toBe('Zürich 同期 😀');
    expect(decodeText(bytes(0xff, 0xfe, 0x41, 0x00, 0xe9, 0x00))).toBe('Aé');
    expect(decodeText(bytes(0xfe, 0xff, 0x00, 0x41, 0x00, 0xe9))).toBe('Aé');
    expect(decodeText(bytes(0x80, 0x20, 0x93, 0xe9, 0x94))).toBe('€ “é”');
    expect(decodeText(bytes(0x81, 0x9f, 0xff))).toBe('\u0081Ÿÿ');
    expect(decodeText(bytes())).toBe('');
  });

  it('is none where there is a NUL among the first 8000 bytes', () => {
    expect(decodeText(bytes(0x41, 0x00, 0x42))).toBeUndefined();
    expect(decodeText(Buffer.concat([Buffer.alloc(8000, 0x41), bytes(0)]))).toHaveLength(8001);
  });

  it('is that of a view, not of the buffer behind it', () => {
    expect(decodeText(bytes(0x41, 0xe9, 0x42).subarray(1, 2))).toBe('é');
  });
});
