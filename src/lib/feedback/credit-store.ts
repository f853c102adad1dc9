import * as z from 'zod';
import { Parameters } from '../corpus/filters.ts';
import { nodeOf } from '../corpus/node.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Change, change, type Query, query, type SqlRow } from '../engine/database.ts';
import type { Principal } from '../engine/principal.ts';
import type { Contribution } from './credit.ts';
import { allowedSource } from './allowed-memory.ts';
import { principalId } from './principal.ts';
import { edge, type WireEdge } from './wire.ts';

const creditRow = edge.extend({
  seq: z.int(),
  trace_seq: z.int(),
  confirmation_id: z.string(),
  delta: z.number(),
  created_at: z.int(),
  state: z.enum(['active', 'reversed']),
});

/** A row of the ledger. */
export interface Credit extends Contribution {
  readonly seq: number;
  readonly edge: WireEdge;
  readonly traceSeq: number;
  readonly confirmationId: string;
  readonly state: 'active' | 'reversed';
}

/** The four fields that make an edge's identity, as one text. */
export function edgeKey({ repo, src_slug, dst_slug, edge_kind }: WireEdge): string {
  return JSON.stringify([repo, src_slug, dst_slug, edge_kind]);
}

function decodeCredit(row: SqlRow): Credit {
  const { seq, trace_seq, confirmation_id, delta, created_at, state, ...named } = creditRow.parse(row);
  return { seq, edge: named, traceSeq: trace_seq, confirmationId: confirmation_id, delta, at: created_at, state };
}

const COLUMNS =
  'c.seq, c.repo, c.src_slug, c.dst_slug, c.edge_kind, c.trace_seq, c.confirmation_id, c.delta, c.created_at, c.state';

/** Everything the principal ever credited to the edges on the saved paths of some sources of a trace; by commit order. */
export function creditsOnPathsQuery(
  principal: Principal,
  traceId: string,
  sourceIds: readonly string[],
  allowed: Allowed,
): Query<Credit> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  const of = [`t.trace_id = ${parameters.add(traceId)}`, `t.principal_id = ${id}`];
  of.push(`s.source_id IN (SELECT value FROM json_each(${parameters.add(JSON.stringify(sourceIds))}))`);
  of.push(...allowedSource(allowed, parameters));
  return query(
    `WITH walked AS (
       SELECT DISTINCT e.value ->> 'repo' AS repo, e.value ->> 'src_slug' AS src_slug, e.value ->> 'dst_slug' AS dst_slug,
         e.value ->> 'edge_kind' AS edge_kind
       FROM traces t JOIN trace_sources s ON s.trace_seq = t.seq, json_each(s.path) AS e
       WHERE ${of.join(' AND ')})
     SELECT ${COLUMNS} FROM walked w JOIN credits c ON c.principal_id = ${id} AND c.repo = w.repo
       AND c.src_slug = w.src_slug AND c.dst_slug = w.dst_slug AND c.edge_kind = w.edge_kind
     ORDER BY c.seq`,
    parameters.values,
    decodeCredit,
  );
}

/** Everything the principal ever credited to the edges that one confirmation credited; by commit order. */
export function creditsBesideQuery(principal: Principal, confirmationId: string): Query<Credit> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  return query(
    `SELECT ${COLUMNS} FROM credits o JOIN credits c ON c.principal_id = o.principal_id AND c.repo = o.repo
       AND c.src_slug = o.src_slug AND c.dst_slug = o.dst_slug AND c.edge_kind = o.edge_kind
     WHERE o.confirmation_id = ${parameters.add(confirmationId)} AND o.principal_id = ${id}
     ORDER BY c.seq`,
    parameters.values,
    decodeCredit,
  );
}

/** Adds a contribution to the ledger. The delta is bound as a number: no digit of it may be lost in a text. */
export function insertCredit(
  principal: Principal,
  credit: Pick<Credit, 'edge' | 'traceSeq' | 'confirmationId' | 'delta' | 'at'>,
): Change {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  const { edge: named, traceSeq, confirmationId, delta, at } = credit;
  const { repo, src_slug, dst_slug, edge_kind } = named;
  const nodes = [nodeOf(repo, src_slug), nodeOf(repo, dst_slug)];
  const values = [repo, src_slug, dst_slug, edge_kind, ...nodes, traceSeq, confirmationId, delta, at];
  return change(
    `INSERT INTO credits (principal_id, repo, src_slug, dst_slug, edge_kind, src_node, dst_node, trace_seq, confirmation_id, delta, created_at)
     VALUES (${id}, ${values.map((value) => parameters.add(value)).join(', ')})`,
    parameters.values,
  );
}

/** Takes every contribution of a confirmation out of the sums; the rows stay. */
export function reverseCredits(principal: Principal, confirmationId: string): Change {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  return change(
    `UPDATE credits SET state = 'reversed' WHERE confirmation_id = ${parameters.add(confirmationId)} AND principal_id = ${id}`,
    parameters.values,
  );
}
