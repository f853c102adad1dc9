import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/lib/cli/display-width.ts';
import { hyperlink, oneLine, relativeAge, terminalOf, truncate, wantsColor } from '../../src/lib/cli/terminal.ts';

const NONE = {
  noColor: undefined,
  forceColor: undefined,
  cliColorForce: undefined,
  cliColor: undefined,
  term: 'xterm',
};
const TTY = { isTTY: true, columns: 100 };
const PIPE = { isTTY: false, columns: undefined };

describe('colour', () => {
  it.each([
    ['a terminal', {}, TTY, true],
    ['a pipe', {}, PIPE, false],
    ['a dumb terminal', { term: 'dumb' }, TTY, false],
    ['CLICOLOR=0', { cliColor: '0' }, TTY, false],
    ['NO_COLOR', { noColor: '1' }, TTY, false],
    ['empty NO_COLOR', { noColor: '' }, TTY, true],
    ['NO_COLOR over CLICOLOR_FORCE', { noColor: '1', cliColorForce: '1', forceColor: '1' }, TTY, false],
    ['CLICOLOR_FORCE in a pipe', { cliColorForce: '1' }, PIPE, true],
    ['CLICOLOR_FORCE=0 in a pipe', { cliColorForce: '0' }, PIPE, false],
    ['FORCE_COLOR in a pipe', { forceColor: '3' }, PIPE, true],
    ['FORCE_COLOR=0 on a terminal', { forceColor: '0' }, TTY, false],
  ])('with %s', (_, environment, stream, expected) => {
    expect(wantsColor({ ...NONE, ...environment }, stream)).toBe(expected);
    const { style } = terminalOf({ ...NONE, ...environment }, stream);
    expect(style.bold('x') !== 'x').toBe(expected);
    expect(stripVTControlCharacters(style.match(style.dim('x')))).toBe('x');
    expect(style.bold('')).toBe('');
  });

  it('never brings a limit to what is piped', () => {
    expect(terminalOf({ ...NONE, forceColor: '1' }, PIPE).width).toBeNull();
    expect(terminalOf(NONE, TTY).width).toBe(100);
    expect(terminalOf(NONE, { isTTY: true, columns: undefined }).width).toBe(80);
  });
});

describe('displayWidth', () => {
  it.each([
    ['plain', 5],
    ['', 0],
    ['日本語', 6],
    ['한국어', 6],
    ['ｱｲｳ', 3],
    ['Ａ', 2],
    ['e\u0301', 1],
    ['👨‍👩‍👧', 2],
    ['🇯🇵', 2],
    ['✔️', 2],
    ['⚠', 1],
    ['a\u200Bb', 2],
    ['カ゛', 4],
  ])('%s takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });
});

describe('truncate', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });

  it('fits, keeps a beginning and says that it cut', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (full, width) => {
        const cut = truncate(full, width);
        expect(displayWidth(cut)).toBeLessThanOrEqual(Math.max(width, displayWidth(full) <= width ? width : 1));
        if (displayWidth(full) <= width) expect(cut).toBe(full);
        else {
          expect(cut.endsWith('…')).toBe(true);
          expect(full.startsWith(cut.slice(0, -1))).toBe(true);
        }
        expect(truncate(full, null)).toBe(full);
      }),
    );
  });
});

describe('text of strangers', () => {
  it('stays on its line and cannot steer the terminal', () => {
    expect(oneLine('\u001B[31mred\u001B[0m\n\ttitle\u202E \u0007')).toBe('[31mred[0m title');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(oneLine(text)).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
      }),
    );
  });

  it('becomes a link only where it is one', () => {
    const terminal = { ...terminalOf(NONE, TTY), hyperlinks: true };
    expect(hyperlink(terminal, 'x', 'https://github.com/a/b')).toBe(
      '\u001B]8;;https://github.com/a/b\u001B\\x\u001B]8;;\u001B\\',
    );
    expect(hyperlink(terminal, 'x', 'https://a\u001B\\b')).toBe('x');
    expect(hyperlink(terminal, 'x', 'file:///etc/passwd')).toBe('x');
    expect(hyperlink(terminalOf(NONE, TTY), 'x', 'https://github.com/a/b')).toBe('x');
  });
});

describe('relativeAge', () => {
  const day = 86_400_000;
  it.each([
    [0, 'just now'],
    [59_999, 'just now'],
    [60_000, '1 minute ago'],
    [3 * 3_600_000, '3 hours ago'],
    [day, '1 day ago'],
    [29 * day, '29 days ago'],
    [31 * day, '1 month ago'],
    [800 * day, '2 years ago'],
    [-3 * day, 'in 3 days'],
  ])('%i ms is %s', (age, words) => {
    expect(relativeAge(10 ** 12 - age, 10 ** 12)).toBe(words);
  });
});
