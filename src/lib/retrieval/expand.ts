import { Failure } from '../core/failure.ts';
import type { Engine } from '../engine/engine.ts';
import type { Principal } from '../engine/principal.ts';
import { type GraphEdge, learnedStrength } from '../feedback/learned-strength.ts';
import type { Group } from './aggregate.ts';
import { type Origins, type Step, stepsQuery } from './graph-query.ts';
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

/** How the graph is followed; `learned`: by what the caller's confirmations taught. */
type Asked = Pick<SearchInput, 'graph_hops' | 'top_k'> & { readonly learned: boolean };

/** Follows the graph from the results of an answer: one round trip. A failure to read it is told, not thrown. */
export async function expand(
  engine: Engine,
  principal: Principal,
  { graph_hops: hops, top_k: topK, learned }: Asked,
  groups: readonly Group<Hit>[],
): Promise<Expansion> {
  const limit = graphLimit(topK);
  // Some more than are shown: a document may stand for two nodes.
  const shown = 2 * limit;
  const reach = { hops, shown, candidates: learned ? LEARNING_POOL : shown };
  try {
    const now = engine.clock.now();
    const [steps] = await engine.database.read([
      stepsQuery(originsOf(groups), reach, learned ? { principal, now } : null, engine.allowed),
    ]);
    const hits = walkSteps(steps);
    const ordered = learned ? byLearnedStrength(hits, strengthOf(steps, now)) : hits.map((hit) => ({ hit }));
    return { hits: ordered.slice(0, limit), complete: true };
  } catch (error) {
    if (error instanceof Failure && error.code === 'interrupted') throw error;
    return { hits: [], complete: false };
  }
}

function strengthOf(steps: readonly Step[], now: number): (edge: GraphEdge) => number {
  const contributions = steps.flatMap(({ src, dst, kind, contributions: given }) =>
    given.map((contribution) => ({ src, dst, kind, ...contribution })),
  );
  return learnedStrength(contributions, now);
}

function originsOf(groups: readonly Group<Hit>[]): Origins {
  const hits = groups.map((group) => group.representative);
  return {
    nodes: hits.map((hit) => hit.entity),
    diffs: hits.filter((hit) => hit.type === 'diff').map((hit) => hit.documentId),
  };
}
