import * as z from 'zod';
import { type Change, change, type Query, query, type SqlRow, type SqlValue } from '../../engine/database.ts';
import type { ModelTerm } from './train.ts';

const termRow = z.object({ term: z.string(), weight: z.number(), scale: z.number(), vector: z.instanceof(Uint8Array) });

/** Those of the terms that a model knows. */
export function termsQuery(embedderId: number, terms: Iterable<string>): Query<ModelTerm> {
  return query(
    `SELECT t.term, t.weight, t.scale, t.vector FROM json_each(?2) AS wanted CROSS JOIN
     lsa_terms t ON t.embedder_id = ?1 AND t.term = wanted.value`,
    [embedderId, JSON.stringify([...terms])],
    decodeTerm,
  );
}

/** As {@link termsQuery}, the terms alone. */
export function knownTermsQuery(embedderId: number, terms: Iterable<string>): Query<string> {
  return query(
    `SELECT t.term FROM json_each(?2) AS wanted CROSS JOIN lsa_terms t ON t.embedder_id = ?1 AND t.term = wanted.value`,
    [embedderId, JSON.stringify([...terms])],
    (row) => z.string().parse(row.term),
  );
}

function decodeTerm(row: SqlRow): ModelTerm {
  const { vector, ...rest } = termRow.parse(row);
  return { ...rest, vector: new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength) };
}

/** As {@link termsQuery}, of the model that searches use. */
export function newestTermsQuery(terms: Iterable<string>): Query<ModelTerm> {
  return query(
    `SELECT t.term, t.weight, t.scale, t.vector FROM json_each(?) AS wanted CROSS JOIN
     lsa_terms t ON t.embedder_id = (SELECT max(id) FROM embedders WHERE kind = 'lsa' AND state = 'ready')
       AND t.term = wanted.value`,
    [JSON.stringify([...terms])],
    decodeTerm,
  );
}

/** Rows of one statement; each has four arguments, and SQLite takes some 32,000. */
const ROWS = 1000;

/** Stores terms of a model; those that are there stay, for they are the same. */
export function insertTerms(embedder: string, terms: readonly ModelTerm[]): Change[] {
  const steps: Change[] = [];
  for (let from = 0; from < terms.length; from += ROWS) {
    const args: SqlValue[] = [embedder];
    const values = terms.slice(from, from + ROWS).map(({ term, weight, scale, vector }) => {
      args.push(term, weight, scale, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
      const at = args.length;
      return `(?${String(at - 3)}, ?${String(at - 2)}, ?${String(at - 1)}, ?${String(at)})`;
    });
    steps.push(
      change(
        `WITH given (term, weight, scale, vector) AS (VALUES ${values.join(', ')})
         INSERT INTO lsa_terms (embedder_id, term, weight, scale, vector)
         SELECT e.id, given.term, CAST(given.weight AS REAL), CAST(given.scale AS REAL), given.vector
         FROM given JOIN embedders e ON e.name = ?1 WHERE true ON CONFLICT DO NOTHING`,
        args,
      ),
    );
  }
  return steps;
}
