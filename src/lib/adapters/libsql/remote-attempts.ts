import { setTimeout as delay } from 'node:timers/promises';
import { RequestError } from './remote-request.ts';

/** Times a refused connection is tried: a server that starts needs a moment, one that is not there takes no longer. */
const REFUSED_ATTEMPTS = 4;

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 800;

/** Of what is left, so that a request which hangs leaves time to ask again. */
const ATTEMPT_SHARE = 0.6;
const SHORTEST_ATTEMPT_MS = 250;

/** The attempts of one operation within its time. */
export class Attempts {
  readonly #deadline: number;
  /** Whether an attempt ended without knowledge of what the server made of it. */
  uncertain = false;

  constructor(budgetMs: number) {
    this.#deadline = performance.now() + budgetMs;
  }

  /** Milliseconds. */
  get left(): number {
    return this.#deadline - performance.now();
  }

  /**
   * Runs `attempt`, which is told its timeout in milliseconds, until it has an answer. Throws what the last attempt
   * threw: at once where a repetition cannot help, or when the time is over.
   */
  async run<T>(attempt: (timeoutMs: number) => Promise<T>): Promise<T> {
    for (let count = 1, pause = FIRST_PAUSE_MS; ; count += 1, pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        const { left } = this;
        return await attempt(Math.max(Math.min(left, SHORTEST_ATTEMPT_MS), left * ATTEMPT_SHARE));
      } catch (thrown) {
        const error = requestErrorOf(thrown);
        if (!(error instanceof RequestError)) throw error;
        this.uncertain ||= error.mayHaveRun;
        const wait = pause * (0.5 + Math.random());
        const hopeless = !error.repeatable || (error.problem === 'refused' && count >= REFUSED_ATTEMPTS);
        if (hopeless || wait >= this.left) throw error;
        await delay(wait);
      }
    }
  }
}

/** Codes of libSQL servers for a statement that did not run because of others, or whose transaction was given up. */
const LOCKED = /^(SQLITE_BUSY|SQLITE_LOCKED|TRANSACTION_BUSY)/;
const GIVEN_UP = /^(STREAM_|BATON_|TRANSACTION_(TIMEOUT|CLOSED)|HRANA_CLOSED)/;

/** What of an error of the client is about the request; everything else as it is. */
function requestErrorOf(error: unknown): unknown {
  if (error instanceof RequestError) return error;
  // The body ended early.
  if (error instanceof SyntaxError) return new RequestError('network', { cause: error });
  const code = codeOf(error);
  if (LOCKED.test(code)) return new RequestError('locked', { cause: error });
  if (GIVEN_UP.test(code)) return new RequestError('network', { cause: error });
  if (code === 'HRANA_PROTO_ERROR') return new RequestError('not_libsql', { cause: error });
  return error;
}

/** The code of an error of the client, e.g. `SQLITE_CONSTRAINT`; empty for other errors. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
