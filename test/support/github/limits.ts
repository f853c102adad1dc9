import type { Clock } from '../../../src/lib/engine/clock.ts';
import type { Shape } from './shapes.ts';

export type Resource = 'core' | 'graphql';

interface Budget {
  limit: number;
  remaining: number;
  /** In milliseconds. */
  resetAt: number;
}

const HOUR_MS = 3_600_000;

/** The primary rate limit: requests per hour, for all tokens together; callers without a token have 60 of their own. */
export class Limits {
  readonly #clock: Clock;
  readonly #budgets = new Map<string, Budget>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Changes what is left, how much there is in an hour, or when (ms) the hour ends. */
  set(resource: Resource, change: Partial<Budget>): void {
    Object.assign(this.budget(resource, false), change);
  }

  /** Counts a request; false where nothing is left. */
  take(resource: Resource, anonymous: boolean): boolean {
    const budget = this.budget(resource, anonymous);
    if (budget.remaining <= 0) return false;
    budget.remaining -= 1;
    return true;
  }

  /** Takes a request back that turned out to be free. */
  giveBack(resource: Resource, anonymous: boolean): void {
    this.budget(resource, anonymous).remaining += 1;
  }

  budget(resource: Resource, anonymous: boolean): Budget {
    const key = `${resource}${anonymous ? ' anonymous' : ''}`;
    const now = this.#clock.now();
    let budget = this.#budgets.get(key);
    if (budget === undefined) {
      const limit = anonymous ? 60 : 5000;
      budget = { limit, remaining: limit, resetAt: now + HOUR_MS };
      this.#budgets.set(key, budget);
    } else if (now >= budget.resetAt) {
      budget.remaining = budget.limit;
      budget.resetAt = now + HOUR_MS;
    }
    return budget;
  }

  headers(resource: Resource, anonymous: boolean): Record<string, string> {
    const { limit, remaining, reset, used } = this.shape(resource, anonymous);
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(reset),
      'x-ratelimit-used': String(used),
      'x-ratelimit-resource': resource,
    };
  }

  /** As `GET /rate_limit` has it. */
  shape(resource: Resource, anonymous: boolean): Shape<'rate-limit'> {
    const { limit, remaining, resetAt } = this.budget(resource, anonymous);
    return { limit, remaining, reset: Math.ceil(resetAt / 1000), used: limit - remaining };
  }
}
