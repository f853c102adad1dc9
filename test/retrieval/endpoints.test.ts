import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { endpointReranker } from '../../src/lib/adapters/rerankers/endpoint.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import { type SearchOutput, searchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { CountingDatabase } from '../support/database.ts';
import { embedderAt, embeddingsOf } from '../support/embeddings.ts';
import { testEngine } from '../support/engine.ts';
import {
  type Asked as Request,
  type ModelEndpoint,
  type Reply,
  reset,
  startModelEndpoint,
  status,
  testPace,
} from '../support/model-endpoint.ts';
import { type Asked, issue, TestProject } from '../support/project.ts';

const DOCUMENTS = [
  issue(1, { title: 'The kettle is loud', body: 'It boils too fast.' }),
  issue(2, { title: 'Workers starve', body: 'The scheduler is unfair to the slow.' }),
  issue(3, { title: 'Puddle of water', body: 'Under the table.' }),
  issue(4, { title: 'A queue is stuck', body: 'The slow go last.' }),
];

/** Scores by a word that the titles have or not; the way of TEI and of Jina. */
const BY_TITLE: Readonly<Record<string, number>> = { kettle: -2, Workers: 0.5, Puddle: 0.9, queue: 3 };
function scoresOf({ body }: Request): Reply {
  const texts = (body.texts ?? body.documents) as string[];
  const scored = texts.map((text, index) => ({
    index,
    score: Object.entries(BY_TITLE).find(([word]) => text.includes(word))?.[1] ?? 0,
  }));
  return body.texts === undefined
    ? { results: scored.map(({ index, score }) => ({ index, relevance_score: score })) }
    : scored;
}

let endpoint: ModelEndpoint;
let project: TestProject;
let engine: Engine;
beforeAll(async () => {
  endpoint = await startModelEndpoint(embeddingsOf);
  project = await TestProject.of(DOCUMENTS);
  engine = testEngine(project.test, { embedder: embedderAt(endpoint) });
  await embedIndex(engine);
});
beforeEach(() => {
  endpoint.otherwise = (asked) => (asked.path.endsWith('rerank') ? scoresOf(asked) : embeddingsOf(asked));
  endpoint.asked.length = 0;
});
afterAll(async () => {
  await endpoint.close();
  await project.test.remove();
});

const ask = async (asked: Asked, parts: Partial<Engine> = {}): Promise<SearchOutput> =>
  searchOutput.parse(await invoke(search, { ...engine, ...parts }, asked));
const numbers = ({ results }: SearchOutput): unknown[] => results.map(({ number }) => number);

describe('an embedder behind an endpoint', () => {
  test('finds what is about the question, in one request and one round trip more', async () => {
    const database = new CountingDatabase(project.test.database);
    const answer = await ask({ query: 'boiling', fusion: 'dense_only', rerank: false }, { database });
    // Both are about water to the model; one has no word of it.
    expect(new Set(numbers(answer).slice(0, 2))).toEqual(new Set([1, 3]));
    expect(answer.embedder).toBe(embedderAt(endpoint).id);
    expect(endpoint.asked.map(({ body }) => body.input)).toEqual([['boiling']]);
    expect(database.reads).toBe(3);
    expect(answer).not.toHaveProperty('dense_problem');
  });

  test('is asked for nothing where words alone are searched, or time orders', async () => {
    await ask({ query: 'kettle', fusion: 'sparse_only' });
    await ask({ query: 'kettle', sort: 'updated_desc' });
    await ask({ since: '9y' });
    expect(endpoint.asked).toEqual([]);
  });

  test.each<[string, Reply, RegExp]>([
    ['is away', reset, /broke off|refused/],
    ['wants another key', status(401), /key/],
    ['is overloaded', status(503), /503/],
    ['answers with what is no vector', { data: [{ index: 0, embedding: [1, null, 1, 1] }] }, /not finite/],
    ['answers with no vector', { data: [] }, /./],
    [
      'has other dimensions now',
      { data: [{ index: 0, embedding: [1, 1] }] },
      /now gives 2 dimensions; vectors of \d are stored$/,
    ],
  ])('that %s leaves the answer to the words, which says why', async (_, reply, problem) => {
    endpoint.otherwise = () => reply;
    // A program that starts knows of no earlier answer.
    const answer = await ask({ query: 'kettle' }, { embedder: embedderAt(endpoint) });
    expect(numbers(answer)).toEqual([1]);
    expect(answer).toMatchObject({ embedder: null, dense_candidates: 0 });
    expect(answer.dense_problem).toMatch(problem);
    expect(answer.dense_problem).not.toContain('canary');
    expect(answer).toMatchObject({ feedback_available: false, memory_error: 'retrieval_incomplete' });
    expect(answer).not.toHaveProperty('trace_id');
    expect(answer.results[0]).toMatchObject({ dense_score: null, dense_rank: null });
    expect(await ask({ query: 'kettle', fusion: 'dense_only' }, { embedder: embedderAt(endpoint) })).toMatchObject({
      count: 0,
      dense_problem: expect.stringMatching(problem) as string,
    });
  });

  test.each<[string, Reply, RegExp]>([
    ['is away', reset, /\. Run gh-rag backfill embeddings once it answers\.$/],
    ['wants another key', status(401), /_KEY\. Then run gh-rag backfill embeddings\.$/],
  ])('that %s and made no vectors is told of with what makes them', async (_, reply, next) => {
    endpoint.otherwise = () => reply;
    const { dense_problem } = await ask({ query: 'kettle' }, { embedder: embedderAt(endpoint, 'other') });
    expect(dense_problem).toMatch(next);
    // Here nothing is missing but the answer.
    const whole = await ask({ query: 'kettle' }, { embedder: embedderAt(endpoint) });
    expect(whole.dense_problem).not.toContain('backfill');
  });

  test('without vectors of its own is no help, though another has some', async () => {
    const answer = await ask({ query: 'kettle' }, { embedder: embedderAt(endpoint, 'other') });
    expect(numbers(answer)).toEqual([1]);
    expect(answer.dense_problem).toMatch(
      /^the index has no vectors of endpoint:.*:other: run gh-rag backfill embeddings$/,
    );
    expect(await ask({ query: 'kettle' }, { embedder: 'lsa' })).toMatchObject({
      dense_problem: expect.stringMatching(/^the index has no vectors: /) as string,
    });
  });
});

describe('reranking', () => {
  const reranker = (model?: string, budgetMs?: number) =>
    endpointReranker({ url: `${endpoint.origin}/rerank`, model, key: undefined }, testPace(), budgetMs);
  const WORDS = { embedder: null } as const;

  test('is local without an endpoint: every hit has a score, in order', async () => {
    const answer = await ask({ query: 'slow queue' });
    expect(answer).toMatchObject({ rerank_requested: true, rerank_applied: true });
    const scores = answer.results.map(({ rerank_score }) => rerank_score);
    expect(scores.every((score) => typeof score === 'number' && Number.isFinite(score))).toBe(true);
    expect(scores).toEqual([...scores].sort((a, b) => Number(b) - Number(a)));
  });

  test('that is not wanted, or has nothing to rerank, is not applied', async () => {
    const off = await ask({ query: 'slow queue', rerank: false }, { reranker: reranker() });
    expect(off).toMatchObject({ rerank_requested: false, rerank_applied: false });
    expect(off.results.every(({ rerank_score }) => rerank_score === null)).toBe(true);
    expect(await ask({ query: 'xyzzy' }, { ...WORDS, reranker: reranker() })).toMatchObject({
      count: 0,
      rerank_requested: true,
      rerank_applied: false,
    });
    const byTime = await ask({ query: 'slow', sort: 'created_desc' }, { reranker: reranker() });
    expect(byTime.rerank_applied).toBe(false);
    expect(endpoint.asked.filter(({ path }) => path === '/rerank')).toEqual([]);
  });

  test.each([undefined, 'judge'])('by an endpoint (model %s) has its order and its scores', async (model) => {
    const fused = await ask({ query: 'slow', rerank: false }, WORDS);
    expect(new Set(numbers(fused))).toEqual(new Set([2, 4]));
    const answer = await ask({ query: 'slow' }, { ...WORDS, reranker: reranker(model) });
    expect(answer.rerank_applied).toBe(true);
    expect(answer.results.map(({ number, rerank_score }) => [number, rerank_score])).toEqual([
      [4, 3],
      [2, 0.5],
    ]);
    const body = endpoint.asked[0]?.body;
    expect(body?.query).toBe('slow');
    const texts = [body?.texts ?? body?.documents].flat().map(String);
    expect(new Set(texts.map((text) => text.split('\n')[0]))).toEqual(new Set(['Workers starve', 'A queue is stuck']));
  });

  test.each<[string, Reply]>([
    ['is away', reset],
    ['refuses', status(401)],
    ['fails', status(500)],
    ['leaves a score out', [{ index: 0, score: 1 }]],
    ['gives no number', [0, 1].map((index) => ({ index, score: null }))],
  ])('by an endpoint that %s keeps the order of the fusion, and says so', async (_, reply) => {
    const fused = await ask({ query: 'slow', rerank: false }, WORDS);
    endpoint.otherwise = () => reply;
    const answer = await ask({ query: 'slow' }, { ...WORDS, reranker: reranker() });
    expect(answer).toMatchObject({ rerank_requested: true, rerank_applied: false });
    expect(numbers(answer)).toEqual(numbers(fused));
    expect(answer.results.every(({ rerank_score }) => rerank_score === null)).toBe(true);
  });

  test('by an endpoint ends with its budget', async () => {
    endpoint.otherwise = () => () => undefined;
    const answer = await ask({ query: 'slow' }, { ...WORDS, reranker: reranker(undefined, 30) });
    expect(answer).toMatchObject({ count: 2, rerank_applied: false });
  });

  test('stops where the caller does not wait', async () => {
    const controller = new AbortController();
    endpoint.otherwise = () => {
      controller.abort();
      return status(500);
    };
    await expect(
      ask({ query: 'slow' }, { ...WORDS, reranker: reranker(), signal: controller.signal }),
    ).rejects.toMatchObject({ code: 'interrupted' });
  });
});
