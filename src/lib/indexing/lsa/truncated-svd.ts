import { EigenvalueDecomposition } from 'ml-matrix';
import type { Checkpoint } from '../../engine/checkpoint.ts';
import { inChunks } from './chunks.ts';
import { type DenseMatrix, gramOf, product } from './dense-matrix.ts';
import { type SparseMatrix, times, transposed } from './sparse-matrix.ts';

/** Directions that are tried beyond those that are kept. */
const OVERSAMPLING = 16;
/** A direction this much shorter than the longest is noise of the arithmetic. */
const NEGLIGIBLE = 1e-9;

/**
 * The right singular vectors of a matrix for its `rank` greatest singular values, as rows of columnCount x rank', where
 * rank' <= rank is how many there are. Randomised range finder with one power iteration (Halko, Martinsson and Tropp,
 * "Finding structure with randomness", SIAM Review 53(2), 2011, algorithms 4.3 and 5.1). The random matrix holds signs
 * from a generator with a fixed seed, so that the same matrix always gives the same vectors, on every machine. A matrix
 * with hardly more rows or columns is not sampled: few random signs may well miss a direction.
 */
export async function rightSingularVectors(
  x: SparseMatrix,
  rank: number,
  checkpoint: Checkpoint,
): Promise<DenseMatrix> {
  await checkpoint();
  const xt = transposed(x);
  await checkpoint();
  const range = await rangeOf(x, xt, rank + OVERSAMPLING, checkpoint);
  return principalDirections(await times(xt, range, checkpoint), rank, checkpoint);
}

/** Orthonormal columns whose span holds the longest directions of the columns of a matrix. */
async function rangeOf(x: SparseMatrix, xt: SparseMatrix, width: number, checkpoint: Checkpoint): Promise<DenseMatrix> {
  if (x.rows <= width) return identity(x.rows);
  const spread = (d: DenseMatrix): Promise<DenseMatrix> => times(x, d, checkpoint);
  if (x.columnCount <= width) return orthonormal(await spread(identity(x.columnCount)), checkpoint);
  const signs = randomSigns(x.columnCount, width);
  await checkpoint();
  const sample = await spread(signs);
  return orthonormal(await spread(await times(xt, sample, checkpoint)), checkpoint);
}

function identity(size: number): DenseMatrix {
  const values = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) values[i * size + i] = 1;
  return { rows: size, columns: size, values };
}

function randomSigns(rows: number, columns: number): DenseMatrix {
  const values = new Float64Array(rows * columns);
  // Marsaglia's xorshift, 32 bits.
  let state = 0x9e3779b9;
  for (let i = 0; i < values.length; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[i] = (state & 0x10000) === 0 ? 1 : -1;
  }
  return { rows, columns, values };
}

/** The left singular vectors of a tall matrix (columnCount x width), by the eigenvectors of its small Gram matrix. */
async function principalDirections(matrix: DenseMatrix, rank: number, checkpoint: Checkpoint): Promise<DenseMatrix> {
  const { rows, columns } = matrix;
  const gram = await gramOf(matrix, checkpoint);
  const symmetric = Array.from({ length: columns }, (_, i) =>
    Array.from({ length: columns }, (__, j) => gram[i * columns + j] ?? 0),
  );
  if (columns === 0) return { rows, columns: 0, values: new Float64Array(0) };
  // The one long stretch without a checkpoint, a second for 400 columns: the library does it at once.
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(symmetric, { assumeSymmetric: true });
  const order = realEigenvalues.map((value, at) => ({ value, at })).sort((a, b) => b.value - a.value || a.at - b.at);
  const longest = order[0]?.value ?? 0;
  const kept = order.filter(({ value }) => value > longest * NEGLIGIBLE && value > 0).slice(0, rank);
  const directions = new Float64Array(columns * kept.length);
  kept.forEach(({ value, at }, place) => {
    const length = Math.sqrt(value);
    for (let j = 0; j < columns; j += 1) directions[j * kept.length + place] = eigenvectorMatrix.get(j, at) / length;
  });
  await checkpoint();
  return product(matrix, { rows: columns, columns: kept.length, values: directions }, checkpoint);
}

/** Twice: what the first pass leaves of the rounding, the second takes. */
async function orthonormal(matrix: DenseMatrix, checkpoint: Checkpoint): Promise<DenseMatrix> {
  return choleskyOrthonormal(await choleskyOrthonormal(matrix, checkpoint), checkpoint);
}

/** Orthonormal columns with the same span, by the Cholesky factor of the Gram matrix; a dependent column becomes zero. */
async function choleskyOrthonormal(matrix: DenseMatrix, checkpoint: Checkpoint): Promise<DenseMatrix> {
  const { rows, columns } = matrix;
  const factor = choleskyOf(await gramOf(matrix, checkpoint), columns);
  const values = new Float64Array(matrix.values.length);
  await inChunks(rows, checkpoint, (from, to) => {
    substitute(values, matrix, factor, from, to);
  });
  return { rows, columns, values };
}

/** Rows of the matrix by the inverse of the transposed factor. */
function substitute(
  out: Float64Array,
  { columns, values }: DenseMatrix,
  factor: Float64Array,
  first: number,
  end: number,
): void {
  for (let row = first; row < end; row += 1) {
    const from = row * columns;
    for (let j = 0; j < columns; j += 1) {
      const pivot = factor[j * columns + j] ?? 0;
      if (pivot === 0) continue;
      let sum = values[from + j] ?? 0;
      for (let i = 0; i < j; i += 1) sum -= (out[from + i] ?? 0) * (factor[j * columns + i] ?? 0);
      out[from + j] = sum / pivot;
    }
  }
}

/** The lower Cholesky factor, row after row; rows of dependent columns have a pivot of zero. */
function choleskyOf(gram: Float64Array, size: number): Float64Array {
  const factor = new Float64Array(size * size);
  const cell = (i: number, j: number): number => factor[i * size + j] ?? 0;
  for (let i = 0; i < size; i += 1) {
    const diagonal = gram[i * size + i] ?? 0;
    for (let j = 0; j <= i; j += 1) {
      let sum = gram[i * size + j] ?? 0;
      for (let k = 0; k < j; k += 1) sum -= cell(i, k) * cell(j, k);
      if (i === j) factor[i * size + i] = sum > diagonal * NEGLIGIBLE ? Math.sqrt(sum) : 0;
      else factor[i * size + j] = cell(j, j) === 0 ? 0 : sum / cell(j, j);
    }
  }
  return factor;
}
