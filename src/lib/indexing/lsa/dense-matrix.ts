import type { Checkpoint } from '../../engine/checkpoint.ts';
import { inChunks } from './chunks.ts';

/** A dense matrix, row after row. */
export interface DenseMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

/** A row of a matrix by where it begins, and what it is multiplied by. */
interface ScaledRow {
  readonly at: number;
  readonly factor: number;
}

/** Added, it changes nothing: stands for what is beyond the last row. */
export const NO_ROW: ScaledRow = { at: 0, factor: 0 };

/** MᵀM, row after row. */
export async function gramOf(matrix: DenseMatrix, checkpoint: Checkpoint): Promise<Float64Array> {
  const { rows, columns } = matrix;
  const gram = new Float64Array(columns * columns);
  await inChunks(rows, checkpoint, (from, to) => {
    addGram(gram, matrix, from, to);
  });
  for (let i = 0; i < columns; i += 1) {
    for (let j = 0; j < i; j += 1) gram[i * columns + j] = gram[j * columns + i] ?? 0;
  }
  return gram;
}

/** Adds what some rows are of the upper half. */
function addGram(gram: Float64Array, { rows, columns, values }: DenseMatrix, from: number, to: number): void {
  const scaled = (row: number, i: number): ScaledRow =>
    row < rows ? { at: row * columns, factor: values[row * columns + i] ?? 0 } : NO_ROW;
  for (let row = from; row < to; row += 4) {
    for (let i = 0; i < columns; i += 1) {
      const [a, b, c, d] = [scaled(row, i), scaled(row + 1, i), scaled(row + 2, i), scaled(row + 3, i)];
      addFourRows(gram, i * columns, values, columns, a, b, c, d, i);
    }
  }
}

/** A · B. */
export async function product(a: DenseMatrix, b: DenseMatrix, checkpoint: Checkpoint): Promise<DenseMatrix> {
  const values = new Float64Array(a.rows * b.columns);
  await inChunks(a.rows, checkpoint, (from, to) => {
    multiplyRows(values, a, b, from, to);
  });
  return { rows: a.rows, columns: b.columns, values };
}

function multiplyRows(values: Float64Array, a: DenseMatrix, b: DenseMatrix, first: number, end: number): void {
  const scaled = (from: number, row: number): ScaledRow =>
    row < b.rows ? { at: row * b.columns, factor: a.values[from + row] ?? 0 } : NO_ROW;
  for (let row = first; row < end; row += 1) {
    const from = row * a.columns;
    for (let k = 0; k < b.rows; k += 4) {
      const four = [scaled(from, k), scaled(from, k + 1), scaled(from, k + 2), scaled(from, k + 3)] as const;
      addFourRows(values, row * b.columns, b.values, b.columns, ...four);
    }
  }
}

/**
 * Adds four rows of a matrix of `width` columns, each by its factor, to `out`, columns from `start` on. Four at a time takes
 * half the time of one by one, which would read and write the sums for each.
 */
export function addFourRows(
  out: Float64Array,
  outAt: number,
  values: Float64Array,
  width: number,
  a: ScaledRow,
  b: ScaledRow,
  c: ScaledRow,
  d: ScaledRow,
  start = 0,
): void {
  for (let j = start; j < width; j += 1) {
    const sum =
      a.factor * (values[a.at + j] ?? 0) +
      b.factor * (values[b.at + j] ?? 0) +
      c.factor * (values[c.at + j] ?? 0) +
      d.factor * (values[d.at + j] ?? 0);
    out[outAt + j] = (out[outAt + j] ?? 0) + sum;
  }
}
