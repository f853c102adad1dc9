import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/lib/cli/display-width.ts';
import { cutRuns, markTerms, paintRuns, parseMarks, type Run, wrapRuns } from '../../src/lib/cli/marked-text.ts';
import { terminalOf } from '../../src/lib/cli/terminal.ts';

const environment = {
  noColor: undefined,
  forceColor: '1',
  cliColorForce: undefined,
  cliColor: undefined,
  term: undefined,
};
const { style } = terminalOf(environment, { isTTY: true, columns: 80 });
const text = (runs: readonly Run[]) => runs.map((run) => run.text).join('');
const marks = (runs: readonly Run[]) => runs.map((run) => (run.marked ? `«${run.text}»` : run.text)).join('');

const word = fc.string({ unit: fc.constantFrom('a', 'b', '日', 'é'), minLength: 1, maxLength: 6 });
const snippet = fc
  .array(
    fc.oneof(
      word,
      word.map((match) => `«${match}»`),
      fc.tuple(word, word).map(([a, b]) => `${a}«${b}»`),
    ),
    { maxLength: 20 },
  )
  .map((words) => words.join(' '));

describe('wrapRuns', () => {
  it('breaks between words, keeps every mark, and fits', () => {
    fc.assert(
      fc.property(snippet, fc.integer({ min: 24, max: 60 }), (marked, width) => {
        const lines = wrapRuns(parseMarks(marked), width, 100);
        expect(lines.map(marks).join(' ')).toBe(marked);
        for (const line of lines) expect(displayWidth(text(line))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('says at the end of the last line that there is more', () => {
    const lines = wrapRuns(parseMarks('one two «three» four five'), 9, 2);
    expect(lines.map(marks)).toEqual(['one two', '«three»…']);
    expect(wrapRuns(parseMarks('one two'), 9, 2).map(text)).toEqual(['one two']);
    expect(wrapRuns([], 9, 2).map(text)).toEqual(['']);
  });

  it('cuts a word that is wider than the line', () => {
    expect(wrapRuns(parseMarks('a «bbbbbbbbbbbb» c'), 6, 3).map(marks)).toEqual(['a', '«bbbbb»…', 'c']);
  });

  it('paints the space inside a match of two words', () => {
    expect(paintRuns(wrapRuns(parseMarks('the «v1 cache» lies'), 40, 1)[0] ?? [], style)).toBe(
      `the ${style.match('v1 cache')} lies`,
    );
  });
});

describe('markTerms', () => {
  it('marks whatever their case, and takes a term as it is', () => {
    expect(marks(markTerms('Drop the CACHE (v1.0)', ['cache', 'v1.0', '(']))).toBe('Drop the «CACHE» «(»«v1.0»)');
    expect(marks(markTerms('v1x0', ['v1.0']))).toBe('v1x0');
    expect(marks(markTerms('caches', ['cache', 'caches']))).toBe('«caches»');
    expect(markTerms('', ['a'])).toEqual([]);
  });

  it('never changes the text, and survives any term', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (title, terms) => {
        expect(text(markTerms(title, terms))).toBe(title);
      }),
    );
  });
});

it('cutRuns cuts inside a run and paints no escape in half', () => {
  const cut = cutRuns(parseMarks('«abcdef»ghi'), 4);
  expect(marks(cut)).toBe('«abc»…');
  expect(stripVTControlCharacters(paintRuns(cut, style))).toBe('abc…');
});
