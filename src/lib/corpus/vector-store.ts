import * as z from 'zod';
import type { Allowed } from '../engine/allow-list.ts';
import { type Change, change, type Guard, guard, type Query, query, type SqlValue } from '../engine/database.ts';
import type { StoredEmbedder } from './embedder-store.ts';
import { allowedRepo, Parameters } from './filters.ts';
import { decodePlace, type PassagePlace } from './passage-texts.ts';

/** A condition on passages `p`: an embedder has yet to make their vectors; `embedder` is an SQL expression of its id. */
function missing(embedder: string): string {
  return `NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.embedder_id = ${embedder} AND v.passage_id = p.id)`;
}

/** Which passages are embedded: those after an id, of what is allowed, up to a limit, in the order of their ids. */
export interface MissingPassages {
  readonly embedderId: number;
  readonly after: number;
  readonly limit: number;
  readonly allowed: Allowed;
}

/** What stands after FROM for them. */
function missingPassages({ embedderId, after, limit, allowed }: MissingPassages, parameters: Parameters): string {
  const conditions = [
    missing(parameters.add(embedderId)),
    `p.id > ${parameters.add(after)}`,
    ...allowedRepo(allowed, parameters).map(
      (condition) => `EXISTS (SELECT 1 FROM documents d WHERE d.id = p.document_id AND ${condition})`,
    ),
  ];
  return `passages p WHERE ${conditions.join(' AND ')} ORDER BY p.id LIMIT ${parameters.add(limit)}`;
}

/** Passages that have no vector of an embedder. */
export function missingPassagesQuery(wanted: MissingPassages): Query<PassagePlace> {
  const parameters = new Parameters();
  return query(
    `SELECT p.id AS passage_id, p.document_id, p.heading_path, p.start, p.length FROM ${missingPassages(wanted, parameters)}`,
    parameters.values,
    decodePlace,
  );
}

/** How many passages have no vector of an embedder, and the last of them. */
export function missingCountQuery(
  wanted: MissingPassages,
): Query<{ readonly passages: number; readonly last: number | null }> {
  const parameters = new Parameters();
  return query(
    `SELECT count(*) AS passages, max(id) AS last FROM (SELECT p.id FROM ${missingPassages(wanted, parameters)})`,
    parameters.values,
    (row) => z.object({ passages: z.int(), last: z.int().nullable() }).parse(row),
  );
}

/** How many passages there are (of no embedder), or have a vector of an embedder. */
export interface Coverage {
  readonly embedderId: number | null;
  readonly passages: number;
}

/** How many of the passages that `embedder` has made vectors of, by rows of {@link coverageQuery}; null: how many there are. */
export function covered(
  coverage: readonly Coverage[],
  embedder: Pick<StoredEmbedder, 'id'> | null | undefined,
): number {
  if (embedder === undefined) return 0;
  return coverage.find(({ embedderId }) => embedderId === (embedder?.id ?? null))?.passages ?? 0;
}

/** What stands after FROM where the passages of what is allowed are counted. */
export function allowedPassages(allowed: Allowed, parameters: Parameters): string {
  const where = allowedRepo(allowed, parameters).map((condition) => ` WHERE ${condition}`);
  return where.length === 0 ? 'passages' : `passages p CROSS JOIN documents d ON d.id = p.document_id${where.join('')}`;
}

/** How many passages there are of what is allowed, and how many have a vector of each embedder. */
export function coverageQuery(allowed: Allowed): Query<Coverage> {
  const parameters = new Parameters();
  const where = allowedRepo(allowed, parameters).map((condition) => ` d WHERE ${condition}`);
  return query(
    `SELECT NULL AS id, count(*) AS n FROM ${allowedPassages(allowed, parameters)}
     UNION ALL SELECT embedder_id, count(*) FROM passage_signatures${where.join('')} GROUP BY embedder_id`,
    parameters.values,
    (row) => {
      const { id, n } = z.object({ id: z.int().nullable(), n: z.int() }).parse(row);
      return { embedderId: id, passages: n };
    },
  );
}

/** A stored passage by id, or one that is stored by the same batch, by the key of its document. */
export type PassageId = number | { readonly key: string; readonly ordinal: number };

/** A vector to be stored, of unit length; zero where there was nothing to embed. */
export interface PassageVector {
  readonly passage: PassageId;
  readonly vector: Float32Array;
}

/** Rows of one statement; each has three arguments, and SQLite takes some 32,000. */
const ROWS = 500;

/**
 * Stores vectors that an embedder made, of passages that are stored, or are by an earlier step of the batch. Nothing where
 * it was removed meanwhile, or its name has come to stand for other dimensions: one such vector would break every search.
 */
export function vectorSteps(
  { name, dimensions }: Pick<StoredEmbedder, 'name' | 'dimensions'>,
  vectors: readonly PassageVector[],
): Change[] {
  const steps: Change[] = [];
  for (let from = 0; from < vectors.length; from += ROWS) {
    const args: SqlValue[] = [name, dimensions];
    const values = vectors.slice(from, from + ROWS).map(({ passage, vector }) => {
      args.push(...(typeof passage === 'number' ? [passage, null] : [passage.ordinal, passage.key]), bytesOf(vector));
      const at = args.length;
      return `(?${String(at - 2)}, ?${String(at - 1)}, ?${String(at)})`;
    });
    steps.push(
      change(
        `WITH given (passage, key, vector) AS (VALUES ${values.join(', ')})
         INSERT INTO passage_vectors (embedder_id, passage_id, vector)
         SELECT e.id, p.id, vector8(given.vector)
         FROM given JOIN embedders e ON e.name = ?1 AND e.dimensions = ?2 JOIN passages p ON p.id = CASE WHEN given.key IS NULL
           THEN given.passage ELSE (SELECT id FROM documents WHERE key = given.key) * 65536 + given.passage END
         WHERE true ON CONFLICT DO NOTHING`,
        args,
      ),
    );
  }
  return steps;
}

/** libSQL stores the bytes of a vector in words of this many, and does not say what it fills the last one with. */
const WORD = 4;

/**
 * A vector as libSQL reads it: 32-bit floats, little-endian; zeros up to a whole word, which no distance notices, so that
 * equal vectors are stored as equal bytes.
 */
export function bytesOf(vector: Float32Array): Uint8Array {
  const whole = new Float32Array(Math.ceil(vector.length / WORD) * WORD);
  whole.set(vector);
  return new Uint8Array(whole.buffer);
}

/** Holds while every passage has a vector of the embedder; what lost its body never will. */
export function everythingEmbedded(embedderId: number): Guard {
  return guard(
    'complete',
    `NOT EXISTS (SELECT 1 FROM passages p WHERE ${missing('?')}
       AND EXISTS (SELECT 1 FROM bodies b WHERE b.document_id = p.document_id))`,
    [embedderId],
  );
}
