/** A dense matrix, row after row. */
export interface DenseMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

/** MᵀM, row after row. */
export function gramOf({ rows, columns, values }: DenseMatrix): Float64Array {
  const gram = new Float64Array(columns * columns);
  for (let row = 0; row < rows; row += 4) {
    for (let i = 0; i < columns; i += 1) {
      addFourRows(gram, i * columns, values, row, rows, columns, i, (next) => values[next * columns + i] ?? 0);
    }
  }
  for (let i = 0; i < columns; i += 1) {
    for (let j = 0; j < i; j += 1) gram[i * columns + j] = gram[j * columns + i] ?? 0;
  }
  return gram;
}

/** A · B. */
export function product(a: DenseMatrix, b: DenseMatrix): DenseMatrix {
  const values = new Float64Array(a.rows * b.columns);
  for (let row = 0; row < a.rows; row += 1) {
    const from = row * a.columns;
    for (let j = 0; j < b.rows; j += 4) {
      addFourRows(values, row * b.columns, b.values, j, b.rows, b.columns, 0, (next) => a.values[from + next] ?? 0);
    }
  }
  return { rows: a.rows, columns: b.columns, values };
}

/**
 * Adds up to four rows, each by its factor, to `out`, columns from `start` on. Four at a time takes half the time of one
 * by one, which would read and write the sums for each.
 */
function addFourRows(
  out: Float64Array,
  outAt: number,
  values: Float64Array,
  row: number,
  rows: number,
  columns: number,
  start: number,
  factorOf: (row: number) => number,
): void {
  const a = row * columns;
  // Beyond the last row, the first is added again, times zero.
  const b = row + 1 < rows ? a + columns : a;
  const c = row + 2 < rows ? b + columns : a;
  const d = row + 3 < rows ? c + columns : a;
  const fa = factorOf(row);
  const fb = b === a ? 0 : factorOf(row + 1);
  const fc = c === a ? 0 : factorOf(row + 2);
  const fd = d === a ? 0 : factorOf(row + 3);
  for (let j = start; j < columns; j += 1) {
    const sum =
      fa * (values[a + j] ?? 0) + fb * (values[b + j] ?? 0) + fc * (values[c + j] ?? 0) + fd * (values[d + j] ?? 0);
    out[outAt + j] = (out[outAt + j] ?? 0) + sum;
  }
}
