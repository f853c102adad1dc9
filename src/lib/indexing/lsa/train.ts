import { Sha256 } from '../../core/hash.ts';
import type { Checkpoint } from '../../engine/checkpoint.ts';
import { inChunks } from './chunks.ts';
import { sparseMatrix } from './sparse-matrix.ts';
import { rightSingularVectors } from './truncated-svd.ts';

/** Dimensions of a model: one for five groups within these bounds, as far as there are so many directions. */
const DIMENSIONS = { least: 256, most: 384, step: 64, groupsFor: 5 };
/** Terms of a model at most, the most frequent ones. */
const MAX_TERMS = 20_000;
/** A term in more than this share of the passages says nothing. */
export const MAX_PASSAGE_SHARE = 0.5;
/** From this many passages on, a term of a single one is left out: it cannot link two. */
const MANY_PASSAGES = 500;
const GREATEST_BYTE = 127;

/** The terms of texts that belong together (a thread, a file), and how often each occurs in them. */
export interface CountedGroup {
  readonly terms: readonly string[];
  readonly counts: Uint32Array;
}

/** How often terms occur: in how many passages, and in which groups of texts. */
export interface TrainingSet {
  readonly passages: number;
  /** In how many of the passages that were looked at a term occurs. */
  readonly documentFrequency: ReadonlyMap<string, number>;
  readonly groups: readonly CountedGroup[];
}

/** A term as it is stored: what an occurrence adds to a vector is weight * scale * vector. */
export interface ModelTerm {
  readonly term: string;
  /** Inverse document frequency, natural logarithm. */
  readonly weight: number;
  readonly scale: number;
  readonly vector: Int8Array;
}

export interface LsaModel {
  /** `lsa-` and a digest of the terms: equal texts give equal names. */
  readonly name: string;
  readonly dimensions: number;
  readonly terms: readonly ModelTerm[];
}

/**
 * Latent semantic analysis (Deerwester et al., JASIS 41(6), 1990): the right singular vectors of the matrix of groups by
 * terms, with (1 + ln tf) * idf and rows of unit length, are the axes of the space. Groups and not passages are the
 * rows: a comment of three words shares its context with its thread. Undefined where there is nothing to tell apart:
 * fewer than two groups or terms. Takes up to a minute; a checkpoint
 * comes several times a second.
 */
export async function trainLsa(
  { passages, documentFrequency, groups }: TrainingSet,
  checkpoint: Checkpoint,
): Promise<LsaModel | undefined> {
  const weights = termWeights(documentFrequency, passages);
  const columns = new Map([...weights.keys()].map((term, column) => [term, column]));
  const matrix = await sparseMatrix(unitRows(groups, weights, columns), columns.size, checkpoint);
  const rank = Math.min(dimensionsFor(matrix.rows), matrix.rows, columns.size);
  if (rank < 2) return undefined;
  const axes = await rightSingularVectors(matrix, rank, checkpoint);
  if (axes.columns < 2) return undefined;
  const weighted = [...weights];
  const terms: ModelTerm[] = [];
  await inChunks(weighted.length, checkpoint, (first, end) => {
    for (const [at, [term, weight]] of weighted.slice(first, end).entries()) {
      const from = (first + at) * axes.columns;
      terms.push({ term, weight, ...quantised(axes.values.subarray(from, from + axes.columns)) });
    }
  });
  return { name: nameOf(axes.columns, terms), dimensions: axes.columns, terms };
}

function dimensionsFor(groups: number): number {
  const { least, most, step, groupsFor } = DIMENSIONS;
  return Math.min(most, Math.max(least, Math.floor(groups / groupsFor / step) * step));
}

/** Weights by term, in the order of the terms. */
function termWeights(documentFrequency: ReadonlyMap<string, number>, passages: number): Map<string, number> {
  const fewest = passages < MANY_PASSAGES ? 1 : 2;
  const counted = [...documentFrequency].filter(
    ([, n]) => n >= fewest && n <= Math.max(1, passages * MAX_PASSAGE_SHARE),
  );
  const byFrequency = counted.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MAX_TERMS);
  const weighted = byFrequency.map(([term, n]) => [term, Math.log(passages / n)] as const);
  return new Map(weighted.filter(([, weight]) => weight > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The rows of groups that have any of the terms. */
function* unitRows(
  groups: readonly CountedGroup[],
  weights: ReadonlyMap<string, number>,
  columns: ReadonlyMap<string, number>,
): Generator<(readonly [number, number])[]> {
  for (const group of groups) {
    const row = unitRow(group, weights, columns);
    if (row.length > 0) yield row;
  }
}

function unitRow(
  { terms, counts }: CountedGroup,
  weights: ReadonlyMap<string, number>,
  columns: ReadonlyMap<string, number>,
): (readonly [number, number])[] {
  const row: (readonly [number, number])[] = [];
  terms.forEach((term, at) => {
    const column = columns.get(term);
    if (column !== undefined) row.push([column, (1 + Math.log(counts[at] ?? 1)) * (weights.get(term) ?? 0)]);
  });
  // Sums of floats depend on their order: that of the columns, whatever came first.
  row.sort(([a], [b]) => a - b);
  const length = Math.sqrt(row.reduce((sum, [, value]) => sum + value * value, 0));
  return row.map(([column, value]) => [column, value / length]);
}

/** A vector as signed bytes and the scale that gives it back. */
function quantised(values: Float64Array): Pick<ModelTerm, 'scale' | 'vector'> {
  const greatest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (greatest === 0) return { scale: 0, vector: new Int8Array(values.length) };
  const scale = greatest / GREATEST_BYTE;
  return { scale, vector: Int8Array.from(values, (value) => Math.round(value / scale)) };
}

function nameOf(dimensions: number, terms: readonly ModelTerm[]): string {
  const digest = new Sha256();
  for (const { term, weight, scale, vector } of terms) {
    digest.add(`${term}\n${String(weight)} ${String(scale)}\n`);
    digest.add(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('latin1'));
  }
  return `lsa-${String(dimensions)}-${digest.hex().slice(0, 12)}`;
}
