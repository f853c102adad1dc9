import { setTimeout as delay } from 'node:timers/promises';

/** Time and chance of repeated requests. */
export interface Pace {
  /** Milliseconds of a clock that never runs backwards. */
  now(): number;
  /** Rejects when `signal` is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

export const systemPace: Pace = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
  random: () => Math.random(),
};
