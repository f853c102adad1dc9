import type { Parameters } from '../corpus/filters.ts';
import type { Principal } from '../engine/principal.ts';
import { principalId } from './principal.ts';

/**
 * Joins to the rows of a table, which have the columns src, dst (nodes) and kind, what is active of a principal's credits
 * to that edge, as `c`: delta and created_at, in the order of c.seq. A row without any stays, with NULL.
 */
export function contributionsTo(edges: string, principal: Principal, parameters: Parameters): string {
  return `LEFT JOIN credits c ON c.principal_id = ${principalId(principal, parameters)} AND c.src_node = ${edges}.src
    AND c.dst_node = ${edges}.dst AND c.edge_kind = ${edges}.kind AND c.state = 'active'`;
}
