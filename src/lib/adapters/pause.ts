import { setTimeout } from 'node:timers/promises';

/** Waits; returns early when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
