import type { TestContext } from 'vitest';
import { type GitHub, startGitHub } from '../support/github/start.ts';

/** A fake GitHub, a clock that a test moves, and a bare client that takes answers as they come. */
export interface Side {
  readonly gh: GitHub;
  readonly clock: { ms: number; now(): number };
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  /** The numbers, or else the ids, of a list. */
  readonly list: (path: string) => Promise<number[]>;
}

export async function startSide(t: TestContext): Promise<Side> {
  const clock = {
    ms: Date.parse('2024-03-01T10:00:00.900Z'),
    now() {
      return this.ms;
    },
  };
  const gh = await startGitHub(t, { clock });
  const get: Side['get'] = (path, headers = {}) =>
    fetch(path.startsWith('http') ? path : `${gh.url}${path}`, {
      redirect: 'manual',
      headers: { authorization: `Bearer ${gh.token}`, ...headers },
    });
  const list: Side['list'] = async (path) => numbersOf(await get(path));
  return { gh, clock, get, list };
}

/** The numbers of what a list holds, or else its ids. */
export async function numbersOf(response: Response): Promise<number[]> {
  // Without a schema, which would cost each of these tests the time to load one: what is no list fails here too.
  const items = (await response.json()) as { readonly number?: number; readonly id: number }[];
  return items.map(({ number, id }) => number ?? id);
}

const linkTarget = /<([^>]+)>; rel="next"/;

/** Address of the next page, or null on the last one. */
export function nextOf(response: Response): string | null {
  return linkTarget.exec(response.headers.get('link') ?? '')?.[1] ?? null;
}
