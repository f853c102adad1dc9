import type { Parameters } from '../corpus/filters.ts';
import type { Principal } from '../engine/principal.ts';
import { type Contribution, edgeStrength } from './credit.ts';
import { HALF_LIFE_MS } from './policy.ts';
import { principalId } from './principal.ts';

/** An edge of the graph by its nodes. */
export interface GraphEdge {
  readonly src: string;
  readonly dst: string;
  readonly kind: string;
}

/** Whose confirmations count, and the time (ms) at which their strength is wanted. */
export interface Learning {
  readonly principal: Principal;
  readonly now: number;
}

/** After this many half-lives nothing is left of any contribution that a number can hold. */
const FORGOTTEN_HALF_LIVES = 1080;

/**
 * Joins to the rows of a table, which have the columns src, dst and kind, what is left of a principal's active credits to
 * that edge, as `c`: delta and created_at, in the order of c.seq. A row without any stays, with NULL.
 */
export function contributionsTo(edges: string, { principal, now }: Learning, parameters: Parameters): string {
  return `LEFT JOIN credits c ON c.principal_id = ${principalId(principal, parameters)} AND c.src_node = ${edges}.src
    AND c.dst_node = ${edges}.dst AND c.edge_kind = ${edges}.kind AND c.state = 'active' AND c.delta > 0
    AND c.created_at > ${parameters.add(now - FORGOTTEN_HALF_LIVES * HALF_LIFE_MS)}`;
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
