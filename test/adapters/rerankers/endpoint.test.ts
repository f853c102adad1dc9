import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endpointReranker } from '../../../src/lib/adapters/rerankers/endpoint.ts';
import type { Failure } from '../../../src/lib/core/failure.ts';
import {
  type Asked,
  type ModelEndpoint,
  type Reply,
  reset,
  silence,
  startModelEndpoint,
  status,
  testPace,
  truncated,
} from '../../support/model-endpoint.ts';
import { failureWithout } from '../../support/failure.ts';

const KEY = 'canary-8d21b7';
const { signal } = new AbortController();

let server: ModelEndpoint;
let pace: ReturnType<typeof testPace>;

/** Best first, as rerankers answer; the score of a text is the number in it. */
const scored = (texts: unknown): { index: number; score: number }[] =>
  (texts as string[])
    .map((text, index) => ({ index, score: Number(/-?\d+/.exec(text)?.[0]) / 10 }))
    .sort((a, b) => b.score - a.score);

/** llama.cpp: answers each shape of request in its own. */
const llama = ({ body }: Asked): Reply =>
  'texts' in body
    ? scored(body.texts)
    : { model: 'm', results: scored(body.documents).map(({ index, score }) => ({ index, relevance_score: score })) };

const rerankerOf = (model: string | undefined) =>
  endpointReranker({ url: `${server.origin}/rerank`, model, key: KEY }, pace);

const failureOf = (work: Promise<unknown>): Promise<Failure> => failureWithout(KEY, work);

beforeAll(async () => {
  server = await startModelEndpoint(llama);
});

beforeEach(() => {
  Object.assign(server, { replies: [], otherwise: llama });
  server.asked.length = 0;
  pace = testPace();
});

afterAll(async () => {
  await server.close();
});

describe('the shape of a request', () => {
  it('is documents for a named model', async () => {
    expect(await rerankerOf('m').rerank('q', ['2', '-7', '5'], signal)).toEqual([0.2, -0.7, 0.5]);
    expect(server.asked).toEqual([
      {
        path: '/rerank',
        authorization: `Bearer ${KEY}`,
        body: { model: 'm', query: 'q', documents: ['2', '-7', '5'], top_n: 3 },
      },
    ]);
  });

  it('is texts without one, no more than 32 at a time', async () => {
    const numbers = Array.from({ length: 70 }, (_, at) => (at * 37) % 70);
    expect(await rerankerOf(undefined).rerank('q', numbers.map(String), signal)).toEqual(numbers.map((n) => n / 10));
    expect(server.asked.map(({ body }) => (body.texts as string[]).length)).toEqual([32, 32, 6]);
    expect(server.asked[0]?.body).toMatchObject({ query: 'q', raw_scores: true, truncate: true });
  });

  it('never holds nothing, nor the end of what is too long', async () => {
    server.replies = [[0, 1].map((index) => ({ index, score: 1 }))];
    await rerankerOf(undefined).rerank('q', ['', 'x'.repeat(5000)], signal);
    expect(server.asked[0]?.body.texts).toEqual(['.', 'x'.repeat(4000)]);
    expect(await rerankerOf('m').rerank('q', [], signal)).toEqual([]);
    expect(server.asked).toHaveLength(1);
  });
});

it('is called host and model', () => {
  const { host } = new URL(server.origin);
  expect([rerankerOf('m').id, rerankerOf(undefined).id]).toEqual([`endpoint:${host}:m`, `endpoint:${host}`]);
});

it.each<[string, Reply, RegExp]>([
  ['HTML', '<html></html>', /: it is not JSON$/],
  ['another object', { detail: 'no' }, /: it is no list of scores$/],
  ['NaN', '[{"index":0,"score":NaN},{"index":1,"score":1}]', /not finite$/],
  ['null', { results: [0, 1].map((index) => ({ index, relevance_score: null })) }, /: a score is not a finite number$/],
  ['too few', { results: [{ index: 1, relevance_score: 1 }] }, /: 1 scores for 2 texts$/],
  ['an index twice', [1, 1].map((index) => ({ index, score: 1 })), /numbered twice or not at all$/],
])('refuses %s, at once', async (_what, reply, message) => {
  server.replies = [reply];
  const failure = await failureOf(rerankerOf('m').rerank('q', ['1', '2'], signal));
  expect(failure).toMatchObject({ code: 'endpoint_unusable', message: expect.stringMatching(message) });
  expect(failure.hint).toContain('GH_RAG_RERANKER_MODEL');
  expect(server.asked).toHaveLength(1);
});

describe('trouble', () => {
  it.each<[string, Reply]>([
    ['500', status(500)],
    ['429', status(429, { 'retry-after': '1' })],
    ['a reset', reset],
    ['a truncated body', truncated],
  ])('%s is tried once more', async (_what, reply) => {
    server.replies = [reply];
    expect(await rerankerOf('m').rerank('q', ['1'], signal)).toEqual([0.1]);
    server.replies = [reply, reply];
    expect(await failureOf(rerankerOf('m').rerank('q', ['1'], signal))).toMatchObject({ code: 'endpoint_unavailable' });
    expect(server.asked).toHaveLength(4);
  });

  it('does not wait longer than its budget', async () => {
    server.replies = [status(429, { 'retry-after': '5' })];
    expect(await failureOf(rerankerOf('m').rerank('q', ['1'], signal))).toMatchObject({ code: 'endpoint_unavailable' });
    const slow = await startModelEndpoint(() => silence);
    try {
      const hurried = endpointReranker({ url: slow.origin, model: undefined, key: KEY }, undefined, 40);
      const late = await failureOf(hurried.rerank('q', ['1'], signal));
      expect(late).toMatchObject({
        code: 'endpoint_unavailable',
        message: expect.stringMatching(/does not answer in time$/),
      });
    } finally {
      await slow.close();
    }
  });

  it('is told with the variable to look at', async () => {
    server.replies = [status(401), status(302, { location: 'http://127.0.0.1:1/' })];
    const refused = await failureOf(rerankerOf('m').rerank('q', ['1'], signal));
    expect(refused).toMatchObject({ code: 'credential_required', hint: 'Put a valid key into GH_RAG_RERANKER_KEY.' });
    const moved = await failureOf(rerankerOf('m').rerank('q', ['1'], signal));
    expect(moved).toMatchObject({ code: 'endpoint_unusable', hint: expect.stringContaining('GH_RAG_RERANKER') });
  });

  it('ends when the caller no longer wants the answer', async () => {
    const caller = new AbortController();
    server.replies = [
      () => {
        caller.abort();
      },
    ];
    expect(await failureOf(rerankerOf('m').rerank('q', ['1'], caller.signal))).toMatchObject({ code: 'interrupted' });
  });
});
