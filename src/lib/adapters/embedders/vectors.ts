import * as z from 'zod';
import { unusable } from '../http/endpoint-error.ts';
import { inOrder } from '../http/in-order.ts';

// Members of a vector are looked at where they are normalised: some servers write null for what is no number.
const answerOf = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.union([z.array(z.unknown()), z.string()]) })),
});

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The vectors of an answer of `/v1/embeddings` for `count` texts, in their order, with length 1. Throws an EndpointError
 * for everything else: too few, numbered twice, of another dimension than the first or than `dimension`, not finite, zero.
 */
export function vectorsOf(answer: unknown, count: number, dimension: number | undefined): Float32Array[] {
  const parsed = answerOf.safeParse(answer);
  if (!parsed.success) throw unusable('it is no list of embeddings');
  const vectors = inOrder(parsed.data.data, count, 'vectors').map(({ embedding }) =>
    typeof embedding === 'string' ? floatsOf(embedding) : embedding,
  );
  const expected = dimension ?? vectors[0]?.length ?? 0;
  return vectors.map((vector) => {
    if (vector.length !== expected || expected === 0) {
      throw unusable(
        expected === 0
          ? 'a vector is empty'
          : `a vector has dimension ${String(vector.length)}, others have ${String(expected)}`,
      );
    }
    return normalized(vector);
  });
}

/** 32-bit floats, little-endian, in base64. */
function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  if (!BASE64.test(base64) || bytes.length % 4 !== 0) throw unusable('a vector is no base64 of 32-bit floats');
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

function normalized(vector: readonly unknown[]): Float32Array {
  let largest = 0;
  const values = Float64Array.from(vector, (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw unusable('a vector holds a number that is not finite');
    largest = Math.max(largest, Math.abs(value));
    return value;
  });
  if (largest === 0) throw unusable('a vector is zero');
  // By the largest first: squares of what is very large or very small leave the range of a double.
  let sum = 0;
  for (const value of values) sum += (value / largest) ** 2;
  const length = Math.sqrt(sum);
  return Float32Array.from(values, (value) => value / largest / length);
}
