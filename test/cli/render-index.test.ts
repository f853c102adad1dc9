import { describe, expect, it } from 'vitest';
import { renderIndex } from '../../src/lib/cli/render-index.ts';
import { terminalOf } from '../../src/lib/cli/terminal.ts';
import type { IndexedTarget, IndexOutput } from '../../src/lib/ingest/index-contract.ts';

const plain = terminalOf(
  { noColor: '1', forceColor: undefined, cliColorForce: undefined, cliColor: undefined, term: undefined },
  { isTTY: false, columns: undefined },
);

const target = (fields: Partial<IndexedTarget> = {}): IndexedTarget => ({
  target: 'export.jsonl',
  kind: 'export',
  repos: ['acme/app'],
  written: 0,
  unchanged: 0,
  removed: 0,
  skipped: {},
  warnings: {},
  problem_count: 0,
  problems: [],
  notes: [],
  failures: [],
  ...fields,
});

describe('what index prints', () => {
  it('is what was written, left out, odd and bad of each target', () => {
    const targets = [
      target({
        written: 12,
        unchanged: 3,
        removed: 1,
        skipped: { bot: 2, short: 5 },
        warnings: { 'line is not usable and was left out': 1, 'updated_at is not a time and was left out': 4 },
        problem_count: 22,
        problems: [{ line: 7, message: 'the line is not valid \u001B[31mJSON' }],
      }),
      target({ target: '.' }),
    ];
    expect(renderIndex({ dry_run: false, targets, embedding: null }, plain).split('\n')).toEqual([
      'export.jsonl as acme/app: 12 written, 3 unchanged, 1 removed',
      '  left out: 5 short, 2 bot',
      '  warnings: updated_at is not a time and was left out (4), line is not usable and was left out (1)',
      '  line 7: the line is not valid [31mJSON',
      '  and 21 more bad lines',
      '',
      '. as acme/app: nothing new',
      '',
    ]);
  });

  it('says what would be done in a dry run', () => {
    const text = renderIndex({ dry_run: true, targets: [target({ written: 2, removed: 1 })], embedding: null }, plain);
    expect(text).toBe('export.jsonl as acme/app: 2 would be written, 0 unchanged, 1 would be removed\n');
  });

  it('is what GitHub says: what is worth knowing, which part failed, and what is left of the limit', () => {
    const failure = { part: 'comments', code: 'rate_limited', message: 'no more requests', hint: 'Wait' } as const;
    const targets = [
      target({
        target: 'acme/app',
        kind: 'github',
        repos: ['acme/shop'],
        written: 3,
        notes: ['acme/app is acme/shop now'],
        failures: [failure],
        requests: { made: 1200, left: 3800, limit: 5000 },
      }),
    ];
    expect(renderIndex({ dry_run: false, targets, embedding: null }, plain).split('\n')).toEqual([
      'acme/app as acme/shop: 3 written, 0 unchanged',
      '  acme/app is acme/shop now',
      '  comments: no more requests (Wait)',
      '  1,200 requests to GitHub, 3,800 of 5,000 left',
      '',
    ]);
  });

  it('says what was embedded at the end, or why nothing was', () => {
    const told = (embedding: IndexOutput['embedding']): string =>
      renderIndex({ dry_run: false, targets: [target({ written: 1 })], embedding }, plain)
        .split('\n')
        .slice(1)
        .join('\n');
    expect(told(null)).toBe('');
    expect(told({ embedder: 'lsa-2-abc', passages: 0 })).toBe('');
    expect(told({ embedder: 'lsa-2-abc', passages: 1234 })).toBe('\n1,234 passages embedded by lsa-2-abc\n');
    expect(told({ embedder: 'e', passages: 0, problem: 'it is \u001B[31maway' })).toBe(
      '\nWithout vectors: it is [31maway\n',
    );
  });
});
