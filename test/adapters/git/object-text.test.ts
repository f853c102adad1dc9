import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { millisecondsOf, parseCommit, parseTag } from '../../../src/lib/adapters/git/object-text.ts';

const WHO = 'Ada Example <ada@example.org> 1700000000 +0530';

describe('parseCommit', () => {
  it('reads parents, people and message past a signature', () => {
    const text = `tree 1\nparent 2\nparent 3\nauthor ${WHO}\ncommitter ${WHO}\ngpgsig -----BEGIN\n author no\n \n -----END\n\nsubject\n\nparent 4\n`;
    const ada = { name: 'Ada Example', time: 1_700_000_000_000 };
    expect(parseCommit(Buffer.from(text))).toEqual({
      parents: ['2', '3'],
      author: ada,
      committer: ada,
      message: 'subject\n\nparent 4\n',
    });
  });

  it('decodes by the encoding field', () => {
    const text = 'author \xc5ke <a@example.org> 1 +0000\ncommitter x <> 2 +0000\nencoding ISO-8859-15\n\n\xa4\n';
    const commit = parseCommit(Buffer.from(text, 'latin1'));
    expect(commit.author.name).toBe('Åke');
    expect(commit.message).toBe('€\n');
  });

  it.each([
    [' <> 5 +0000', { name: '', time: 5000 }],
    ['<a@b> 5 +0000', { name: '', time: 5000 }],
    ['Ada <a <b> c> 5 +0000', { name: 'Ada', time: 5000 }],
    ['Ada <a@b>', { name: 'Ada', time: 0 }],
    ['Ada <a@b> -5 +0000', { name: 'Ada', time: 0 }],
    ['Ada <a@b> 99999999999999 +0000', { name: 'Ada', time: 0 }],
    ['Ada <a@b> soon', { name: 'Ada', time: 0 }],
    ['Ada', { name: 'Ada', time: 0 }],
  ])('reads the author %j', (line, author) => {
    expect(parseCommit(Buffer.from(`author ${line}\n\n`)).author).toEqual(author);
  });

  it('reads anything', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const commit = parseCommit(Buffer.from(bytes));
        expect(commit.author.time).toBeGreaterThanOrEqual(0);
        expect(parseTag(Buffer.from(bytes)).message.length).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

describe('millisecondsOf', () => {
  it('believes dates from 1970 to 9999', () => {
    expect(millisecondsOf('0')).toBe(0);
    expect(new Date(millisecondsOf('253402300799')).toISOString()).toBe('9999-12-31T23:59:59.000Z');
    expect(['253402300800', '18446744073709551615', '-1', '1e3', '0x10', ''].map(millisecondsOf)).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  });
});

describe('parseTag', () => {
  const tag = (message: string): string => `object 1\ntype commit\ntag v1\ntagger ${WHO}\n\n${message}`;

  it('reads target, tagger and message', () => {
    expect(parseTag(Buffer.from(tag('one\n\ntwo\n')))).toEqual({
      target: '1',
      tagger: { name: 'Ada Example', time: 1_700_000_000_000 },
      message: 'one\n\ntwo\n',
    });
    expect(parseTag(Buffer.from('object 1\ntype commit\ntag v1\n\nold\n')).tagger).toBeNull();
  });

  it.each(['PGP SIGNATURE', 'PGP MESSAGE', 'SSH SIGNATURE', 'SIGNED MESSAGE'])('leaves out a signature: %s', (kind) => {
    const quoted = `-----BEGIN ${kind}----- is how it starts\n`;
    const signature = `-----BEGIN ${kind}-----\n\nAAAA\n-----END ${kind}-----\n`;
    expect(parseTag(Buffer.from(tag(`one\n${quoted}${signature}`))).message).toBe(`one\n${quoted}`);
    expect(parseTag(Buffer.from(tag(` ${signature}`))).message).toBe(` ${signature}`);
  });
});
