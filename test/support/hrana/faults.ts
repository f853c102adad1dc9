/**
 * What goes wrong with one request:
 * - `dropRequest`: the connection is cut before anything ran
 * - `dropResponse`: everything ran and was committed, then the connection is cut
 * - `slowBody`: everything ran; headers and half of the body arrive, then nothing until the client gives up
 * - `truncatedBody`: everything ran; the connection is cut after half of the body
 * - `cutBody`: everything ran; half of the body arrives as if it were the whole
 * - `hang`: nothing runs and nothing is answered until the client gives up
 * - `expiredStream`: the stream of the request has expired, what it had open is rolled back
 * - `noNews`: of a request for the log of the database: there is nothing new in it; other requests pass
 * - `status503` and the like: nothing runs, the answer is this status
 * - `latency250` and the like: it runs after so many milliseconds, even when the client has given up by then
 */
export type FaultKind =
  | 'dropRequest'
  | 'dropResponse'
  | 'slowBody'
  | 'truncatedBody'
  | 'cutBody'
  | 'hang'
  | 'expiredStream'
  | 'noNews'
  | `status${number}`
  | `latency${number}`;

/** Which of the coming requests meet a fault. A request that does nothing but close its stream never does. */
export interface FaultPlan {
  /** One for each of the coming requests, in order; null lets one pass. Comes before `rate`. */
  readonly next?: readonly (FaultKind | null)[];
  /** Share of the requests that meet one of `kinds`, drawn by `seed`. */
  readonly rate?: number;
  readonly seed?: number;
  readonly kinds?: readonly FaultKind[];
  /** Delays every request. */
  readonly latencyMs?: number;
  /** `all` covers the endpoints of replicas too; the default is requests with SQL. */
  readonly scope?: 'sql' | 'all';
}

export interface Fault {
  readonly kind: FaultKind | null;
  readonly latencyMs: number;
}

/** Hands out the faults of a plan. */
export class Faults {
  #plan: FaultPlan = {};
  #next: (FaultKind | null)[] = [];
  #state = 0;

  /** Replaces what was planned before. */
  plan(plan: FaultPlan): void {
    this.#plan = plan;
    this.#next = [...(plan.next ?? [])];
    this.#state = plan.seed ?? 1;
  }

  /** For the request that has just arrived. */
  take(request: 'sql' | 'replica'): Fault {
    const { scope = 'sql', latencyMs = 0 } = this.#plan;
    if (request === 'replica' && scope === 'sql') return { kind: null, latencyMs: 0 };
    const kind = this.#draw();
    const delay = kind === null ? null : /^latency(\d+)$/.exec(kind);
    return delay === null ? { kind, latencyMs } : { kind, latencyMs: latencyMs + Number(delay[1]) };
  }

  #draw(): FaultKind | null {
    const next = this.#next.shift();
    if (next !== undefined) return next;
    const { rate = 0, kinds = [] } = this.#plan;
    if (rate === 0) return null;
    const [hit, which] = [this.#random(), this.#random()];
    return hit < rate ? (kinds[Math.floor(which * kinds.length)] ?? null) : null;
  }

  /** From 0 to 1, by the seed alone (mulberry32). */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
