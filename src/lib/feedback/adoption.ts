import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { Parameters } from '../corpus/filters.ts';
import { type Change, change, type Query, query, type SqlRow } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import type { Principal } from '../engine/principal.ts';
import { type Activation, together } from './activation.ts';
import { writeActivations } from './activation-store.ts';
import { nextRevision, revisionUnchanged } from './mutation.ts';
import { principalId } from './principal.ts';
import { revisionQuery } from './trace.ts';

/** What of a memory changed hands. */
export interface Adopted {
  readonly traces: number;
  readonly receipts: number;
  readonly credits: number;
  /** Sources with an activation. */
  readonly sources: number;
}

const LOCAL: Principal = { kind: 'local' };
const MAX_ATTEMPTS = 50;
/** Activations in one statement; each binds four values. */
const ROWS = 1000;

const countRow = z.object({ traces: z.int(), receipts: z.int(), credits: z.int(), sources: z.int() });

/** How much the local user of a database has in its memory. */
export function localMemoryQuery(): Query<Adopted> {
  const parameters = new Parameters();
  const local = principalId(LOCAL, parameters);
  const rows = (table: string): string => `(SELECT count(*) FROM ${table} WHERE principal_id = ${local})`;
  return query(
    `SELECT ${rows('traces')} AS traces, ${rows('receipts')} AS receipts, ${rows('credits')} AS credits, ${rows('activations')} AS sources`,
    parameters.values,
    (row) => countRow.parse(row),
  );
}

/**
 * Gives the whole memory of the local user of a file to a verified one, in one transaction. Traces, receipts and credits change
 * hands as they are, so every strength is what it was. Of a source that both know, both activations are decayed to now and
 * added up, each channel to its cap. A key that both used stays with the receipt of the new owner; the other receipt gets a
 * key of its own, since nobody will send that call again. Fails with `not_found` where there is nothing to adopt.
 */
export async function adoptLocalMemory(engine: Engine, owner: Principal): Promise<Adopted> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const [[localRevision = null], [ownRevision = null], [found], shared] = await engine.database.read([
      revisionQuery(LOCAL),
      revisionQuery(owner),
      localMemoryQuery(),
      sharedQuery(owner),
    ]);
    if (found === undefined || found.traces + found.sources === 0) throw nothingToAdopt();
    const now = engine.clock.now();
    const merged = shared.map(({ sourceId, local, own }) => [sourceId, together(local, own, now)] as const);
    const outcome = await engine.database.write([
      revisionUnchanged(LOCAL, localRevision),
      revisionUnchanged(owner, ownRevision),
      // Whoever read the local memory before must not write after.
      nextRevision(LOCAL),
      nextRevision(owner),
      ...batches(merged).map((batch) => writeActivations(owner, new Map(batch))),
      ...handedOver(owner),
    ]);
    if (outcome.applied) return found;
  }
  throw new Failure('database_busy', 'too many writes to the feedback memory at the same time', {
    hint: 'Nothing was changed. Run the same command again.',
  });
}

function nothingToAdopt(): Failure {
  return new Failure('not_found', 'there is nothing to adopt: the local user of this file has no memory', {
    hint: 'What was adopted before is yours already: gh-rag history. Another file is named by --db.',
  });
}

const sharedRow = z.object({
  source_id: z.string(),
  retrieved: z.number(),
  usage: z.number(),
  updated_at: z.int(),
  own_retrieved: z.number(),
  own_usage: z.number(),
  own_updated_at: z.int(),
});

interface Shared {
  readonly sourceId: string;
  readonly local: Activation;
  readonly own: Activation;
}

/** Sources that both have an activation of. */
function sharedQuery(owner: Principal): Query<Shared> {
  const parameters = new Parameters();
  return query(
    `SELECT l.source_id, l.retrieved, l.usage, l.updated_at,
       o.retrieved AS own_retrieved, o.usage AS own_usage, o.updated_at AS own_updated_at
     FROM activations l JOIN activations o ON o.source_id = l.source_id AND o.principal_id = ${principalId(owner, parameters)}
     WHERE l.principal_id = ${principalId(LOCAL, parameters)}`,
    parameters.values,
    (row: SqlRow) => {
      const { source_id, retrieved, usage, updated_at, own_retrieved, own_usage, own_updated_at } =
        sharedRow.parse(row);
      return {
        sourceId: source_id,
        local: { retrieved, usage, updatedAt: updated_at },
        own: { retrieved: own_retrieved, usage: own_usage, updatedAt: own_updated_at },
      };
    },
  );
}

function handedOver(owner: Principal): Change[] {
  const statement = (write: (own: string, local: string) => string): Change => {
    const parameters = new Parameters();
    const own = principalId(owner, parameters);
    return change(write(own, principalId(LOCAL, parameters)), parameters.values);
  };
  const move = (table: string): Change =>
    statement((own, local) => `UPDATE ${table} SET principal_id = ${own} WHERE principal_id = ${local}`);
  return [
    statement(
      (own, local) => `DELETE FROM activations WHERE principal_id = ${local}
        AND source_id IN (SELECT source_id FROM activations WHERE principal_id = ${own})`,
    ),
    move('activations'),
    move('traces'),
    statement(
      (own, local) => `UPDATE receipts SET idempotency_key = 'adopted:' || receipt_id WHERE principal_id = ${local}
        AND idempotency_key IN (SELECT idempotency_key FROM receipts WHERE principal_id = ${own})`,
    ),
    move('receipts'),
    move('credits'),
  ];
}

function batches<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / ROWS) }, (_, at) => items.slice(at * ROWS, (at + 1) * ROWS));
}
