/**
 * What goes wrong with one request:
 * - `status`: the answer is this one, and the request has no effect; `body` is an object (JSON) or text (HTML)
 * - `reset`: the connection is cut before an answer
 * - `truncated`: Content-Length tells the whole length, the connection is cut after `share` of the body
 * - `cut`: the same of a chunked answer, whose last chunk never comes; git breaks off whichever of these it is
 * - `short`: `share` of the body arrives as if it were the whole
 * - `hold`: the answer waits for a promise; `started` of the {@link Planned} fault tells when a request arrived
 * - `before`: runs before the request is answered, for edits between two pages
 * - `primaryLimit`, `secondaryLimit`: refused as GitHub refuses who asked too much; `retryAfter` in seconds
 */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly body?: object | string; readonly headers?: Headers }
  | { readonly kind: 'reset' }
  | { readonly kind: 'truncated' | 'cut' | 'short'; readonly share?: number }
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }
  | { readonly kind: 'before'; readonly run: () => unknown }
  | { readonly kind: 'primaryLimit' }
  | { readonly kind: 'secondaryLimit'; readonly status?: 403 | 429; readonly retryAfter?: number };

type Headers = Readonly<Record<string, string>>;

/** What a fault is chosen by. */
export interface Asked {
  readonly method: string;
  /** Path with its query, without the prefix of GitHub Enterprise Server. */
  readonly path: string;
  /**
   * What is asked in the words of the OpenAPI description, however the repository is named: `/repos/{owner}/{repo}/issues`.
   * `graphql` and `git` are those two; `unknown` is an address that the fake does not have.
   */
  readonly route: string;
  /** `owner/name` as it is now; for git of a wiki with `.wiki` at the end. Empty where there is none. */
  readonly repository: string;
  /** The page of a list, else 1. */
  readonly page: number;
}

/** A route, a pattern of the path, or a predicate. */
export type Match = string | RegExp | ((asked: Asked) => boolean);

export interface Occasions {
  /** Matching requests that pass first; none by default. */
  readonly skip?: number;
  /** How many then meet the fault; one by default. */
  readonly times?: number;
}

/** A fault that waits for its requests. */
export interface Planned {
  /** Resolves when the first request met it. */
  readonly started: Promise<void>;
  /** How many met it. */
  readonly met: number;
  /** No further request meets it. */
  cancel(): void;
}

class Plan implements Planned {
  readonly started: Promise<void>;
  met = 0;
  readonly #match: Match;
  #skip: number;
  #times: number;
  #start: () => void = () => undefined;

  constructor(match: Match, { skip = 0, times = 1 }: Occasions) {
    this.#match = match;
    this.#skip = skip;
    this.#times = times;
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
  }

  cancel(): void {
    this.#times = 0;
  }

  /** Whether this request meets the fault. */
  takes(asked: Asked): boolean {
    if (this.#times <= 0 || !matches(this.#match, asked)) return false;
    if (this.#skip > 0) {
      this.#skip -= 1;
      return false;
    }
    this.#times -= 1;
    this.met += 1;
    this.#start();
    return true;
  }
}

/** Hands out the faults that were planned. */
export class Faults {
  readonly #plans: { readonly plan: Plan; readonly fault: Fault }[] = [];

  plan(match: Match, fault: Fault, occasions: Occasions = {}): Planned {
    const plan = new Plan(match, occasions);
    this.#plans.push({ plan, fault });
    return plan;
  }

  /** Those that a request meets, in the order they were planned. */
  of(asked: Asked): Fault[] {
    return this.#plans.filter(({ plan }) => plan.takes(asked)).map(({ fault }) => fault);
  }
}

function matches(match: Match, asked: Asked): boolean {
  if (typeof match === 'string') return match === asked.route;
  return match instanceof RegExp ? match.test(asked.path) : match(asked);
}
