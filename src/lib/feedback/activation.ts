import { CHANNEL_CAP, decayFactor } from './policy.ts';

/** What a principal's history with one source amounts to: two channels, decayed and stamped together (ms). */
export interface Activation {
  readonly retrieved: number;
  readonly usage: number;
  readonly updatedAt: number;
}

/** Activation of a source at a time; the stamp stays where it was, or moves forward, never back. */
export function decayedTo(activation: Activation, now: number): Activation {
  const factor = decayFactor(now - activation.updatedAt);
  return {
    retrieved: activation.retrieved * factor,
    usage: activation.usage * factor,
    updatedAt: Math.max(activation.updatedAt, now),
  };
}

/** Decays both channels to `now` and adds to them, each up to its cap. Undefined: nothing is known of the source yet. */
export function strengthened(
  activation: Activation | undefined,
  addition: { readonly retrieved?: number; readonly usage?: number },
  now: number,
): Activation {
  const current = decayedTo(activation ?? { retrieved: 0, usage: 0, updatedAt: now }, now);
  return {
    retrieved: Math.min(CHANNEL_CAP, current.retrieved + (addition.retrieved ?? 0)),
    usage: Math.min(CHANNEL_CAP, current.usage + (addition.usage ?? 0)),
    updatedAt: current.updatedAt,
  };
}

/** What two histories with one source amount to when they become one: decayed to `now` and added up, each channel to its cap. */
export function together(one: Activation, other: Activation, now: number): Activation {
  const later = Math.max(now, one.updatedAt, other.updatedAt);
  const { retrieved, usage } = decayedTo(other, now);
  return { ...strengthened(one, { retrieved, usage }, now), updatedAt: later };
}
