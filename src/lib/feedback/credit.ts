import { decayFactor, EDGE_CAP, EDGE_CREDIT } from './policy.ts';

/** Strength that one confirmation gave to an edge: how much, and the clock (ms) when it was given. */
export interface Contribution {
  readonly delta: number;
  readonly at: number;
}

/**
 * Strength of an edge: the sum of its active contributions in the order of their commit, each decayed from when it was
 * given, and at most the cap, which a clock that runs backwards could lift the sum above.
 *
 * There is no stored scalar, and no contribution counts for the age of another. So a reversal takes out exactly what is
 * left of its own contributions, those of others keep their value, what remains is to the last bit the sum of a world in
 * which the reversed ones never were, and it is 0 when none remains. A scalar with a time of its own, moved by whatever is
 * given or taken, breaks one of these when the clock runs backwards.
 */
export function edgeStrength(contributions: readonly Contribution[], now: number): number {
  const sum = contributions.reduce((total, contribution) => total + presentDelta(contribution, now), 0);
  return Math.min(EDGE_CAP, sum);
}

/** What is left of a contribution. Nothing decays while the clock stands before the time when it was given. */
export function presentDelta({ delta, at }: Contribution, now: number): number {
  return delta * decayFactor(now - at);
}

/** What a new confirmation adds to an edge: the credit, or the headroom that is left under the cap, possibly 0. */
export function creditFor(contributions: readonly Contribution[], now: number): number {
  return Math.min(EDGE_CREDIT, EDGE_CAP - edgeStrength(contributions, now));
}
