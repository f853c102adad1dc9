import type { DenseMatrix } from './dense-matrix.ts';

/** A sparse matrix by rows (compressed sparse row): row i holds `columns[k]`, `values[k]` for k in [starts[i], starts[i+1]). */
export interface SparseMatrix {
  readonly rows: number;
  readonly columnCount: number;
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float64Array;
}

/** Makes a matrix from the entries of its rows: pairs of column and value. */
export function sparseMatrix(
  rows: readonly (readonly (readonly [column: number, value: number])[])[],
  columnCount: number,
): SparseMatrix {
  const size = rows.reduce((sum, row) => sum + row.length, 0);
  const starts = new Uint32Array(rows.length + 1);
  const columns = new Uint32Array(size);
  const values = new Float64Array(size);
  let at = 0;
  rows.forEach((row, index) => {
    for (const [column, value] of row) {
      columns[at] = column;
      values[at] = value;
      at += 1;
    }
    starts[index + 1] = at;
  });
  return { rows: rows.length, columnCount, starts, columns, values };
}

/** X · D. */
export function times(x: SparseMatrix, d: DenseMatrix): DenseMatrix {
  const width = d.columns;
  const out = new Float64Array(x.rows * width);
  forEachEntry(x, (row, column, value) => {
    addScaled(out, row * width, d.values, column * width, width, value);
  });
  return { rows: x.rows, columns: width, values: out };
}

/** Xᵀ · D. */
export function transposedTimes(x: SparseMatrix, d: DenseMatrix): DenseMatrix {
  const width = d.columns;
  const out = new Float64Array(x.columnCount * width);
  forEachEntry(x, (row, column, value) => {
    addScaled(out, column * width, d.values, row * width, width, value);
  });
  return { rows: x.columnCount, columns: width, values: out };
}

function forEachEntry(x: SparseMatrix, visit: (row: number, column: number, value: number) => void): void {
  for (let row = 0; row < x.rows; row += 1) {
    const end = x.starts[row + 1] ?? 0;
    for (let k = x.starts[row] ?? 0; k < end; k += 1) visit(row, x.columns[k] ?? 0, x.values[k] ?? 0);
  }
}

function addScaled(
  out: Float64Array,
  outAt: number,
  from: Float64Array,
  fromAt: number,
  width: number,
  factor: number,
): void {
  for (let j = 0; j < width; j += 1) out[outAt + j] = (out[outAt + j] ?? 0) + factor * (from[fromAt + j] ?? 0);
}
