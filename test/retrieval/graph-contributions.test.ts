import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Parameters } from '../../src/lib/corpus/filters.ts';
import { change, query } from '../../src/lib/engine/database.ts';
import type { Contribution } from '../../src/lib/feedback/credit.ts';
import { contributionsTo, decodeContributions } from '../../src/lib/feedback/learned-strength.ts';
import { github, MemoryWorld } from '../feedback/memory.ts';

const INSERT = `INSERT INTO credits (principal_id, repo, src_slug, dst_slug, edge_kind, src_node, dst_node, trace_seq, confirmation_id, delta, created_at)
  SELECT id, 'acme/app', '#1', ?3, 'reference', 'a', 'b', (SELECT seq FROM traces), 'rcp', ?1, ?2 FROM principals`;

it('contributions come out of the database to the last bit, in the order of their commit', async () => {
  const world = await MemoryWorld.of([]);
  try {
    await world.as(github(1)).search({ query: 'anything' });
    const delta = fc.double({ min: 0, max: 5, noNaN: true, minExcluded: true });
    const at = fc.integer({ min: 1, max: 8_640_000_000_000_000 });
    const small = fc.double({ min: 0, max: 1e-300, noNaN: true, minExcluded: true });
    const contribution = fc.record({ delta: fc.oneof(delta, small), at });
    await fc.assert(
      fc.asyncProperty(fc.array(contribution, { minLength: 1, maxLength: 60 }), async (given) => {
        await world.test.database.write([
          change('DELETE FROM credits'),
          ...given.map((each, nth) => change(INSERT, [each.delta, each.at, `#${String(nth)}`])),
        ]);
        const parameters = new Parameters();
        const text = contributionsTo('e', { principal: github(1), now: 0 }, parameters);
        const [[found]] = await world.test.database.read([
          query(
            `SELECT ${text} AS found FROM (SELECT 'a' AS src, 'b' AS dst, 'reference' AS kind) AS e`,
            parameters.values,
            (row): Contribution[] => decodeContributions(String(row.found)),
          ),
        ]);
        expect(found).toEqual(given);
      }),
      { numRuns: 60 },
    );
  } finally {
    await world.remove();
  }
});

it('an edge without any has none', () => {
  expect(decodeContributions(null)).toEqual([]);
});
