import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backfillOperation } from '../../src/lib/admin/backfill.ts';
import { status } from '../../src/lib/admin/status.ts';
import { change } from '../../src/lib/engine/database.ts';
import { allowedBy } from '../../src/lib/engine/allow-list.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { embeddingsBackfill } from '../../src/lib/indexing/backfill-embeddings.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { embedderAt, embeddingsOf, storedVectors } from '../support/embeddings.ts';
import { testEngine } from '../support/engine.ts';
import {
  type Asked,
  type ModelEndpoint,
  type Reply,
  reset,
  startModelEndpoint,
  status as answerWith,
} from '../support/model-endpoint.ts';
import { temporaryDirectory } from '../support/repository.ts';
import { TestIndex } from '../support/test-index.ts';

const backfill = backfillOperation([embeddingsBackfill]);

let endpoint: ModelEndpoint;
let index: TestIndex;
let folder: string;
beforeEach(async () => {
  endpoint = await startModelEndpoint(embeddingsOf);
  index = new TestIndex();
  folder = temporaryDirectory();
});
afterEach(async () => {
  await endpoint.close();
  await index.remove();
});

/** An export of issues with these numbers. */
function exported(from: number, to: number): string {
  const file = join(folder, `${String(from)}.jsonl`);
  const records = Array.from({ length: to - from + 1 }, (_, at) => ({
    repo: 'acme/app',
    type: 'issue',
    number: from + at,
    title: at % 2 === 0 ? 'The kettle boils over' : 'The scheduler starves',
    body: `Seen ${String(from + at)} times.`,
    updated_at: '2024-05-01T00:00:00Z',
  }));
  writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'));
  return file;
}

/** An engine whose embedder knows nothing of earlier answers, as that of a program that starts. */
const engine = (model?: string): Engine => testEngine(index.test, { embedder: embedderAt(endpoint, model) });
const run = (file: string, more: Partial<Engine> = {}) => index.index(file, {}, { ...engine(), ...more });
const covered = async (model?: string): Promise<readonly [number, number]> => {
  const { passages, embedded } = await invoke(status, engine(model), {});
  return [passages, embedded];
};

/** Answers as the model does, with one thing wrong. */
const wrong =
  (change: (data: { embedding: unknown[] }[]) => unknown[]) =>
  (asked: Asked): Reply => ({ data: change(embeddingsOf(asked).data) });

const FAULTS: readonly (readonly [string, (asked: Asked) => Reply, RegExp])[] = [
  ['closes the connection', () => reset, /broke off|refused/],
  ['wants another key', () => answerWith(401), /key/],
  ['fails', () => answerWith(503), /503/],
  [
    'has a number that is none',
    wrong(([first, ...rest]) => [{ ...first, embedding: [1, null, 0, 0] }, ...rest]),
    /not finite/,
  ],
  ['leaves a vector out', wrong(([, ...rest]) => rest), /./],
  ['has vectors of two dimensions', wrong(([first, ...rest]) => [{ ...first, embedding: [1] }, ...rest]), /dimension/],
];

describe.each(FAULTS)('an endpoint that %s', (_, fault, problem) => {
  test('leaves documents without vectors; a backfill makes them later', async () => {
    endpoint.otherwise = fault;
    const { targets, embedding } = await run(exported(1, 5));
    expect(targets[0]?.written).toBe(5);
    expect(embedding).toMatchObject({ passages: 0, problem: expect.stringMatching(problem) as string });
    expect(embedding?.problem?.match(/un gh-rag backfill embeddings/g)).toHaveLength(1);
    expect(JSON.stringify(embedding)).not.toContain('canary');
    expect(await covered()).toEqual([5, 0]);
    await expect(invoke(backfill, engine(), { surface: 'embeddings' })).rejects.toMatchObject({
      message: expect.stringMatching(problem) as string,
    });

    endpoint.otherwise = embeddingsOf;
    expect(await invoke(backfill, engine(), { surface: 'embeddings', dry_run: true })).toMatchObject({ repaired: 5 });
    expect(await covered()).toEqual([5, 0]);
    expect(await invoke(backfill, engine(), { surface: 'embeddings' })).toMatchObject({ repaired: 5, done: true });
    expect(await covered()).toEqual([5, 5]);
    expect(await invoke(backfill, engine(), { surface: 'embeddings' })).toMatchObject({ repaired: 0, done: true });
  });
});

test('an endpoint that fails while an index grows is asked once for the batches, and told of', async () => {
  await run(exported(1, 3));
  expect(await covered()).toEqual([3, 3]);
  endpoint.otherwise = () => answerWith(401);
  endpoint.asked.length = 0;
  const notes: string[] = [];
  const progress = { start: () => ({ advance: () => undefined, end: () => undefined }), end: () => undefined };
  const { embedding } = await run(exported(4, 9), { progress: { ...progress, note: (text) => void notes.push(text) } });
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatch(/^Documents are stored without vectors: /);
  const told =
    /refuses the key: HTTP status 401\. Put a valid key into GH_RAG_EMBEDDER_KEY\. Then run gh-rag backfill embeddings\.$/;
  expect(embedding).toMatchObject({ passages: 0, problem: expect.stringMatching(told) as string });
  // Once for what was written, once at the end.
  expect(endpoint.asked).toHaveLength(2);
  expect(await covered()).toEqual([9, 3]);
  endpoint.otherwise = embeddingsOf;
  // The next run makes up for it, though nothing is new.
  expect(await run(exported(4, 9))).toMatchObject({ embedding: { passages: 6 } });
  expect(await covered()).toEqual([9, 9]);
  // Everything that must agree does.
  await index.digest();
});

test('an endpoint is sent no text of a repository outside the list, whoever asks', async () => {
  await run(exported(1, 2), { embedder: null });
  const secret = join(folder, 'secret.jsonl');
  const record = {
    repo: 'vault/hidden',
    type: 'issue',
    number: 1,
    title: 'Nightjar',
    body: 'The nightjar sings at noon.',
  };
  writeFileSync(secret, JSON.stringify({ ...record, updated_at: '2024-05-01T00:00:00Z' }));
  await run(secret, { embedder: null });

  const listed = { ...engine(), allowed: allowedBy(['acme/*']) };
  const embeddings = { surface: 'embeddings' } as const;
  expect(await invoke(backfill, listed, { ...embeddings, dry_run: true })).toMatchObject({ repaired: 2 });
  expect(await run(exported(3, 3), { allowed: listed.allowed })).toMatchObject({ embedding: { passages: 3 } });
  expect(await invoke(backfill, listed, embeddings)).toMatchObject({ repaired: 0, done: true });
  expect(await invoke(status, listed, {})).toMatchObject({ passages: 3, embedded: 3 });
  expect(endpoint.asked.length).toBeGreaterThan(0);
  expect(JSON.stringify(endpoint.asked)).not.toMatch(/nightjar/);

  // Without the list it is sent.
  expect(await invoke(backfill, engine(), embeddings)).toMatchObject({ repaired: 1, done: true });
  expect(JSON.stringify(endpoint.asked)).toMatch(/nightjar/);
});

test('half of what was asked for counts as nothing', async () => {
  // 40 texts are two requests.
  endpoint.otherwise = () => answerWith(401);
  endpoint.replies = [(response, asked) => void response.end(JSON.stringify(embeddingsOf(asked)))];
  const { embedding } = await run(exported(1, 40));
  expect(endpoint.asked.map(({ body }) => (body.input as string[]).length)).toEqual([32, 8]);
  const told =
    /refuses the key: HTTP status 401\. Put a valid key into GH_RAG_EMBEDDER_KEY\. Then run gh-rag backfill embeddings\.$/;
  expect(embedding).toMatchObject({ passages: 0, problem: expect.stringMatching(told) as string });
  expect(await covered()).toEqual([40, 0]);
  expect(await storedVectors(index.test)).toEqual([]);
});

test('an endpoint that fails after a while is told of beside what it made', async () => {
  // 512 passages are stored together, in requests of 32.
  endpoint.otherwise = (asked) =>
    (asked.body.input as string[]).length === 32 ? embeddingsOf(asked) : answerWith(401);
  expect(await run(exported(1, 520))).toMatchObject({
    embedding: { passages: 512, problem: expect.stringMatching(/key/) as string },
  });
  expect(await covered()).toEqual([520, 512]);
});

test('another model has vectors of its own, and those of the first stay with it', async () => {
  await run(exported(1, 4));
  const first = await storedVectors(index.test);
  expect(await covered('other')).toEqual([4, 0]);
  await invoke(backfill, engine('other'), { surface: 'embeddings' });
  expect(await covered('other')).toEqual([4, 4]);
  const all = await storedVectors(index.test);
  const { host } = new URL(endpoint.origin);
  expect(new Set(all.map(({ embedder }) => embedder))).toEqual(
    new Set([`endpoint:${host}:topics`, `endpoint:${host}:other`]),
  );
  expect(all.filter(({ embedder }) => embedder.endsWith(':topics'))).toEqual(first);
  // Latent semantics of the index are a third.
  const lsa = testEngine(index.test, { embedder: 'lsa' });
  expect(await invoke(backfill, lsa, { surface: 'embeddings' })).toMatchObject({ repaired: 4 });
  expect((await storedVectors(index.test)).filter(({ embedder }) => embedder.endsWith(':topics'))).toEqual(first);
});

test('a model that changes its dimensions under its name is refused, and what it made stays', async () => {
  await run(exported(1, 4));
  const stored = await storedVectors(index.test);
  endpoint.otherwise = (asked) => ({
    data: embeddingsOf(asked).data.map((each) => ({ ...each, embedding: [...each.embedding, 1] })),
  });
  const { targets, embedding } = await run(exported(5, 6));
  expect(targets[0]?.written).toBe(2);
  expect(embedding?.problem).toMatch(
    /:topics now gives 5 dimensions; vectors of 4 are stored\. Serve .* and run gh-rag backfill embeddings\.$/,
  );
  await expect(invoke(backfill, engine(), { surface: 'embeddings' })).rejects.toMatchObject({
    code: 'endpoint_unusable',
    message: expect.stringMatching(/:topics now gives 5 dimensions; vectors of 4 are stored$/) as string,
    hint: expect.stringContaining('GH_RAG_EMBEDDER_MODEL') as string,
  });
  expect(await storedVectors(index.test)).toEqual(stored);
  // The way out that the hint names.
  expect(await invoke(backfill, engine('wider'), { surface: 'embeddings' })).toMatchObject({ repaired: 6, done: true });
  expect(await covered('wider')).toEqual([6, 6]);
});

test('dimensions that cannot be stored, or of which nothing is, do not bind the name of a model', async () => {
  const wide = wrong((data) => data.map((each) => ({ ...each, embedding: new Array(70_000).fill(1) })));
  endpoint.otherwise = wide;
  const { targets, embedding } = await run(exported(1, 2));
  expect(targets[0]?.written).toBe(2);
  expect(embedding?.problem).toMatch(
    /gives vectors of 70000 dimensions; an index holds 65536 at most\. .* Then run gh-rag backfill embeddings\.$/,
  );
  await expect(invoke(backfill, engine(), { surface: 'embeddings' })).rejects.toMatchObject({
    code: 'endpoint_unusable',
  });
  endpoint.otherwise = embeddingsOf;
  expect(await invoke(backfill, engine(), { surface: 'embeddings' })).toMatchObject({ repaired: 2, done: true });

  // As an earlier version left it, or as it is when all that was embedded is gone.
  await index.test.database.write([
    change('DELETE FROM passage_vectors'),
    change('UPDATE embedders SET dimensions = 7'),
  ]);
  expect(await covered()).toEqual([2, 0]);
  expect(await run(exported(3, 3))).toMatchObject({ embedding: { passages: 3 } });
  expect(await covered()).toEqual([3, 3]);
  expect(await storedVectors(index.test)).toHaveLength(3);
});

test('a backfill goes on from part to part, and needs an embedder and a cursor of its own', async () => {
  endpoint.otherwise = () => answerWith(503);
  await run(exported(1, 501));
  endpoint.otherwise = embeddingsOf;
  const first = await invoke(backfill, engine(), { surface: 'embeddings', limit: 1 });
  expect(first).toMatchObject({ repaired: 500, done: false });
  const { next_cursor: cursor } = first;
  expect(first.next_command).toBe(`gh-rag backfill embeddings --limit 1 --cursor ${String(cursor)}`);
  expect(await invoke(backfill, engine(), { surface: 'embeddings', limit: 1, cursor: cursor ?? '' })).toMatchObject({
    repaired: 1,
    done: true,
  });
  expect(await covered()).toEqual([501, 501]);
  await expect(invoke(backfill, engine(), { surface: 'embeddings', cursor: 'x' })).rejects.toMatchObject({
    code: 'invalid_cursor',
  });
  await expect(invoke(backfill, testEngine(index.test), { surface: 'embeddings' })).rejects.toMatchObject({
    message: 'no embedder is configured',
  });
});
