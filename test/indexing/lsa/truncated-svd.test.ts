import fc from 'fast-check';
import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import { describe, expect, test } from 'vitest';
import type { DenseMatrix } from '../../../src/lib/indexing/lsa/dense-matrix.ts';
import { sparseMatrix } from '../../../src/lib/indexing/lsa/sparse-matrix.ts';
import { rightSingularVectors } from '../../../src/lib/indexing/lsa/truncated-svd.ts';

/** Rows of small whole numbers, many of them 0; so small that nothing is sampled. */
const matrices = fc.integer({ min: 1, max: 9 }).chain((width) =>
  fc.array(
    fc.array(
      fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.integer({ min: -5, max: 5 }) }),
      {
        minLength: width,
        maxLength: width,
      },
    ),
    { minLength: 1, maxLength: 12 },
  ),
);

const on = (): Promise<void> => Promise.resolve();

async function sparse(rows: readonly (readonly number[])[]) {
  const entries = rows.map((row) => row.flatMap((value, column) => (value === 0 ? [] : [[column, value] as const])));
  return sparseMatrix(entries, rows[0]?.length ?? 0, on);
}

const axesOf = async (rows: readonly (readonly number[])[], rank: number): Promise<DenseMatrix> =>
  rightSingularVectors(await sparse(rows), rank, on);

/** V of the exact decomposition, and the singular values, greatest first, without those that are zero. */
function exact(rows: readonly (readonly number[])[]) {
  const svd = new SingularValueDecomposition(new Matrix(rows.map((row) => [...row])), { autoTranspose: true });
  const values = svd.diagonal.filter((value) => value > 1e-9 * Math.max(...svd.diagonal));
  return { vectors: svd.rightSingularVectors, values };
}

function column({ values, rows, columns }: DenseMatrix, at: number): number[] {
  return Array.from({ length: rows }, (_, row) => values[row * columns + at] ?? Number.NaN);
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);

describe('right singular vectors', () => {
  test('are orthonormal, and as many as there are', async () => {
    await fc.assert(
      fc.asyncProperty(matrices, fc.integer({ min: 1, max: 12 }), async (rows, rank) => {
        const found = await axesOf(rows, rank);
        const { values } = exact(rows);
        expect(found.rows).toBe(rows[0]?.length);
        expect(found.columns).toBe(Math.min(rank, values.length));
        for (let i = 0; i < found.columns; i += 1) {
          for (let j = 0; j <= i; j += 1) {
            expect(dot(column(found, i), column(found, j))).toBeCloseTo(i === j ? 1 : 0, 6);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  test('are those of the exact decomposition, up to a turn among those of one singular value', async () => {
    await fc.assert(
      fc.asyncProperty(matrices, async (rows) => {
        const { vectors, values } = exact(rows);
        const found = await axesOf(rows, values.length);
        for (let i = 0; i < found.columns; i += 1) {
          const own = column(found, i);
          // X v is as long as the singular value, wherever in the space of that value v points.
          const image = rows.map((row) => dot(row, own));
          const sigma = values[i] ?? Number.NaN;
          expect(Math.sqrt(dot(image, image)) / sigma).toBeCloseTo(1, 6);
          // Its part in the space that the exact vectors of (nearly) this value span is all of it.
          const same = values.flatMap((value, at) =>
            Math.abs(value - sigma) < 1e-3 * sigma ? [dot(own, vectors.getColumn(at))] : [],
          );
          expect(dot(same, same)).toBeCloseTo(1, 5);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('of a wide matrix of low rank are found from a random sample', async () => {
    // Three topics of forty words each, in ninety texts: the rank is three.
    const rows = Array.from({ length: 90 }, (_, text) =>
      Array.from({ length: 120 }, (__, word) => (word % 3 === text % 3 ? 1 + (text % 3) : 0)),
    );
    const found = await axesOf(rows, 8);
    expect(found.columns).toBe(3);
    const lengths = [2, 1, 0].map((topic) => (1 + topic) * Math.sqrt(30 * 40));
    lengths.forEach((length, at) => {
      const own = column(found, at);
      const image = rows.map((row) => dot(row, own));
      expect(Math.sqrt(dot(image, image))).toBeCloseTo(length, 6);
    });
  });

  test('of nothing are none', async () => {
    for (const rows of [[], [[]], [[0, 0, 0]], [[0], [0]]]) {
      expect((await axesOf(rows, 4)).columns).toBe(0);
    }
  });

  test('are the same bits every time', async () => {
    await fc.assert(
      fc.asyncProperty(matrices, async (rows) => {
        expect((await axesOf(rows, 5)).values).toEqual((await axesOf(rows, 5)).values);
      }),
      { numRuns: 20 },
    );
  });
});
