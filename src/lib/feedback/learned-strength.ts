import * as z from 'zod';
import { Parameters } from '../corpus/filters.ts';
import { type Query, query } from '../engine/database.ts';
import type { Principal } from '../engine/principal.ts';
import { type Contribution, edgeStrength } from './credit.ts';
import { principalId } from './principal.ts';

/** An edge of the graph by its nodes. */
export interface GraphEdge {
  readonly src: string;
  readonly dst: string;
  readonly kind: string;
}

const contributionRow = z.object({
  src: z.string(),
  dst: z.string(),
  kind: z.string(),
  delta: z.number(),
  at: z.int(),
});
type ContributionRow = z.output<typeof contributionRow>;

/**
 * What a principal credited to the edges that a statement gives: `edges` is the text of one with the columns src, dst
 * and kind, and `parameters` holds its arguments.
 */
export function contributionsQuery(
  principal: Principal,
  edges: { readonly with: string; readonly select: string },
  parameters: Parameters,
): Query<ContributionRow> {
  const id = principalId(principal, parameters);
  return query(
    `${edges.with} SELECT c.src_node AS src, c.dst_node AS dst, c.edge_kind AS kind, c.delta, c.created_at AS at
     FROM (${edges.select}) AS e JOIN credits c ON c.principal_id = ${id} AND c.src_node = e.src AND c.dst_node = e.dst
       AND c.edge_kind = e.kind AND c.state = 'active'
     ORDER BY c.seq`,
    parameters.values,
    (row) => contributionRow.parse(row),
  );
}

/** Strength of edges at a time, by what was credited to them. */
export function learnedStrength(rows: readonly ContributionRow[], now: number): (edge: GraphEdge) => number {
  const byEdge = new Map<string, Contribution[]>();
  for (const row of rows) {
    const key = nameOf(row);
    byEdge.set(key, [...(byEdge.get(key) ?? []), row]);
  }
  return (edge) => edgeStrength(byEdge.get(nameOf(edge)) ?? [], now);
}

function nameOf({ src, dst, kind }: GraphEdge): string {
  return JSON.stringify([src, dst, kind]);
}
