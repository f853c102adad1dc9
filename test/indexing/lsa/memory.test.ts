import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { lsaEmbedder } from '../../../src/lib/indexing/lsa/lsa-embedder.ts';
import { termCounts } from '../../../src/lib/indexing/lsa/terms.ts';
import { CountingDatabase, testDatabase } from '../../support/database.ts';

/** Bytes in use when all that nobody holds is gone. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('terms do not keep the texts that they were found in', () => {
  const length = 100_000;
  // As a text of the database comes: one piece of memory.
  const text = (at: number): string => Buffer.from(`digest${String(1e12 + at)} `.padEnd(length)).toString();
  const before = bytesInUse();
  const kept = Array.from({ length: 100 }, (_, at) => termCounts(text(at)));
  const grown = bytesInUse() - before;
  expect(kept.flatMap((counts) => [...counts.keys()])).toContain('digest1000000000099');
  expect(grown).toBeLessThan((100 * length) / 2);
});

test('a model does not remember without end which words it lacks', async () => {
  const test = testDatabase();
  try {
    const database = new CountingDatabase(test.database);
    const stored = { id: 1, name: 'lsa', kind: 'lsa', dimensions: 4, trainedOn: 1, state: 'ready' } as const;
    const embedder = lsaEmbedder(database, stored);
    const readsFor = async (from: number, to: number): Promise<number> => {
      const before = database.reads;
      const words = Array.from({ length: to - from }, (_, at) => `word${String(from + at)}x`);
      await embedder.embed([words.join(' ')], 'query', new AbortController().signal);
      return database.reads - before;
    };
    expect([await readsFor(0, 3), await readsFor(0, 3)]).toEqual([1, 0]);
    expect([await readsFor(3, 26_000), await readsFor(26_000, 52_000), await readsFor(0, 3)]).toEqual([1, 1, 0]);
    expect([await readsFor(52_000, 52_001), await readsFor(0, 3)]).toEqual([1, 1]);
  } finally {
    await test.remove();
  }
});
