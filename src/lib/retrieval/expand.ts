import type { Engine } from '../engine/engine.ts';
import type { Principal } from '../engine/principal.ts';
import { learnedStrength } from '../feedback/learned-strength.ts';
import type { Group } from './aggregate.ts';
import { type Origins, stepContributionsQuery, stepsQuery } from './graph-query.ts';
import { byLearnedStrength, graphLimit, type LearnedHit, walkSteps } from './graph-walk.ts';
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
  const origins = originsOf(groups);
  const { graph_hops: hops, top_k: topK, use_memory } = input;
  try {
    if (!use_memory) {
      const [steps] = await engine.database.read([stepsQuery(origins, hops)]);
      return { hits: walkSteps(steps, origins.nodes).slice(0, graphLimit(topK)).map((hit) => ({ hit })), complete: true };
    }
    const [steps, contributions] = await engine.database.read([
      stepsQuery(origins, hops),
      stepContributionsQuery(principal, origins, hops),
    ]);
    const strengthOf = learnedStrength(contributions, engine.clock.now());
    const learned = byLearnedStrength(walkSteps(steps, origins.nodes), strengthOf);
    return { hits: learned.slice(0, graphLimit(topK)), complete: true };
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
