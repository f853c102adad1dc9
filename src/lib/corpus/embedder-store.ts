import * as z from 'zod';
import { type Change, change, type Guard, guard, type Query, query, type WriteStep } from '../engine/database.ts';

/** What made vectors that are stored. */
export interface StoredEmbedder {
  readonly id: number;
  readonly name: string;
  readonly kind: 'lsa' | 'endpoint';
  readonly dimensions: number;
  /** Passages that there were when it was trained; 0 of an endpoint. */
  readonly trainedOn: number;
  /** Searches use the newest that is `ready`. */
  readonly state: 'training' | 'filling' | 'ready';
}

const embedderRow = z.object({
  id: z.int(),
  name: z.string(),
  kind: z.enum(['lsa', 'endpoint']),
  dimensions: z.int(),
  trained_on: z.int(),
  state: z.enum(['training', 'filling', 'ready']),
});

/** The embedders, the newest first. An endpoint of which nothing is stored is none: its name binds no dimensions. */
export function embeddersQuery(): Query<StoredEmbedder> {
  return embeddersWhere(`kind = 'lsa' OR EXISTS (SELECT 1 FROM passage_vectors v WHERE v.embedder_id = e.id)`);
}

/** As {@link embeddersQuery}, with the endpoints of which nothing is stored any more. */
export function allEmbeddersQuery(): Query<StoredEmbedder> {
  return embeddersWhere('true');
}

function embeddersWhere(condition: string): Query<StoredEmbedder> {
  return query(
    `SELECT id, name, kind, dimensions, trained_on, state FROM embedders e
     WHERE ${condition} ORDER BY id DESC`,
    [],
    (row) => {
      const { trained_on: trainedOn, ...rest } = embedderRow.parse(row);
      return { ...rest, trainedOn };
    },
  );
}

/** Dimensions that libSQL stores at most. */
export const MAX_DIMENSIONS = 65_536;

/**
 * Makes an endpoint known, in the batch that stores its first vectors; the batch fails where vectors of other dimensions are
 * stored under its name.
 */
export function introduceEndpoint(name: string, dimensions: number): WriteStep[] {
  return [
    change(
      `INSERT INTO embedders (name, kind, dimensions, trained_on, state) VALUES (?, 'endpoint', ?, 0, 'ready')
       ON CONFLICT (name) DO UPDATE SET dimensions = excluded.dimensions
       WHERE NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.embedder_id = embedders.id)`,
      [name, dimensions],
    ),
    embedderUnchanged(name, dimensions),
  ];
}

export const EMBEDDER_GUARD = 'embedder';

/** Holds while an embedder of a name is known, and makes vectors of so many dimensions. */
export function embedderUnchanged(name: string, dimensions: number): Guard {
  return guard(EMBEDDER_GUARD, 'EXISTS (SELECT 1 FROM embedders WHERE name = ? AND dimensions = ?)', [
    name,
    dimensions,
  ]);
}

/** Makes an embedder known; one of the same name stays, and is trained on as much as is said now. */
export function insertEmbedder({ name, kind, dimensions, trainedOn, state }: Omit<StoredEmbedder, 'id'>): Change {
  return change(
    'INSERT INTO embedders (name, kind, dimensions, trained_on, state) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET trained_on = excluded.trained_on',
    [name, kind, dimensions, trainedOn, state],
  );
}

/** Removes an embedder with all that it made. */
export function removeEmbedderSteps(embedderId: number): Change[] {
  return ['passage_vectors', 'lsa_terms']
    .map((table) => change(`DELETE FROM ${table} WHERE embedder_id = ?`, [embedderId]))
    .concat(change('DELETE FROM embedders WHERE id = ?', [embedderId]));
}

/** Moves an embedder on. */
export function setEmbedderState(embedderId: number, state: StoredEmbedder['state']): Change {
  return change('UPDATE embedders SET state = ? WHERE id = ?', [state, embedderId]);
}
