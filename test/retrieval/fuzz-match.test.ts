import { expect, it } from 'vitest';
import { fuzzMatch } from '../../bench/fuzz-match.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 2000);

it(
  'no query is syntax: random ones find what holds their units, and themselves',
  () => {
    const { inputs, matches, failures } = fuzzMatch(runs, 20240229);
    console.error(
      `${String(inputs)} inputs, ${String(matches)} MATCH expressions, ${String(failures.length)} failures`,
    );
    expect(failures).toEqual([]);
    expect(inputs).toBe(runs);
    expect(matches).toBeGreaterThan(runs);
  },
  60_000 + runs * 30,
);
