import type { Parameters } from '../corpus/filters.ts';
import type { Principal } from '../engine/principal.ts';
import { type Contribution, edgeStrength } from './credit.ts';
import { principalId } from './principal.ts';

/** An edge of the graph by its nodes. */
export interface GraphEdge {
  readonly src: string;
  readonly dst: string;
  readonly kind: string;
}

/**
 * Joins to the rows of a table, which have the columns src, dst and kind, what is active of a principal's credits to that
 * edge, as `c`: delta and created_at, in the order of c.seq. A row without any stays, with NULL.
 */
export function contributionsTo(edges: string, principal: Principal, parameters: Parameters): string {
  return `LEFT JOIN credits c ON c.principal_id = ${principalId(principal, parameters)} AND c.src_node = ${edges}.src
    AND c.dst_node = ${edges}.dst AND c.edge_kind = ${edges}.kind AND c.state = 'active'`;
}

/** Strength of edges at a time, by what was credited to them, in the order of commit. */
export function learnedStrength(rows: readonly (GraphEdge & Contribution)[], now: number): (edge: GraphEdge) => number {
  const byEdge = new Map<string, Contribution[]>();
  for (const row of rows) {
    const key = nameOf(row);
    const known = byEdge.get(key);
    if (known === undefined) byEdge.set(key, [row]);
    else known.push(row);
  }
  return (edge) => edgeStrength(byEdge.get(nameOf(edge)) ?? [], now);
}

function nameOf({ src, dst, kind }: GraphEdge): string {
  return JSON.stringify([src, dst, kind]);
}
