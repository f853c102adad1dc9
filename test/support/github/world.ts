import type { Clock } from '../../../src/lib/engine/clock.ts';
import type { User } from './state.ts';

export interface Quirks {
  /** Whether editing or deleting a comment or a review moves `updated_at` of its thread. */
  touchThreads: boolean;
  /** Most items that the pages of one list reach. */
  listLimit: number;
  /** Beyond {@link listLimit}: the page is refused (422), or the list ends as if there were no more. */
  atListLimit: 'refuse' | 'end';
  /** Where issues are switched off: whether the comments of a repository are refused, or listed with or without theirs. */
  hiddenComments: 'refused' | 'listed' | 'left out';
  /** Whether a repository says that its pull requests are hidden; of what a token may not read it says nothing. */
  tellsHiddenPulls: boolean;
}

/** What all repositories share: time, ids and users. */
export class World {
  readonly quirks: Quirks = {
    touchThreads: true,
    listLimit: 10_000,
    atListLimit: 'refuse',
    hiddenComments: 'left out',
    tellsHiddenPulls: true,
  };
  readonly #clock: Clock;
  readonly #users = new Map<string, User>();
  readonly #ids = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds, cut to the second as every time of GitHub. */
  now(): number {
    return Math.floor(this.#clock.now() / 1000) * 1000;
  }

  /** The next id of a kind. Kinds start far apart, so that a mix-up of two ids is seen. */
  id(kind: IdKind): number {
    const next = this.#ids.get(kind) ?? FIRST_IDS[kind];
    this.#ids.set(kind, next + 1);
    return next;
  }

  knownUser(login: string): User | undefined {
    return this.#users.get(login.toLowerCase());
  }

  /** The user of that login, made at the first mention; `…[bot]` is an app. */
  user(login: string, type: User['type'] = login.endsWith('[bot]') ? 'Bot' : 'User'): User {
    const known = this.#users.get(login.toLowerCase());
    if (known !== undefined) return known;
    const user: User = { id: this.id('user'), login, name: login, type };
    this.#users.set(login.toLowerCase(), user);
    return user;
  }
}

const FIRST_IDS = {
  user: 101,
  repository: 70_001,
  label: 3_000_001,
  milestone: 4_000_001,
  issue: 1_100_000_001,
  pull: 2_200_000_001,
  comment: 1_300_000_001,
  review: 1_400_000_001,
  reviewComment: 1_500_000_001,
  release: 160_000_001,
};

type IdKind = keyof typeof FIRST_IDS;
