import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endpointEmbedder } from '../../../src/lib/adapters/embedders/endpoint.ts';
import type { Embedder } from '../../../src/lib/engine/embedder.ts';
import { Failure } from '../../../src/lib/core/failure.ts';
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

const KEY = 'canary-3f9a6c';
const PATIENCE = {
  query: { attempts: 1, attemptMs: 20_000, totalMs: 30_000 },
  passage: { attempts: 4, attemptMs: 20_000, totalMs: 30_000 },
};
const { signal } = new AbortController();

let server: ModelEndpoint;
let pace: ReturnType<typeof testPace>;
let embedder: Embedder;

/** Of a text that is a number: that far along a quarter of a circle, so a vector tells which text it is of. */
const angleOf = (text: string): number => Number(/\d+/.exec(text)?.[0] ?? 0) / 1000;
const vectorOf = (text: string): number[] => [3 * Math.cos(angleOf(text)), 3 * Math.sin(angleOf(text))];

function answerTo({ body }: Asked): { data: { index: number; embedding: unknown }[] } {
  return { data: (body.input as string[]).map((text, index) => ({ index, embedding: vectorOf(text) })) };
}

function embedderAt(parts: { url?: string; key?: string | undefined; prefix?: string } = {}): Embedder {
  const { url = `${server.origin}/v1/embeddings`, prefix = '' } = parts;
  const key = 'key' in parts ? parts.key : KEY;
  const endpoint = { url, model: 'm', key, queryPrefix: prefix && `q${prefix}`, passagePrefix: prefix && `p${prefix}` };
  return endpointEmbedder(endpoint, pace, PATIENCE);
}

const failureOf = (work: Promise<unknown>): Promise<Failure> => failureWithout(KEY, work);

beforeAll(async () => {
  server = await startModelEndpoint(answerTo);
});

beforeEach(() => {
  Object.assign(server, { replies: [], otherwise: answerTo });
  server.asked.length = 0;
  pace = testPace();
  embedder = embedderAt();
});

afterAll(async () => {
  await server.close();
});

describe('a request', () => {
  it('names the model, asks for floats and carries the key as a bearer token alone', async () => {
    await embedder.embed(['1', '2'], 'passage', signal);
    await embedderAt({ key: undefined }).embed(['3'], 'query', signal);
    expect(server.asked).toEqual([
      {
        path: '/v1/embeddings',
        authorization: `Bearer ${KEY}`,
        body: { model: 'm', input: ['1', '2'], encoding_format: 'float' },
      },
      {
        path: '/v1/embeddings',
        authorization: undefined,
        body: { model: 'm', input: ['3'], encoding_format: 'float' },
      },
    ]);
  });

  it('has the prefix of its role, no more of a text than 4000 code points, and never nothing', async () => {
    await embedderAt({ prefix: ': ' }).embed(['1'], 'query', signal);
    await embedderAt({ prefix: ': ' }).embed([`${'😀'.repeat(4000)}x`, 'a\ud800\r\n'], 'passage', signal);
    await embedder.embed(['', ' \n'], 'passage', signal);
    expect(server.asked.map(({ body }) => body.input)).toEqual([
      ['q: 1'],
      [`p: ${'😀'.repeat(4000)}`, 'p: a\ufffd\n'],
      ['.', '.'],
    ]);
  });

  it('is not made for no texts', async () => {
    expect(await embedder.embed([], 'passage', signal)).toEqual([]);
    expect(server.asked).toEqual([]);
  });
});

describe('an answer', () => {
  it('gives every text its vector of length 1, whatever order it comes in, over all batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 1500 }), { maxLength: 80 }),
        fc.infiniteStream(fc.nat()),
        async (numbers, keys) => {
          server.otherwise = (asked) => ({
            data: answerTo(asked)
              .data.map((item) => ({ item, key: keys.next().value }))
              .sort((a, b) => a.key - b.key)
              .map(({ item }) => item),
          });
          const vectors = await embedder.embed(numbers.map(String), 'passage', signal);
          expect(vectors).toHaveLength(numbers.length);
          numbers.forEach((number, at) => {
            expect(vectors[at]?.[0]).toBeCloseTo(Math.cos(number / 1000), 6);
            expect(vectors[at]?.[1]).toBeCloseTo(Math.sin(number / 1000), 6);
          });
        },
      ),
      { numRuns: 10 },
    );
  });

  it.each<[string, Reply, RegExp]>([
    ['HTML', '<html><body>sign in</body></html>', /: it is not JSON$/],
    ['NaN', '{"data":[{"index":0,"embedding":[NaN,1]}]}', /: it holds a number that is not finite$/],
    ['a partial batch', { data: [{ index: 0, embedding: [1, 0] }] }, /: 1 vectors for 2 texts$/],
  ])('is refused for %s, at once', async (_what, reply, message) => {
    server.replies = [reply];
    const failure = await failureOf(embedder.embed(['1', '2'], 'passage', signal));
    expect(failure).toMatchObject({ code: 'endpoint_unusable', message: expect.stringMatching(message) });
    expect(failure.hint).toContain('GH_RAG_EMBEDDER_MODEL');
    expect(server.asked).toHaveLength(1);
  });

  it('keeps the dimension of the first one, and one bad batch is the end of the call', async () => {
    await embedder.embed(['1'], 'query', signal);
    server.replies = [{ data: [{ index: 0, embedding: [1, 0, 0] }] }];
    const failure = await failureOf(embedder.embed(['1'], 'query', signal));
    expect(failure.message).toMatch(/: a vector has dimension 3, others have 2$/);
    const good: Reply = (response, asked) => response.end(JSON.stringify(answerTo(asked)));
    server.replies = [good, status(401)];
    const texts = Array.from({ length: 100 }, (_, at) => String(at));
    expect(await failureOf(embedder.embed(texts, 'passage', signal))).toMatchObject({ code: 'credential_required' });
    expect(server.asked).toHaveLength(4);
  });
});

describe('trouble', () => {
  it.each<[string, Reply]>([
    ['500', status(500)],
    ['503', status(503)],
    ['429', status(429)],
    ['408', status(408)],
    ['a reset', reset],
    ['a truncated body', truncated],
    ['a body cut as if it were whole', '{"data":[{"ind'],
  ])('%s is tried again for passages, after a pause of any length', async (_what, reply) => {
    server.replies = [reply, reply];
    expect(await embedder.embed(['1'], 'passage', signal)).toHaveLength(1);
    expect(server.asked).toHaveLength(3);
    expect(pace.slept).toEqual([250, 500]);
  });

  it('waits as long as the server asks to, and not beyond its time', async () => {
    const date = 'Tue, 02 Jan 2024 00:00:00 GMT';
    const later = 'Tue, 02 Jan 2024 00:00:07 GMT';
    server.replies = [status(429, { 'retry-after': '4' }), status(503, { date, 'retry-after': later })];
    await embedder.embed(['1'], 'passage', signal);
    expect(pace.slept).toEqual([4000, 7000]);
    server.replies = [status(429, { 'retry-after': '3600' })];
    expect(await failureOf(embedder.embed(['1'], 'passage', signal))).toMatchObject({
      code: 'endpoint_unavailable',
      message: expect.stringMatching(/HTTP status 429, it asks to wait 3600 s$/),
    });
    expect(pace.slept).toHaveLength(2);
  });

  it('ends after some attempts', async () => {
    server.otherwise = () => status(500);
    expect(await failureOf(embedder.embed(['1'], 'passage', signal))).toMatchObject({ code: 'endpoint_unavailable' });
    expect(server.asked).toHaveLength(4);
  });

  it('silence ends with the time of the attempt', async () => {
    const slow = await startModelEndpoint(() => silence);
    try {
      const brief = { attempts: 2, attemptMs: 30, totalMs: 30_000 };
      const endpoint = { url: slow.origin, model: 'm', key: KEY, queryPrefix: '', passagePrefix: '' };
      const waiting = endpointEmbedder(endpoint, pace, { query: { ...brief, attempts: 1 }, passage: brief });
      for (const role of ['query', 'passage'] as const) {
        expect(await failureOf(waiting.embed(['1'], role, signal))).toMatchObject({
          code: 'endpoint_unavailable',
          message: expect.stringMatching(/does not answer in time$/),
        });
      }
      expect(pace.slept).toHaveLength(1);
    } finally {
      await slow.close();
    }
  });

  it.each<[string, Reply]>([
    ['500', status(500)],
    ['a reset', reset],
  ])('%s ends a query at its first attempt', async (_what, reply) => {
    server.replies = [reply];
    expect(await failureOf(embedder.embed(['1'], 'query', signal))).toMatchObject({ code: 'endpoint_unavailable' });
    expect(server.asked).toHaveLength(1);
    expect(pace.slept).toEqual([]);
  });

  it.each<[number, string, RegExp, string]>([
    [401, 'credential_required', /refuses the key: HTTP status 401$/, 'Put a valid key into GH_RAG_EMBEDDER_KEY.'],
    [403, 'credential_required', /refuses the key: HTTP status 403$/, 'Put a valid key into GH_RAG_EMBEDDER_KEY.'],
    [404, 'endpoint_unusable', /path or model: HTTP status 404$/, 'Check GH_RAG_EMBEDDER and GH_RAG_EMBEDDER_MODEL.'],
    [422, 'endpoint_unusable', /refuses the request: HTTP status 422$/, expect.stringContaining('too long')],
  ])('%d is not tried again', async (code, failureCode, message, hint) => {
    server.replies = [status(code)];
    const failure = await failureOf(embedder.embed(['1'], 'passage', signal));
    expect(failure).toMatchObject({ code: failureCode, message: expect.stringMatching(message), hint });
    expect(server.asked).toHaveLength(1);
  });

  it('says that a key is wanted where there is none', async () => {
    server.replies = [status(401)];
    const { message } = await failureOf(embedderAt({ key: undefined }).embed(['1'], 'passage', signal));
    expect(message).toMatch(/wants a key: HTTP status 401$/);
  });

  it('a redirect takes neither key nor text to another origin', async () => {
    const other = await startModelEndpoint(answerTo);
    try {
      for (const code of [301, 302, 307, 308]) {
        server.replies = [status(code, { location: `${other.origin}/v1/embeddings` })];
        const failure = await failureOf(embedder.embed(['1'], 'passage', signal));
        expect(failure).toMatchObject({ code: 'endpoint_unusable', hint: expect.stringContaining('GH_RAG_EMBEDDER') });
      }
      expect(other.asked).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('says that nothing is there', async () => {
    const gone = await startModelEndpoint(answerTo);
    await gone.close();
    const failure = await failureOf(embedderAt({ url: `${gone.origin}/v1/embeddings` }).embed(['1'], 'query', signal));
    expect(failure).toMatchObject({
      code: 'endpoint_unavailable',
      message: expect.stringMatching(/connection refused$/),
    });
  });

  it('ends when the caller no longer wants the answer', async () => {
    const caller = new AbortController();
    server.replies = [
      () => {
        caller.abort(new Failure('interrupted', 'interrupted'));
      },
    ];
    expect(await failureOf(embedder.embed(['1'], 'passage', caller.signal))).toBe(caller.signal.reason);
    expect(await failureOf(embedder.embed(['1'], 'passage', AbortSignal.abort()))).toMatchObject({
      code: 'interrupted',
    });
    expect(server.asked).toHaveLength(1);
  });
});
