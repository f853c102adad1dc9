import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePath, decodeText } from '../../../src/lib/adapters/git/text.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('decodeText', () => {
  it('gives UTF-8 as it is, a byte order mark included', () => {
    expect(decodeText(Buffer.from('\uFEFFnaïve 日本'))).toBe('\uFEFFnaïve 日本');
  });

  it('takes what is not UTF-8 for windows-1252', () => {
    expect(decodeText(latin1('\x80\x93na\xefve\x94\x81'))).toBe('€“naïve”\u0081');
  });

  it('uses a label that is known and fits', () => {
    expect(decodeText(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'Shift_JIS')).toBe('日本');
    expect(decodeText(latin1('\x80\xe9'), 'ISO-8859-1')).toBe('€é');
    expect(decodeText(Buffer.from('é'), 'no-such-encoding')).toBe('é');
    expect(decodeText(latin1('\xe9'), 'UTF-8')).toBe('é');
  });

  it('decodes all bytes to something', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = decodeText(bytes);
        expect(text.length === 0).toBe(bytes.length === 0);
        expect(text.includes('\uFFFD')).toBe(isUtf8(bytes) && Buffer.from(bytes).toString().includes('\uFFFD'));
      }),
    );
  });
});

describe('decodePath', () => {
  it('gives valid UTF-8 as it is, also a percent sign', () => {
    expect(decodePath(Buffer.from('100% é\n\t"\\'))).toBe('100% é\n\t"\\');
  });

  it('escapes invalid bytes, and percent signs beside them', () => {
    expect(decodePath(Buffer.concat([Buffer.from('é%/'), latin1('caf\xe9'), Buffer.from('日')]))).toBe('é%25/caf%E9日');
    expect(decodePath(latin1('\xf0\x9f\x98'))).toBe('%F0%9F%98');
  });

  it('can be turned back into the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (array) => {
        const bytes = Buffer.from(array);
        fc.pre(!isUtf8(bytes));
        const parts = decodePath(bytes).split(/(%[0-9A-F]{2})/);
        const back = parts.map((part, at) =>
          at % 2 === 1 ? latin1(String.fromCharCode(parseInt(part.slice(1), 16))) : Buffer.from(part),
        );
        expect(Buffer.concat(back)).toEqual(bytes);
      }),
    );
  });
});
