import { readFileSync } from 'node:fs';
import { type DefinitionNode, Kind, parse, print } from 'graphql';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { SDL } from '../support/github/graphql-schema.ts';
import type { GitHub } from '../support/github/start.ts';
import { startSide } from './client.ts';

const PULLS = `query ($after: String) {
  repository(owner: "acme", name: "app") {
    pullRequests(first: 2, after: $after, orderBy: { field: UPDATED_AT, direction: ASC }) {
      pageInfo { hasNextPage endCursor }
      nodes { number databaseId fullDatabaseId reviews(first: 1) { totalCount nodes { state author { __typename login } } } }
    }
  }
}`;

const pullsAnswer = z.object({
  data: z.object({
    repository: z.object({
      pullRequests: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string() }),
        nodes: z.array(z.object({ number: z.int(), databaseId: z.int().nullable(), reviews: z.unknown() })),
      }),
    }),
  }),
});

async function ask(gh: GitHub, query: string, variables: object = {}): Promise<object> {
  const headers = { authorization: `Bearer ${gh.token}` };
  const body = JSON.stringify({ query, variables });
  const answer = await fetch(`${gh.url}/graphql`, { method: 'POST', headers, body });
  return { ...z.looseObject({}).parse(await answer.json()), status: answer.status };
}

test('pull requests come in pages, and one that is touched between them comes again', async (t) => {
  const { gh, clock } = await startSide(t);
  const app = gh.repository('acme/app');
  for (let count = 0; count < 3; count += 1) {
    app.threads.openPull();
    clock.ms += 1000;
  }
  app.reviews.submit(1, { state: 'APPROVED', by: 'checker[bot]' });
  app.reviews.submit(1, { by: null });
  const page = async (after: string | null) =>
    pullsAnswer.parse(await ask(gh, PULLS, { after })).data.repository.pullRequests;
  const first = await page(null);
  expect(first).toMatchObject({
    nodes: [{ number: 2, databaseId: null }, { number: 3 }],
    pageInfo: { hasNextPage: true },
  });
  app.reviews.submit(2);
  const second = await page(first.pageInfo.endCursor);
  expect(second.nodes.map(({ number }) => number)).toEqual([1, 2]);
  expect(second.nodes[0]?.reviews).toEqual({
    totalCount: 2,
    nodes: [{ state: 'APPROVED', author: { __typename: 'Bot', login: 'checker' } }],
  });
  expect(gh.requests.map(({ route, method, status }) => [route, method, status])).toEqual(
    Array.from({ length: 2 }, () => ['graphql', 'POST', 200]),
  );
});

test('a query that fails has status 200, and says where', async (t) => {
  const { gh } = await startSide(t);
  gh.repository('acme/app').threads.openIssue();
  const within = (field: string): string => `{ repository(owner: "acme", name: "app") { ${field} } }`;
  expect(await ask(gh, within('pullRequest(number: 1) { number }'))).toMatchObject({
    status: 200,
    data: { repository: { pullRequest: null } },
    errors: [{ type: 'NOT_FOUND', path: ['repository', 'pullRequest'] }],
  });
  expect(await ask(gh, within('pullRequests { totalCount }'))).toMatchObject({
    errors: [{ type: 'MISSING_PAGINATION_BOUNDARIES' }],
  });
  expect(await ask(gh, within('pullRequests(first: 101) { totalCount }'))).toMatchObject({
    errors: [{ type: 'EXCESSIVE_PAGINATION' }],
  });
  expect(await ask(gh, within('stars'))).toMatchObject({
    status: 200,
    errors: [{ message: expect.stringContaining('stars') }],
  });
  gh.graphql.without = ['PullRequest.number'];
  expect(await ask(gh, within('pullRequest(number: 1) { number }'))).not.toHaveProperty('data');
  gh.graphql.access = 'forbidden';
  expect(await ask(gh, within('name'))).toMatchObject({ data: { repository: null }, errors: [{ type: 'FORBIDDEN' }] });
  gh.graphql.access = 'refused';
  expect(await ask(gh, within('name'))).toMatchObject({ status: 403 });
  gh.graphql.access = 'works';
  gh.limits.set('graphql', { remaining: 0 });
  expect(await ask(gh, within('name'))).toMatchObject({ status: 200, errors: [{ type: 'RATE_LIMITED' }] });
});

test('the schema is a part of the one that GitHub publishes', () => {
  const file = new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema'));
  const published = definitions(readFileSync(file, 'utf8'));
  for (const [name, ours] of definitions(SDL)) {
    const theirs = published.get(name);
    if (theirs?.kind !== ours.kind) throw new Error(`GitHub has no such ${name}`);
    const [mine, whole] = [parts(ours), parts(theirs)];
    expect([...mine].filter((part) => !whole.has(part))).toEqual([]);
    // An argument that must be given there must be asked for here.
    const fields = new Set([...mine].map((part) => part.replace(/\W.*$/, '')));
    const needed = [...whole].filter((part) => /!\)$/.test(part) && fields.has(part.replace(/\W.*$/, '')));
    expect(needed.filter((part) => !mine.has(part))).toEqual([]);
  }
});

function definitions(sdl: string): Map<string, DefinitionNode> {
  const named = parse(sdl, { noLocation: true }).definitions.flatMap((node) =>
    'name' in node ? [[node.name.value, node] as const] : [],
  );
  return new Map(named);
}

/** What a definition promises, a line for each promise. */
function parts(node: DefinitionNode): Set<string> {
  const found = new Set<string>();
  if ('interfaces' in node) for (const { name } of node.interfaces ?? []) found.add(`implements ${name.value}`);
  if ('values' in node) for (const { name } of node.values ?? []) found.add(`value ${name.value}`);
  if ('fields' in node) {
    for (const field of node.fields ?? []) {
      found.add(`${field.name.value}: ${print(field.type)}`);
      if (field.kind !== Kind.FIELD_DEFINITION) continue;
      for (const { name, type, defaultValue } of field.arguments ?? []) {
        const otherwise = defaultValue === undefined ? '' : ` = ${print(defaultValue)}`;
        found.add(`${field.name.value}(${name.value}: ${print(type)}${otherwise})`);
      }
    }
  }
  return found;
}
