import fc from 'fast-check';
import { expect, it } from 'vitest';
import { batchesOf } from '../../../src/lib/adapters/embedders/batches.ts';

const lengthOf = (batch: readonly string[]): number => batch.reduce((sum, text) => sum + text.length, 0);

it('keeps every text in order, within the limits unless one text alone is beyond them, and no batch could take more', () => {
  const limits = fc.record({ texts: fc.integer({ min: 1, max: 6 }), characters: fc.integer({ min: 1, max: 40 }) });
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30 })), limits, (texts, { texts: most, characters }) => {
      const batches = batchesOf(texts, { texts: most, characters });
      expect(batches.flat()).toEqual(texts);
      batches.forEach((batch, at) => {
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(most);
        if (batch.length > 1) expect(lengthOf(batch)).toBeLessThanOrEqual(characters);
        const [next] = batches[at + 1] ?? [];
        if (next !== undefined && batch.length < most)
          expect(lengthOf(batch) + next.length).toBeGreaterThan(characters);
      });
    }),
  );
});
