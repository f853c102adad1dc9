import * as z from 'zod';
import { formatTime } from '../core/time.ts';
import { allowedRepo, Parameters } from '../corpus/filters.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Change, change, type Query, query, type SqlRow } from '../engine/database.ts';
import type { Principal } from '../engine/principal.ts';
import type { Activation } from './activation.ts';
import { principalId, principalName } from './principal.ts';
import type { WireActivation } from './wire.ts';

const activationRow = z.object({
  source_id: z.string(),
  retrieved: z.number(),
  usage: z.number(),
  updated_at: z.int(),
});

export interface StoredActivation {
  readonly sourceId: string;
  readonly activation: Activation;
}

/** A principal's activation of sources, as stored; sources without any have no row. */
export function activationsQuery(principal: Principal, sourceIds: readonly string[]): Query<StoredActivation> {
  const parameters = new Parameters();
  return query(
    `SELECT source_id, retrieved, usage, updated_at FROM activations
     WHERE principal_id = ${principalId(principal, parameters)}
       AND source_id IN (SELECT value FROM json_each(${parameters.add(JSON.stringify(sourceIds))}))`,
    parameters.values,
    decodeActivation,
  );
}

function decodeActivation(row: SqlRow): StoredActivation {
  const { source_id, retrieved, usage, updated_at } = activationRow.parse(row);
  return { sourceId: source_id, activation: { retrieved, usage, updatedAt: updated_at } };
}

/** A principal's activation of the sources that stored documents are now. */
export function activationsOfDocumentsQuery(
  principal: Principal,
  documentIds: readonly number[],
  allowed: Allowed,
): Query<StoredActivation> {
  const parameters = new Parameters();
  const ids = parameters.add(JSON.stringify(documentIds));
  const on = ['a.source_id = d.source_id', `a.principal_id = ${principalId(principal, parameters)}`];
  on.push(...allowedRepo(allowed, parameters));
  return query(
    `SELECT a.source_id, a.retrieved, a.usage, a.updated_at FROM json_each(${ids}) AS w
     CROSS JOIN documents d ON d.id = w.value
     JOIN activations a ON ${on.join(' AND ')}`,
    parameters.values,
    decodeActivation,
  );
}

/**
 * Stores activations, one or more; the principal must have its row. Values are bound as numbers: SQLite reads some of them
 * from a JSON text with another last bit, and a receipt would not say what is stored.
 */
export function writeActivations(principal: Principal, activations: ReadonlyMap<string, Activation>): Change {
  const parameters = new Parameters();
  const name = principalName(principal, parameters);
  const rows = [...activations].map(([sourceId, { retrieved, usage, updatedAt }]) => {
    const values = [sourceId, retrieved, usage, updatedAt].map((value) => parameters.add(value));
    return `(${values.join(', ')})`;
  });
  return change(
    `INSERT INTO activations (principal_id, source_id, retrieved, usage, updated_at)
     SELECT p.id, v.column1, v.column2, v.column3, v.column4
     FROM principals p, (VALUES ${rows.join(', ')}) AS v WHERE p.name = ${name}
     ON CONFLICT DO UPDATE SET retrieved = excluded.retrieved, usage = excluded.usage, updated_at = excluded.updated_at`,
    parameters.values,
  );
}

/** An activation that was already decayed to the time of reading, as it is shown. */
export function wireActivation({ retrieved, usage, updatedAt }: Activation): WireActivation {
  return { retrieved, usage, total: retrieved + usage, updated_at: formatTime(updatedAt) };
}
