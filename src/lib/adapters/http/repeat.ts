import { EndpointError } from './endpoint-error.ts';
import type { Pace } from './pace.ts';

/** How long it is tried to get one answer. */
export interface Patience {
  readonly attempts: number;
  /** Of one attempt, in milliseconds. */
  readonly attemptMs: number;
  /** Of all attempts and the pauses between them, in milliseconds. */
  readonly totalMs: number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;

/**
 * Runs `attempt`, which is told its timeout in milliseconds, until it has an answer. Before another attempt comes a pause:
 * any length up to a limit that doubles (full jitter), and no less than what the server asked for. Throws what the last
 * attempt threw: at once where a repetition cannot help, or when the next pause would outlast the time.
 */
export async function repeat<T>(
  { attempts, attemptMs, totalMs }: Patience,
  pace: Pace,
  signal: AbortSignal,
  attempt: (timeoutMs: number) => Promise<T>,
): Promise<T> {
  const deadline = pace.now() + totalMs;
  for (let count = 1, limit = FIRST_PAUSE_MS; ; count += 1, limit = Math.min(limit * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt(Math.min(attemptMs, deadline - pace.now()));
    } catch (error) {
      if (!(error instanceof EndpointError) || !error.repeatable || count >= attempts) throw error;
      const pause = Math.max(error.retryAfterMs ?? 0, pace.random() * limit);
      if (pause >= deadline - pace.now()) throw error;
      await pace.sleep(pause, signal);
    }
  }
}
