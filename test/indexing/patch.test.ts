import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codePointLength } from '../../src/lib/core/text.ts';
import { PIECE_SIZE } from '../../src/lib/indexing/paragraphs.ts';
import { cutPatch } from '../../src/lib/indexing/patch.ts';

interface Line {
  readonly text: string;
  readonly old: number | null;
  readonly new: number | null;
}

const content = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replace(/[\n\r]/g, '')),
  fc.constantFrom('', '@@ -1,2 +3,4 @@', '-- a', '++ b', 'x'.repeat(300), '\u{1f600}'.repeat(1500)),
);
const hunk = fc.record({
  lines: fc.array(fc.tuple(fc.constantFrom(' ', '+', '-'), content), { minLength: 1, maxLength: 40 }),
  gap: fc.nat(30),
  context: fc.constantFrom('', 'function a() {', 'class \u{1f600} B:'),
});

/** Writes hunks as git does, and says which lines of the file each line of the patch is. */
const patch = fc.array(hunk, { minLength: 1, maxLength: 12 }).map((hunks): { lines: Line[] } => {
  const lines: Line[] = [];
  let old = 1;
  let now = 1;
  for (const { lines: changes, gap, context } of hunks) {
    old += gap;
    now += gap;
    const olds = changes.filter(([mark]) => mark !== '+').length;
    const news = changes.filter(([mark]) => mark !== '-').length;
    const range = (start: number, count: number): string => {
      return count === 1 ? String(start) : `${String(count === 0 ? start - 1 : start)},${String(count)}`;
    };
    const head = `@@ -${range(old, olds)} +${range(now, news)} @@${context === '' ? '' : ` ${context}`}`;
    lines.push({ text: head, old: null, new: null });
    for (const [mark, text] of changes) {
      lines.push({ text: mark + text, old: mark === '+' ? null : old, new: mark === '-' ? null : now });
      if (mark !== '+') old += 1;
      if (mark !== '-') now += 1;
    }
  }
  return { lines };
});

test('groups cover the patch in order, and say which lines of the file they show', () => {
  fc.assert(
    fc.property(patch, ({ lines }) => {
      const text = `${lines.map((line) => line.text).join('\n')}\n`;
      const pieces = cutPatch(text);
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      let offset = 0;
      let at = 0;
      for (const piece of pieces) {
        expect(piece.offset).toBe(offset);
        expect(piece.length).toBe(codePointLength(piece.text));
        expect(piece.length).toBeLessThanOrEqual(PIECE_SIZE.max);
        offset += piece.length;
        const first = at;
        const newlines = piece.text.split('\n').length - 1;
        const endsLine = piece.text.endsWith('\n');
        const shown = lines.slice(first, first + newlines + (endsLine ? 0 : 1));
        at = first + newlines;
        const news = shown.flatMap((line) => line.new ?? []);
        const olds = shown.flatMap((line) => line.old ?? []);
        const side = news.length > 0 ? news : olds;
        const expected = side.length === 0 ? null : { start: Math.min(...side), end: Math.max(...side) };
        expect(piece.lines).toEqual(expected);
      }
    }),
    { numRuns: 200 },
  );
});

test('small hunks are one passage, with their function where they share it', () => {
  const hunk = (line: number, context: string): string =>
    `@@ -${String(line)},2 +${String(line)},2 @@${context}\n a\n-b\n+c\n`;
  const one = cutPatch(hunk(10, ' run()') + hunk(40, ' run()'));
  expect(one.map(({ headingPath, lines }) => ({ headingPath, lines }))).toEqual([
    { headingPath: ['run()'], lines: { start: 10, end: 41 } },
  ]);
  expect(cutPatch(hunk(10, ' run()') + hunk(40, ' stop()'))[0]?.headingPath).toEqual([]);
  expect(cutPatch(hunk(10, ''))[0]?.headingPath).toEqual([]);
});

test('a deleted file shows the lines it had, a combined patch those of the merge', () => {
  expect(cutPatch('@@ -1,2 +0,0 @@\n-a\n-b\n')[0]?.lines).toEqual({ start: 1, end: 2 });
  expect(cutPatch('@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n')[0]?.lines).toEqual({ start: 1, end: 1 });
  expect(cutPatch('@@@ -1,2 -1,2 +5,2 @@@ f()\n- a\n -b\n++c\n  d\n')[0]).toMatchObject({
    headingPath: ['f()'],
    lines: { start: 5, end: 6 },
  });
});

test('a header inside a line that a carriage return split is content', () => {
  const [piece, ...more] = cutPatch('@@ -1,2 +1,2 @@ f\n a\n+b\n@@ -90,2 +90,2 @@\n-c\n');
  expect(more).toEqual([]);
  expect(piece?.lines).toEqual({ start: 1, end: 2 });
});

test('a giant hunk is cut at its lines, a giant line within itself', () => {
  const added = Array.from({ length: 500 }, (_, i) => `+line ${String(i + 1)} of the new file\n`).join('');
  const pieces = cutPatch(`@@ -0,0 +1,500 @@\n${added}`);
  expect(pieces.length).toBeGreaterThan(8);
  for (const piece of pieces.slice(1)) {
    expect(piece.text.startsWith(`+line ${String(piece.lines?.start)} of`)).toBe(true);
    expect(piece.text.trimEnd().split('\n').at(-1)).toBe(`+line ${String(piece.lines?.end)} of the new file`);
  }
  const started = process.cpuUsage();
  const minified = cutPatch(`@@ -1 +1 @@\n-x\n+${'\u{1f600}y'.repeat(350_000)}\n`);
  expect(minified.at(-1)?.lines).toEqual({ start: 1, end: 1 });
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000);
});

test('what has no hunk is one passage without lines', () => {
  expect(cutPatch('')).toEqual([{ headingPath: [], offset: 0, length: 0, lines: null, text: '' }]);
  expect(cutPatch('Binary files differ\n')).toMatchObject([{ length: 20, lines: null }]);
});
