import type { ModelTerm } from './train.ts';

/**
 * The vector of a text in the space of a model, of unit length (folding-in, Berry, Dumais and O'Brien, SIAM Review
 * 37(4), 1995); all zero where the model knows none of its terms. Terms are added in the order of `counts`, so the same
 * text always gives the same bits.
 */
export function foldIn(
  counts: ReadonlyMap<string, number>,
  termOf: (term: string) => ModelTerm | undefined,
  dimensions: number,
): Float32Array {
  const sum = new Float64Array(dimensions);
  const vectors: Int8Array[] = [];
  const factors: number[] = [];
  for (const [name, count] of counts) {
    const term = termOf(name);
    if (term === undefined) continue;
    vectors.push(term.vector);
    factors.push((1 + Math.log(count)) * term.weight * term.scale);
  }
  const none = new Int8Array(dimensions);
  for (let at = 0; at < vectors.length; at += 4) {
    addFour(
      sum,
      vectors[at] ?? none,
      factors[at] ?? 0,
      vectors[at + 1] ?? none,
      factors[at + 1] ?? 0,
      vectors[at + 2] ?? none,
      factors[at + 2] ?? 0,
      vectors[at + 3] ?? none,
      factors[at + 3] ?? 0,
    );
  }
  return unitVector(sum);
}

function unitVector(sum: Float64Array): Float32Array {
  const unit = new Float32Array(sum.length);
  let squares = 0;
  for (const value of sum) squares += value * value;
  const length = Math.sqrt(squares);
  if (length === 0 || !Number.isFinite(length)) return unit;
  // Float32Array.from with a function takes five times as long.
  for (let j = 0; j < unit.length; j += 1) unit[j] = (sum[j] ?? 0) / length;
  return unit;
}

/**
 * A function of its own: it is where the time of embedding goes, and is compiled well only if it is small. Four at a time,
 * in the order of one at a time, take half as long.
 */
function addFour(
  sum: Float64Array,
  a: Int8Array,
  ofA: number,
  b: Int8Array,
  ofB: number,
  c: Int8Array,
  ofC: number,
  d: Int8Array,
  ofD: number,
): void {
  for (let j = 0; j < sum.length; j += 1) {
    sum[j] = (sum[j] ?? 0) + ofA * (a[j] ?? 0) + ofB * (b[j] ?? 0) + ofC * (c[j] ?? 0) + ofD * (d[j] ?? 0);
  }
}
