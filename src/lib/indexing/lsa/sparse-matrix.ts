import type { Checkpoint } from '../../engine/checkpoint.ts';
import { inChunks } from './chunks.ts';
import { addFourRows, type DenseMatrix, NO_ROW } from './dense-matrix.ts';

/** A sparse matrix by rows (compressed sparse row): row i holds `columns[k]`, `values[k]` for k in [starts[i], starts[i+1]). */
export interface SparseMatrix {
  readonly rows: number;
  readonly columnCount: number;
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float64Array;
}

/** Rows that are made between two checkpoints. */
const ROWS_READ = 128;

/** Makes a matrix from the entries of its rows, pairs of column and value; of rows that are made as they are taken, one is held. */
export async function sparseMatrix(
  rows: Iterable<readonly (readonly [column: number, value: number])[]>,
  columnCount: number,
  checkpoint: Checkpoint,
): Promise<SparseMatrix> {
  const starts = [0];
  const columns: number[] = [];
  const values: number[] = [];
  for (const row of rows) {
    for (const [column, value] of row) {
      columns.push(column);
      values.push(value);
    }
    starts.push(columns.length);
    if (starts.length % ROWS_READ === 0) await checkpoint();
  }
  return {
    rows: starts.length - 1,
    columnCount,
    starts: Uint32Array.from(starts),
    columns: Uint32Array.from(columns),
    values: Float64Array.from(values),
  };
}

/** Xᵀ. */
export function transposed(x: SparseMatrix): SparseMatrix {
  const starts = new Uint32Array(x.columnCount + 1);
  for (const column of x.columns) starts[column + 1] = (starts[column + 1] ?? 0) + 1;
  for (let column = 0; column < x.columnCount; column += 1) {
    starts[column + 1] = (starts[column + 1] ?? 0) + (starts[column] ?? 0);
  }
  const next = starts.slice();
  const columns = new Uint32Array(x.columns.length);
  const values = new Float64Array(x.values.length);
  for (let row = 0; row < x.rows; row += 1) {
    const end = x.starts[row + 1] ?? 0;
    for (let k = x.starts[row] ?? 0; k < end; k += 1) {
      const column = x.columns[k] ?? 0;
      const at = next[column] ?? 0;
      next[column] = at + 1;
      columns[at] = row;
      values[at] = x.values[k] ?? 0;
    }
  }
  return { rows: x.columnCount, columnCount: x.rows, starts, columns, values };
}

/** X · D. */
export async function times(x: SparseMatrix, d: DenseMatrix, checkpoint: Checkpoint): Promise<DenseMatrix> {
  const values = new Float64Array(x.rows * d.columns);
  await inChunks(x.rows, checkpoint, (from, to) => {
    multiplyRows(values, x, d, from, to);
  });
  return { rows: x.rows, columns: d.columns, values };
}

function multiplyRows(out: Float64Array, x: SparseMatrix, d: DenseMatrix, from: number, to: number): void {
  const width = d.columns;
  for (let row = from; row < to; row += 1) {
    const end = x.starts[row + 1] ?? 0;
    const scaled = (k: number) => (k < end ? { at: (x.columns[k] ?? 0) * width, factor: x.values[k] ?? 0 } : NO_ROW);
    for (let k = x.starts[row] ?? 0; k < end; k += 4) {
      addFourRows(out, row * width, d.values, width, scaled(k), scaled(k + 1), scaled(k + 2), scaled(k + 3));
    }
  }
}
