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
  for (const [name, count] of counts) {
    const term = termOf(name);
    if (term === undefined) continue;
    addScaled(sum, term.vector, (1 + Math.log(count)) * term.weight * term.scale);
  }
  let squares = 0;
  for (const value of sum) squares += value * value;
  const length = Math.sqrt(squares);
  return length > 0 && Number.isFinite(length)
    ? Float32Array.from(sum, (value) => value / length)
    : new Float32Array(dimensions);
}

/** A function of its own: it is where the time of embedding goes, and is compiled well only if it is small. */
function addScaled(sum: Float64Array, vector: Int8Array, factor: number): void {
  for (let j = 0; j < sum.length; j += 1) sum[j] = (sum[j] ?? 0) + factor * (vector[j] ?? 0);
}
