import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codePointLength } from '../../src/lib/core/text.ts';
import { cutParagraphs, PIECE_SIZE } from '../../src/lib/indexing/paragraphs.ts';
import type { Piece } from '../../src/lib/indexing/piece.ts';

/** What holds for the pieces of any text: they are what they say, in order, cover everything, and are not too long. */
function expectExact(text: string, pieces: readonly Piece[], max = PIECE_SIZE.max): void {
  const codePoints = Array.from(text);
  let covered = 0;
  let offset = -1;
  for (const piece of pieces) {
    expect(piece.offset).toBeGreaterThan(offset);
    expect(piece.offset).toBeLessThanOrEqual(covered);
    expect(codePoints.slice(piece.offset, piece.offset + piece.length).join('')).toBe(piece.text);
    expect(piece.length).toBeLessThanOrEqual(max);
    const overlap = covered - piece.offset;
    expect(overlap).toBeLessThanOrEqual(Math.min(PIECE_SIZE.overlap, piece.length / 5));
    expect(piece.offset + piece.length).toBeGreaterThanOrEqual(covered);
    const before = codePoints.slice(0, piece.offset).filter((character) => character === '\n').length;
    const within = codePoints.slice(piece.offset, piece.offset + piece.length - 1).filter((c) => c === '\n').length;
    expect(piece.lines).toEqual(piece.length === 0 ? null : { start: before + 1, end: before + 1 + within });
    covered = piece.offset + piece.length;
    offset = piece.offset;
  }
  expect(covered).toBe(codePoints.length);
}

const chunk = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('word ', 'A sentence ends. ', 'line\n', '\n\n', '文が終わる。', '\t', 'x'.repeat(90)),
  },
  fc.constantFrom('```\n', '````js\n', '~~~\n', '  ```\n'),
  fc.constantFrom('\u{1f469}\u200d\u{1f4bb}', '\u{20000}', 'e\u0301\u0302', '\u{1f1e9}\u{1f1ea}'),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const text = fc
  .array(fc.tuple(chunk, fc.nat(60)), { maxLength: 60 })
  .map((chunks) => chunks.map(([chunk, times]) => chunk.repeat(times)).join(''));

test('pieces are exact, in order and cover every text', () => {
  fc.assert(
    fc.property(text, (text) => {
      expectExact(text, cutParagraphs(text));
    }),
    { numRuns: 200 },
  );
});

test('a text that fits is one piece, an empty one too', () => {
  expect(cutParagraphs('')).toEqual([{ headingPath: [], offset: 0, length: 0, lines: null, text: '' }]);
  const text = 'One.\n\nTwo.\n';
  expect(cutParagraphs(text)).toEqual([{ headingPath: [], offset: 0, length: 11, lines: { start: 1, end: 3 }, text }]);
  expect(cutParagraphs('\u{1f600}'.repeat(PIECE_SIZE.max))).toHaveLength(1);
});

test('cuts fall between paragraphs, near the target, and a short paragraph is repeated', () => {
  const paragraphs = Array.from(
    { length: 40 },
    (_, i) => `Paragraph ${String(i)} ${'says this and that '.repeat(6)}\n\n`,
  );
  const pieces = cutParagraphs(paragraphs.join(''));
  expect(pieces.length).toBeGreaterThan(3);
  for (const piece of pieces) {
    expect(piece.text).toMatch(/^Paragraph \d+ /);
    expect(piece.text).toMatch(/ \n\n$/);
    if (piece !== pieces.at(-1)) expect(Math.abs(piece.length - PIECE_SIZE.target)).toBeLessThan(300);
  }
  pieces.slice(1, -1).forEach((piece, i) => {
    const repeated = piece.text.slice(0, piece.text.indexOf('\n\n'));
    expect(pieces[i]?.text).toContain(repeated);
  });
});

test('a giant paragraph is cut after sentences, else lines, else words', () => {
  const sentences = cutParagraphs('The cache is dropped when the key changes. '.repeat(200));
  for (const piece of sentences) expect(piece.text).toMatch(/^The cache.*changes\. $/);
  const lines = cutParagraphs('a line without a stop\n'.repeat(400));
  for (const piece of lines) expect(piece.text).toMatch(/^a line[^]*stop\n$/);
  const words = cutParagraphs('word '.repeat(2000));
  for (const piece of words) expect(piece.text).toMatch(/^word .*word $/);
  const japanese = cutParagraphs('鍵が変わるとキャッシュは消える。'.repeat(300));
  for (const piece of japanese) expect(piece.text).toMatch(/^鍵.*。$/);
});

test('text without any boundary is cut between graphemes', () => {
  const family = '\u{1f469}\u200d\u{1f469}\u200d\u{1f466}';
  for (const piece of cutParagraphs(family.repeat(1500))) {
    expect(piece.text.startsWith('\u{1f469}\u200d\u{1f469}')).toBe(true);
    expect(piece.text.endsWith('\u{1f466}')).toBe(true);
  }
  const marks = `e${'\u0301'.repeat(9000)}`;
  expectExact(marks, cutParagraphs(marks));
});

test('a code block that fits is never cut; one that does not is cut at its lines', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: 1, max: 78 }),
      fc.nat(3000),
      (before, lines, after) => {
        const code = `\`\`\`\n${'let x = 1. + 2.\n\n'.repeat(lines)}\`\`\`\n`;
        const text = `${'prose. '.repeat(before / 7)}\n\n${code}\n${'more prose. '.repeat(after / 12)}`;
        expect(codePointLength(code)).toBeLessThanOrEqual(PIECE_SIZE.max);
        const pieces = cutParagraphs(text);
        expectExact(text, pieces);
        expect(pieces.some((piece) => piece.text.includes(code))).toBe(true);
        for (const piece of pieces) expect((piece.text.match(/^```$/gm) ?? []).length % 2).toBe(0);
      },
    ),
    { numRuns: 100 },
  );
  const giant = `Intro.\n\n\`\`\`\n${'let y = 2\n'.repeat(900)}\`\`\`\n`;
  const pieces = cutParagraphs(giant);
  expectExact(giant, pieces);
  for (const piece of pieces.slice(1, -1)) expect(piece.text).toMatch(/^let y = 2\n[^]*let y = 2\n$/);
});

test('one line of a megabyte is cut in linear time', () => {
  const million = 1 << 20;
  for (const line of ['x', 'word ', '\n', '. ', '\u{1f600}', '```\na\n```\n']) {
    const text = line.repeat(million / line.length);
    const started = process.cpuUsage();
    const pieces = cutParagraphs(text);
    const elapsed = process.cpuUsage(started).user / 1000;
    expect(pieces.reduce((length, piece) => length + piece.length, 0)).toBeGreaterThanOrEqual(codePointLength(text));
    // Far above what it takes (some 50 ms), far below what anything quadratic would.
    expect(elapsed, JSON.stringify(line)).toBeLessThan(2000);
  }
});
