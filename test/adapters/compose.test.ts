import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { shareDatabase, type SharedOptions } from '../../src/lib/adapters/compose.ts';
import { storeBatch } from '../../src/lib/corpus/store.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { memoryHistory } from '../../src/lib/feedback/history.ts';
import { recordSourceUse } from '../../src/lib/feedback/source-use.ts';
import { edgesOf } from '../../src/lib/indexing/edges.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { status } from '../../src/lib/admin/status.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import { type Hrana, startHrana } from '../support/hrana/start.ts';
import { startModelEndpoint } from '../support/model-endpoint.ts';
import { type Asked, issue } from '../support/project.ts';
import { temporaryDirectory } from '../support/repository.ts';

let hrana: Hrana;
let dataDir: string;
const made: (() => Promise<void>)[] = [];

async function engineOf(options: Partial<SharedOptions>): Promise<Engine> {
  const shared = shareDatabase({
    db: undefined,
    dataDir,
    configDir: dataDir,
    cacheDir: dataDir,
    variables: { PATH: '' },
    ...options,
  });
  made.push(() => shared.close());
  const progress = {
    start: () => ({ advance: () => undefined, end: () => undefined }),
    note: () => undefined,
    end: () => undefined,
  };
  return shared.engineFor(new AbortController().signal, progress);
}

const withToken = () => ({ GH_RAG_DB_TOKEN: hrana.token });

beforeAll(async () => {
  hrana = await startHrana();
  dataDir = temporaryDirectory();
  await (await engineOf({ db: hrana.url, variables: withToken() })).schema.apply();
});

beforeEach(() => {
  mkdirSync(dataDir, { recursive: true });
});

afterEach(async () => {
  await Promise.all(made.splice(0).map((undo) => undo()));
  rmSync(dataDir, { recursive: true, force: true });
});

afterAll(async () => {
  await hrana.stop();
});

describe('the database that is chosen', () => {
  it('is a file without a URL, a server for one, and a copy of a server for GH_RAG_SYNC_URL', async () => {
    const variables = { ...withToken(), GH_RAG_SYNC_URL: hrana.url };
    expect((await engineOf({})).database).toMatchObject({ backend: 'local', location: join(dataDir, 'gh-rag.db') });
    const location = hrana.url.replace('http', 'libsql');
    const remote = await engineOf({ db: `${location}?tls=0`, variables: withToken() });
    expect((await invoke(status, remote, {})).database).toMatchObject({ backend: 'remote', location });
    const copy = await engineOf({ variables });
    expect((await invoke(status, copy, {})).database.backend).toBe('replica');
    expect(readdirSync(dataDir)).toContainEqual(expect.stringMatching(/^replica-[0-9a-f]{16}\.db$/));
  });

  it.each([
    [
      { db: 'libsql://a.example.com', variables: { GH_RAG_SYNC_URL: 'libsql://b.example.com' } },
      'invalid_input',
      /^db: must be a file/,
    ],
    [{ variables: { GH_RAG_EMBEDDER: 'https://u:SECRET@e.example.com' } }, 'invalid_input', /^GH_RAG_EMBEDDER: /],
    [{ variables: { GH_RAG_SYNC_URL: './x.db' } }, 'invalid_input', /^GH_RAG_SYNC_URL: /],
    [{ variables: { GH_RAG_SYNC_URL: 'libsql://u:SECRET@b.example.com' } }, 'invalid_input', /^GH_RAG_SYNC_URL: /],
    [
      { db: 'libsql://a.example.com', variables: { GH_RAG_DB_TOKEN: 'SECRET\nSECRET' } },
      'credential_required',
      /^GH_RAG_DB_TOKEN /,
    ],
  ])('%j is refused', async (options, code, message) => {
    const refused: unknown = await engineOf(options).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(String(refused)).not.toContain('SECRET');
  });

  it('is never a copy that is written to as if it were a file of its own', async () => {
    const file = join(dataDir, 'copy.db');
    const copy = await engineOf({ db: file, variables: { ...withToken(), GH_RAG_SYNC_URL: hrana.url } });
    await invoke(status, copy, {});
    await expect(engineOf({ db: file })).rejects.toThrow(/is the copy of a server's database/);
  });
});

describe('the models that help a search', () => {
  it('are those that are configured, known by name before anything is asked', async () => {
    const endpoint = await startModelEndpoint(({ body }) =>
      'texts' in body ? [{ index: 0, score: 2 }] : { data: [{ index: 0, embedding: [0, 2] }] },
    );
    const { host } = new URL(endpoint.origin);
    try {
      expect(await engineOf({})).toMatchObject({ embedder: 'lsa', reranker: null });
      const config = { embedder: endpoint.origin, embedder_model: 'm', reranker: endpoint.origin };
      const { embedder, reranker, signal } = await engineOf({ config });
      expect([embedder, reranker]).toMatchObject([{ id: `endpoint:${host}:m` }, { id: `endpoint:${host}` }]);
      expect(endpoint.asked).toEqual([]);
      if (embedder === null || embedder === 'lsa') throw new Error('no embedder');
      expect(await embedder.embed(['x'], 'query', signal)).toEqual([Float32Array.of(0, 1)]);
      expect(await reranker?.rerank('q', ['x'], signal)).toEqual([2]);
      const none = { GH_RAG_EMBEDDER: 'none', GH_RAG_RERANKER: 'none' };
      expect(await engineOf({ config, variables: none })).toMatchObject({ embedder: null, reranker: null });
    } finally {
      await endpoint.close();
    }
  });
});

describe('the memory of a database that others use too', () => {
  it.each(['remote', 'replica'])('is nobody’s without a verified user (%s)', async (backend) => {
    const options =
      backend === 'remote'
        ? { db: hrana.url, variables: withToken() }
        : { variables: { ...withToken(), GH_RAG_SYNC_URL: hrana.url } };
    const engine = await engineOf(options);
    const uses = [{ source_id: `src_${'a'.repeat(43)}`, stage: 'selected' }];
    for (const asked of [engine, { ...engine, principal: { kind: 'local' as const } }]) {
      const refused = { code: 'principal_required' };
      await expect(invoke(search, asked, { query: 'anything' })).rejects.toMatchObject(refused);
      await expect(invoke(memoryHistory, asked, {})).rejects.toMatchObject(refused);
      const use = { trace_id: `trc_${'a'.repeat(22)}`, idempotency_key: 'k', uses };
      await expect(invoke(recordSourceUse, asked, use)).rejects.toMatchObject(refused);
    }
    expect((await invoke(status, engine, {})).principal).toBeNull();
    const someone = { ...engine, principal: { kind: 'github' as const, userId: 7 } };
    expect(await invoke(search, someone, { query: 'anything' })).toMatchObject({ count: 0, feedback_available: true });
  });

  it('follows its user from machine to machine', async () => {
    const github = createServer((request, response) => {
      const id = request.headers.authorization?.endsWith(' of-ada') === true ? 11 : 12;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id }));
    });
    await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
    const GITHUB_API_URL = `http://127.0.0.1:${String((github.address() as AddressInfo).port)}`;
    const at = (machine: string, token: string) =>
      engineOf({
        db: hrana.url,
        configDir: join(dataDir, machine),
        variables: { ...withToken(), PATH: '', GITHUB_API_URL, GH_TOKEN: token },
      });
    try {
      const { trace_id } = await invoke(search, await at('desk', 'of-ada'), { query: 'anything' });
      const elsewhere = await invoke(memoryHistory, await at('laptop', 'of-ada'), {});
      expect(elsewhere).toMatchObject({ traces: [{ trace_id }] });
      const bob = await at('desk', 'of-bob');
      expect(await invoke(memoryHistory, bob, {})).toMatchObject({ traces: [] });
      expect((await invoke(status, bob, {})).principal).toBe(`github@${new URL(GITHUB_API_URL).host}:12`);
    } finally {
      github.close();
      github.closeAllConnections();
    }
  });
});

describe('the memory of a file of this machine', () => {
  it('is that of the verified user where there is a token, with one question to GitHub', async () => {
    let asked = 0;
    let answer: string | undefined = '{"id":11}';
    const github = createServer((_request, response) => {
      asked += 1;
      if (answer === undefined) response.socket?.destroy();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
    await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
    const GITHUB_API_URL = `http://127.0.0.1:${String((github.address() as AddressInfo).port)}`;
    const at = (token?: string) =>
      engineOf({ variables: { PATH: '', GITHUB_API_URL, ...(token !== undefined && { GH_TOKEN: token }) } });
    try {
      const nobody = await at();
      expect(nobody).toMatchObject({ principal: { kind: 'local' } });
      expect(nobody).not.toHaveProperty('principalProblem');
      await invoke(search, nobody, { query: 'anything' });
      const ada = await at('of-ada');
      expect(ada.principal).toMatchObject({ kind: 'github', userId: 11 });
      await at('of-ada');
      expect(asked).toBe(1);
      expect(await invoke(memoryHistory, ada, {})).toMatchObject({ traces: [] });
      expect(await invoke(status, ada, {})).toMatchObject({
        principal: expect.stringMatching(/^github@/) as string,
        local_traces: 1,
      });
      answer = undefined;
      expect((await at('of-ada')).principal).toMatchObject({ kind: 'github', userId: 11 });
      const unverified = await at('of-bob');
      expect(unverified).toMatchObject({
        principal: { kind: 'local' },
        principalProblem: expect.stringMatching(/cannot be reached/) as string,
      });
      expect(await invoke(status, unverified, {})).toMatchObject({
        principal: expect.stringMatching(/^local:/) as string,
        principal_problem: expect.stringMatching(/reached/) as string,
      });
      expect((await invoke(memoryHistory, unverified, {})).traces).toHaveLength(1);
    } finally {
      github.close();
      github.closeAllConnections();
    }
  });

  it('is looked for again by a server after a while, not by every call', async () => {
    let asked = 0;
    const github = createServer((_request, response) => {
      asked += 1;
      response.writeHead(502).end();
    });
    await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
    const GITHUB_API_URL = `http://127.0.0.1:${String((github.address() as AddressInfo).port)}`;
    const options = { db: undefined, dataDir, configDir: dataDir, cacheDir: dataDir };
    const shared = shareDatabase({ ...options, variables: { PATH: '', GITHUB_API_URL, GH_TOKEN: 'of-ada' } });
    const progress = { start: () => ({ advance: () => undefined, end: () => undefined }), note: () => undefined };
    const engineFor = () => shared.engineFor(new AbortController().signal, { ...progress, end: () => undefined });
    try {
      for (let call = 0; call < 3; call += 1) expect((await engineFor()).principal).toEqual({ kind: 'local' });
      expect(asked).toBe(1);
    } finally {
      await shared.close();
      github.close();
      github.closeAllConnections();
    }
  });
});

it('keeps a database on a server to the repositories of the configuration', async () => {
  const options = { db: hrana.url, variables: withToken() };
  const config = { allowed_repos: ['Acme/*'], embedder: 'none' };
  const [whole, listed] = await Promise.all([
    engineOf({ ...options, config: { embedder: 'none' } }),
    engineOf({ ...options, config }),
  ]);
  const body = (word: string) => ({ title: `Kettle ${word}`, body: `The kettle ${word} leaks, see acme/app#1.` });
  await storeBatch(whole.database, indexDocument, {
    documents: [issue(1, body('plain')), issue(2, { repo: 'vault/hidden', ...body('canary') })],
    edgesOf,
    watermark: { source: 'test', surface: 'records', before: null, after: '1', complete: true, owner: 'test' },
    now: 0,
  });
  const told = async (engine: Engine): Promise<string> => {
    const caller = { ...engine, principal: { kind: 'github' as const, userId: 7 } };
    const asks: Asked[] = [
      { query: 'kettle', graph_expand: true },
      { since: '90y' },
      { query: 'kettle', repo: 'vault/hiden' },
    ];
    const answers = await Promise.all(asks.map((asked) => invoke(search, caller, asked)));
    return JSON.stringify([answers, await invoke(status, caller, {})]);
  };
  expect(await told(whole)).toMatch(/acme\/app.*vault\/hidden/s);
  expect(await told(whole)).toContain('canary');
  expect(await told(listed)).toContain('acme/app');
  expect(await told(listed)).not.toMatch(/canary|vault/);
});
