import type { Engine } from '../engine/engine.ts';
import type { Principal } from '../engine/principal.ts';
import type { Group } from './aggregate.ts';
import { type Origins, stepsQuery } from './graph-query.ts';
import { byLearnedStrength, graphLimit, LEARNING_POOL, type LearnedHit, walkSteps } from './graph-walk.ts';
import type { Hit } from './hit.ts';
import type { SearchInput } from './search-contract.ts';

/** The graph axis of an answer. */
export interface Expansion {
  /** `strength` is undefined where learning was not asked for. */
  readonly hits: readonly (Pick<LearnedHit, 'hit'> & { readonly strength?: number | null })[];
  /** Whether the graph was read; false when that failed. */
  readonly complete: boolean;
}

export const NO_EXPANSION: Expansion = { hits: [], complete: true };

/** Follows the graph from the results of an answer: one round trip. A failure to read it is told, not thrown. */
export async function expand(
  engine: Engine,
  principal: Principal,
  input: SearchInput,
  groups: readonly Group<Hit>[],
): Promise<Expansion> {
  const { graph_hops: hops, top_k: topK, use_memory: learned } = input;
  const limit = graphLimit(topK);
  const reach = { hops, wanted: learned ? LEARNING_POOL : limit };
  try {
    const [rows] = await engine.database.read([stepsQuery(originsOf(groups), reach, learned ? principal : null)]);
    const hits = walkSteps(rows);
    const ordered = learned ? byLearnedStrength(hits, engine.clock.now()) : hits.map((hit) => ({ hit }));
    return { hits: ordered.slice(0, limit), complete: true };
  } catch {
    return { hits: [], complete: false };
  }
}

function originsOf(groups: readonly Group<Hit>[]): Origins {
  const hits = groups.map((group) => group.representative);
  return {
    nodes: hits.map((hit) => hit.entity),
    diffs: hits.filter((hit) => hit.type === 'diff').map((hit) => hit.documentId),
  };
}
