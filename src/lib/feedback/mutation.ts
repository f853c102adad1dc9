import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { sha256Hex } from '../core/hash.ts';
import { canonicalJson, type Json } from '../core/json.ts';
import { Parameters } from '../corpus/filters.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Change, change, type Guard, guard, type Query, query, type Rows } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import type { Principal } from '../engine/principal.ts';
import { allowedReceipt } from './allowed-memory.ts';
import { principalId, principalName, requirePrincipal } from './principal.ts';
import { type Receipt, receipt } from './receipts.ts';

/** Attempts before a mutation gives up against others of the same principal; each lost one is another's success. */
const MAX_ATTEMPTS = 1000;

/** What a mutation decided: the receipt, and the statements that make it true. */
export interface Decision<Issued extends Receipt> {
  readonly receipt: Issued;
  readonly traceSeq: number;
  readonly changes: readonly Change[];
}

/** A mutation: what it must know, and what it makes of that. `decide` is pure but for failures. */
export interface Mutation<Queries extends readonly Query<unknown>[], Issued extends Receipt> {
  readonly key: string;
  /** The validated input; equal payloads are one operation. */
  readonly payload: Json;
  readonly state: (principal: Principal, allowed: Allowed) => Queries;
  readonly decide: (rows: Rows<Queries>, principal: Principal, now: number, receiptId: string) => Decision<Issued>;
}

const memoryRow = z.object({
  revision: z.int().nullable(),
  payload_hash: z.string().nullable(),
  body: z.string().nullable(),
});

/**
 * Runs a mutation exactly once for its key, in two round trips: one that reads, one that writes all of it or nothing,
 * guarded by the principal's revision. When another call of the principal came between, it reads and decides again.
 */
export async function mutate<const Queries extends readonly Query<unknown>[], Issued extends Receipt>(
  engine: Engine,
  mutation: Mutation<Queries, Issued>,
): Promise<Receipt> {
  const principal = requirePrincipal(engine);
  const { allowed } = engine;
  const payloadHash = sha256Hex(canonicalJson(mutation.payload));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const [[memory], ...rows] = await engine.database.read([
      memoryQuery(principal, mutation.key),
      ...mutation.state(principal, allowed),
    ]);
    if (memory !== undefined && memory.body !== null) {
      return allowedReceipt(replay(memory.body, memory.payload_hash === payloadHash), allowed);
    }
    const now = engine.clock.now();
    const receiptId = `rcp_${engine.entropy.token()}`;
    const decision = mutation.decide(rows, principal, now, receiptId);
    const outcome = await engine.database.write([
      revisionUnchanged(principal, memory?.revision ?? null),
      nextRevision(principal),
      ...decision.changes,
      insertReceipt(principal, mutation.key, payloadHash, decision, now),
    ]);
    if (outcome.applied) return allowedReceipt(decision.receipt, allowed);
  }
  throw new Failure('database_busy', 'too many writes to the feedback memory at the same time', {
    hint: 'Nothing was changed. Send the same call again.',
  });
}

function replay(body: string, samePayload: boolean): Receipt {
  if (samePayload) return receipt.parse(JSON.parse(body));
  throw new Failure('idempotency_conflict', 'idempotency_key: was used before with another payload', {
    hint: 'Use a new key for a new operation.',
  });
}

/** One row: the principal's revision, and the receipt that a key was given, if any. */
function memoryQuery(principal: Principal, key: string): Query<z.output<typeof memoryRow>> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  return query(
    `SELECT (SELECT revision FROM principals WHERE id = ${id}) AS revision, r.payload_hash, r.body
     FROM (SELECT 1) LEFT JOIN receipts r ON r.principal_id = ${id} AND r.idempotency_key = ${parameters.add(key)}`,
    parameters.values,
    (row) => memoryRow.parse(row),
  );
}

/** Fails a batch when the principal's memory changed since `revision` was read; null: there was none. */
export function revisionUnchanged(principal: Principal, revision: number | null): Guard {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  return guard(
    'revision',
    `(SELECT revision FROM principals WHERE id = ${id}) IS ${parameters.add(revision)}`,
    parameters.values,
  );
}

/** Follows the guard in every batch that changes a principal's memory; also makes the principal's row. */
export function nextRevision(principal: Principal): Change {
  const parameters = new Parameters();
  const name = principalName(principal, parameters);
  return change(
    `INSERT INTO principals (name, revision) VALUES (${name}, 1) ON CONFLICT (name) DO UPDATE SET revision = revision + 1`,
    parameters.values,
  );
}

function insertReceipt(
  principal: Principal,
  key: string,
  payloadHash: string,
  { receipt: issued, traceSeq }: Decision<Receipt>,
  now: number,
): Change {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  const values = [issued.receipt_id, key, payloadHash, issued.kind, traceSeq, JSON.stringify(issued), now];
  const [receiptId, ...rest] = values.map((value) => parameters.add(value));
  return change(
    `INSERT INTO receipts (receipt_id, principal_id, idempotency_key, payload_hash, kind, trace_seq, body, created_at)
     VALUES (${String(receiptId)}, ${id}, ${rest.join(', ')})`,
    parameters.values,
  );
}
