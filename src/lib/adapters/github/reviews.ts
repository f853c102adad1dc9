import * as z from 'zod';
import type { RemoteItem, RemoteReviews } from '../../engine/github.ts';
import type { GitHubClient } from './client.ts';
import { nonsense } from './failures.ts';
import { decodeReviews, reviewItem } from './payloads.ts';

/** A pull request with more reviews is asked for alone. */
const REVIEWS_AT_ONCE = 100;

const actor = z
  .object({ __typename: z.string(), login: z.string() })
  .nullish()
  // REST ends the login of an app so, GraphQL does not.
  .transform((it) =>
    it === undefined || it === null
      ? null
      : it.__typename === 'Bot' && !it.login.endsWith('[bot]')
        ? `${it.login}[bot]`
        : it.login,
  );

const pull = z.object({
  number: z.int().positive(),
  reviews: z.object({
    pageInfo: z.object({ hasNextPage: z.boolean() }),
    nodes: z.array(
      z.object({
        fullDatabaseId: z.union([z.string().regex(/^\d+$/), z.int().positive()]),
        body: z.string(),
        state: z.string(),
        author: actor,
        url: z.string(),
        submittedAt: z.string().nullish(),
      }),
    ),
  }),
});

const answer = z.object({
  data: z.object({ repository: z.record(z.string(), z.unknown()) }),
  errors: z.array(z.object({ type: z.string().optional(), path: z.array(z.unknown()).optional() })).optional(),
});
const refusal = z.object({ errors: z.array(z.object({ type: z.string().optional() })).min(1) });

/**
 * Reviews of pull requests: one GraphQL query for all of them. Where that is refused (a token without the right, a server
 * that lacks a field), each is asked for by REST. For `others` nothing is asked beside that query.
 */
export async function readReviews(
  client: GitHubClient,
  repo: string,
  numbers: readonly number[],
  signal: AbortSignal,
  others: readonly number[],
): Promise<RemoteReviews> {
  const [owner = '', project = ''] = repo.split('/');
  const wanted = new Set(numbers);
  const all = [...new Set([...numbers, ...others])];
  const response = await client.graphql(repo, queryFor(all), { owner, name: project }, signal);
  if (response === undefined) return byRest(client, repo, numbers, signal);
  const parsed = answer.safeParse(response.data);
  if (!parsed.success) {
    if (!refusal.safeParse(response.data).success) throw nonsense(client.api.host, 'reviews');
    return byRest(client, repo, numbers, signal);
  }
  const byNumber = new Map<number, readonly RemoteItem[]>();
  const { errors = [] } = parsed.data;
  for (const number of all) {
    const name = `p${String(number)}`;
    const found = parsed.data.data.repository[name];
    if (found === null) {
      if (!wanted.has(number)) continue;
      // No pull request of that number. Any other error says nothing of its reviews.
      const isMissing = errors.some(({ type, path }) => type === 'NOT_FOUND' && path?.includes(name) === true);
      byNumber.set(number, isMissing ? [] : await pullByRest(client, repo, number, signal));
    } else {
      const one = pull.safeParse(found);
      if (!one.success) throw nonsense(client.api.host, 'reviews');
      const { nodes, pageInfo } = one.data.reviews;
      if (pageInfo.hasNextPage && !wanted.has(number)) continue;
      const items = nodes
        .filter(({ state }) => state !== 'PENDING')
        .map(({ fullDatabaseId, author, url, submittedAt, ...rest }) =>
          reviewItem(number, { ...rest, id: fullDatabaseId, user: author, html_url: url, submitted_at: submittedAt }),
        );
      byNumber.set(number, pageInfo.hasNextPage ? await pullByRest(client, repo, number, signal) : items);
    }
  }
  return { byNumber, at: timeOf(response.headers.date) };
}

function queryFor(numbers: readonly number[]): string {
  const pulls = numbers.map((number) => `p${String(number)}: pullRequest(number: ${String(number)}) { ...Reviews }`);
  return `query Reviews($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { ${pulls.join(' ')} }
}
fragment Reviews on PullRequest {
  number
  reviews(first: ${String(REVIEWS_AT_ONCE)}) {
    pageInfo { hasNextPage }
    nodes { fullDatabaseId body state url submittedAt author { __typename login } }
  }
}`;
}

async function byRest(
  client: GitHubClient,
  repo: string,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<RemoteReviews> {
  const byNumber = new Map<number, readonly RemoteItem[]>();
  let at = Number.POSITIVE_INFINITY;
  for (const number of numbers) {
    byNumber.set(
      number,
      await pullByRest(client, repo, number, signal, (time) => {
        at = Math.min(at, time);
      }),
    );
  }
  return { byNumber, at: Number.isFinite(at) ? at : 0 };
}

async function pullByRest(
  client: GitHubClient,
  repo: string,
  number: number,
  signal: AbortSignal,
  seen: (at: number) => void = () => undefined,
): Promise<readonly RemoteItem[]> {
  const all: RemoteItem[] = [];
  for (let page = 1; ; page += 1) {
    const parameters = { per_page: 100, page };
    const path = `/pulls/${String(number)}/reviews`;
    const response = await client.get(repo, path, parameters, signal, [404]);
    if (response === 'gone') return [];
    const items = decodeReviews(number, response?.data);
    if (response === undefined || items === undefined) throw nonsense(client.api.host, 'reviews');
    seen(timeOf(response.headers.date));
    all.push(...items);
    if (!/rel="next"/.test(String(response.headers.link ?? ''))) return all;
  }
}

/** The `Date` of an answer in milliseconds; 0 where it has none, which only means that more is asked again later. */
function timeOf(date: string | number | undefined): number {
  const ms = Date.parse(String(date));
  return Number.isNaN(ms) ? 0 : ms;
}
