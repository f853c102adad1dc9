import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/lib/cli/display-width.ts';
import { formatDuration, grouped, type ProgressOptions, terminalProgress } from '../../src/lib/cli/progress.ts';
import { TestClock } from '../support/database.ts';

const CLEAR = '\r\u001B[2K';
let clock: TestClock;
let written: string;

beforeEach(() => {
  clock = new TestClock();
  written = '';
});

function progress(options: Partial<ProgressOptions>) {
  return terminalProgress({ write: (text) => (written += text), clock, mode: 'line', columns: () => 60, ...options });
}

/** What a terminal shows: each line after its last clearing. */
function screen(): string {
  return written
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf(CLEAR) + (line.includes(CLEAR) ? CLEAR.length : 0)))
    .join('\n');
}

describe('on a terminal', () => {
  it('updates one line with rate and time left, and clears it at the end', () => {
    const shown = progress({});
    const step = shown.start('commits', 5000);
    expect(screen()).toBe('commits  0/5,000  0%');
    clock.ms += 2000;
    step.advance(1200);
    expect(screen()).toBe('commits  1,200/5,000  24%  600/s  6 s left');
    shown.end();
    expect(screen()).toBe('');
    expect(written).not.toContain('\n');
  });

  it('draws at most ten times a second, whatever is reported', () => {
    const shown = progress({});
    const step = shown.start('commits', 1000);
    for (let done = 1; done <= 1000; done += 1) {
      clock.ms += 1;
      step.advance(done);
    }
    expect(written.split(CLEAR).length - 1).toBe(11);
  });

  it('keeps remarks on the screen, and the line below them', () => {
    const shown = progress({});
    const step = shown.start('files');
    clock.ms += 1000;
    step.advance(3);
    shown.note('left out\nbin/\u001B[31mtool');
    expect(screen()).toBe('left out bin/[31mtool\nfiles  3  3.0/s');
    step.end();
    shown.start('tags');
    expect(screen()).toBe('left out bin/[31mtool\ntags');
  });

  it('shows steps that are under way at the same time side by side', () => {
    const shown = progress({});
    const commits = shown.start('commits', 5000);
    const docs = shown.start('docs', 20);
    expect(screen()).toBe('commits  0/5,000  0%  ·  docs  0/20  0%');
    clock.ms += 1000;
    docs.advance(20);
    docs.end();
    expect(screen()).toBe('commits  0/5,000  0%');
    clock.ms += 1000;
    commits.advance(500);
    docs.end();
    expect(screen()).toBe('commits  500/5,000  10%  250/s  18 s left');
  });

  it('never fills the last column, so that no terminal wraps', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 5, max: 200 }),
        fc.nat(10 ** 9),
        (name, columns, done) => {
          written = '';
          const shown = progress({ columns: () => columns });
          const step = shown.start(name, 10 ** 9);
          clock.ms += 1000;
          step.advance(done);
          expect(displayWidth(screen())).toBeLessThan(columns);
        },
      ),
    );
  });

  it('survives a clock that runs backwards', () => {
    const shown = progress({});
    const step = shown.start('commits', 10);
    clock.ms -= 5000;
    step.advance(5);
    expect(screen()).toBe('commits  5/10  50%');
    shown.end();
  });
});

describe('elsewhere', () => {
  it('says one plain line per finished step', () => {
    const shown = progress({ mode: 'steps' });
    const step = shown.start('commits', 5000);
    clock.ms += 6000;
    step.advance(5000);
    step.end();
    step.end();
    shown.start('tags');
    shown.end();
    shown.end();
    expect(written).toBe('commits: 5,000 in 6 s (833/s)\ntags: 0 in <1 s\n');
  });

  it('says remarks only when quiet', () => {
    const shown = progress({ mode: 'quiet' });
    const step = shown.start('commits', 10);
    step.advance(10);
    shown.note('one line was skipped');
    shown.end();
    expect(written).toBe('one line was skipped\n');
  });
});

it.each([
  [0.2, '<1 s'],
  [59.6, '1 min'],
  [125, '2 min 5 s'],
  [3600, '1 h'],
  [7500, '2 h 5 min'],
])('%d seconds are %s', (seconds, words) => {
  expect(formatDuration(seconds)).toBe(words);
});

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1234567, '1,234,567'],
])('%i is written %s', (count, text) => {
  expect(grouped(count)).toBe(text);
});
