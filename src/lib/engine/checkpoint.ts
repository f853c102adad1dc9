import { setImmediate } from 'node:timers/promises';
import type { Failure } from '../core/failure.ts';

/** Comes between two stretches of long work: lets the process notice what happens outside, and fails when the work is to end. */
export type Checkpoint = () => Promise<void>;

/**
 * A checkpoint that fails as `interrupted` says once the signal is aborted. Signals of the system, timers and sockets are
 * looked at by a turn of the event loop, which computing, and waiting for what is already there, never allow.
 */
export function checkpointOf(signal: AbortSignal, interrupted: () => Failure): Checkpoint {
  return async () => {
    await setImmediate();
    if (signal.aborted) throw interrupted();
  };
}
