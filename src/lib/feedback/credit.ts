import { decayFactor, EDGE_CAP, EDGE_CREDIT } from './policy.ts';

/** Strength that one confirmation gave to an edge: how much, and the clock (ms) when it was given. */
export interface Contribution {
  readonly delta: number;
  readonly at: number;
}

/**
 * Strength of an edge: the sum of its active contributions, each decayed from when it was given.
 *
 * There is no stored scalar. A reversal only takes contributions out of the sum, so what is left is to the last bit the
 * sum of a world in which they never were, and 0 when none is left. Contributions come in the order of their commit; a
 * contribution made while the clock ran backwards counts from the latest stamp before it, so an edge's time never moves
 * back.
 */
export function edgeStrength(contributions: readonly Contribution[], now: number): number {
  return presentDeltas(contributions, now).reduce((sum, delta) => sum + delta, 0);
}

/** What is left, decayed, of the contribution at `index` of an edge's active ones. */
export function presentDelta(contributions: readonly Contribution[], index: number, now: number): number {
  return presentDeltas(contributions, now)[index] ?? 0;
}

function presentDeltas(contributions: readonly Contribution[], now: number): number[] {
  let stamp = Number.NEGATIVE_INFINITY;
  return contributions.map(({ delta, at }) => {
    stamp = Math.max(stamp, at);
    return delta * decayFactor(now - stamp);
  });
}

/** What a new confirmation adds to an edge: the credit, or the headroom that is left under the cap, possibly 0. */
export function creditFor(contributions: readonly Contribution[], now: number): number {
  const strength = edgeStrength(contributions, now);
  return Math.min(EDGE_CREDIT, Math.max(0, EDGE_CAP - strength));
}
