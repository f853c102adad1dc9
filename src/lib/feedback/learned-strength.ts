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
 * What is left of a principal's active credits to an edge as an SQL expression, for {@link decodeContributions}; `edge` is a
 * table with the columns src, dst and kind. One text for each edge: a row for each credit would cost more than all else.
 */
export function contributionsTo(edge: string, { principal, now }: Learning, parameters: Parameters): string {
  // 20 digits tell every two numbers apart; 17 would do.
  return `(SELECT group_concat(c.seq || ' ' || printf('%!.20g', c.delta) || ' ' || c.created_at) FROM credits c
    WHERE c.principal_id = ${principalId(principal, parameters)} AND c.src_node = ${edge}.src AND c.dst_node = ${edge}.dst
      AND c.edge_kind = ${edge}.kind AND c.state = 'active' AND c.delta > 0
      AND c.created_at > ${parameters.add(now - FORGOTTEN_HALF_LIVES * HALF_LIFE_MS)})`;
}

/** Contributions in the order of their commit. */
export function decodeContributions(text: string | null): Contribution[] {
  if (text === null) return [];
  return text
    .split(',')
    .map((credit) => credit.split(' ').map(Number))
    .sort(([a = 0], [b = 0]) => a - b)
    .map(([, delta = 0, at = 0]) => ({ delta, at }));
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
