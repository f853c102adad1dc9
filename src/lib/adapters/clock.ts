import type { Clock } from '../engine/clock.ts';

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
