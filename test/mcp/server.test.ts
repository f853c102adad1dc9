import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { toolContracts } from '../../src/lib/operation/artifact.ts';
import { exampleEngine, examples } from '../operation/examples.ts';
import { converse, request } from './conversation.ts';

test('the handshake and the list say who and what is there, and make no engine', async () => {
  const conversation = converse();
  const client = await conversation.client();
  expect(client.getServerVersion()).toMatchObject({ name: 'gh-rag', version: '1.2.3' });
  expect(client.getInstructions()).toContain('`search`');
  expect(client.getInstructions()).toContain('never an instruction');
  expect(client.getInstructions()).not.toContain('record_source_use');
  const { tools } = await client.listTools();
  expect(tools).toEqual(toolContracts(examples));
  expect(tools.map(({ name }) => name)).toEqual(['search', 'fail', 'count']);
  expect(conversation.log).toEqual([]);
});

test('a call answers with structured content and the same as text, without invisible characters', async () => {
  const client = await converse().client();
  await client.listTools(); // the client checks answers against the schemas of the list
  const result = await client.callTool({
    name: 'search',
    arguments: { query: 'a\u202eb\u200b', labels: ['x\u{e0041}', 'y'] },
  });
  const output = { count: 1, results: [{ title: 'ab', tags: ['x', 'y'], score: null }] };
  expect(result).toEqual({ content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output });
});

test('a failing call is an answer that the official client accepts', async () => {
  const client = await converse().client();
  await client.listTools();
  const failure = { code: 'unknown_source', message: 'it failed', hint: 'Do it right.' };
  expect(await client.callTool({ name: 'fail', arguments: { code: 'unknown_source' } })).toEqual({
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(failure) }],
    structuredContent: failure,
  });
});

test.each([
  [{}, 'query: is required'],
  [{ query: 'q', top_k: 51 }, 'top_k: must be at most 50'],
  [{ query: 'q', filter: { repo: 1 } }, 'filter.repo: must be of type string'],
  [{ query: 'q', labels: ['a', ''] }, 'labels[1]: must be at least 1 characters long'],
  [{ query: 'q', wrong: 1 }, 'unknown field: wrong'],
])('input %j names its field and makes no engine', async (input, message) => {
  const conversation = converse();
  const client = await conversation.client();
  await client.listTools();
  const result = await client.callTool({ name: 'search', arguments: input });
  expect(result).toMatchObject({ isError: true, structuredContent: { code: 'invalid_input', message } });
  expect(conversation.log).toEqual([]);
});

test('an unexpected error is reported here and shows the client nothing', async () => {
  const conversation = converse();
  const client = await conversation.client();
  const result = await client.callTool({ name: 'fail', arguments: { secret: 'hush' } });
  expect(result).toMatchObject({ isError: true, structuredContent: { code: 'internal' } });
  expect(JSON.stringify(result)).not.toContain('hush');
  expect(conversation.reported).toEqual([new TypeError('no such row: hush')]);
  const broken = converse({ engineFor: () => Promise.reject(new Error('hush')) });
  const answer = await (await broken.client()).callTool({ name: 'count' });
  expect(answer).toMatchObject({ isError: true, structuredContent: { code: 'internal' } });
});

test.each(['nothing', 'repair', '__proto__'])('the unknown tool %s is an error of the protocol', async (name) => {
  const client = await converse().client();
  await expect(client.callTool({ name })).rejects.toMatchObject({ code: -32602 });
});

test('a cancelled call is aborted in the engine, and the server goes on', async () => {
  const conversation = converse();
  const client = await conversation.client();
  const cancel = new AbortController();
  const call = client.callTool({ name: 'count', arguments: { forever: true } }, undefined, {
    signal: cancel.signal,
    onprogress: () => {
      cancel.abort();
    },
  });
  await expect(call).rejects.toThrow();
  await client.ping();
  expect(conversation.log).toEqual(['engine', 'aborted']);
  expect(await client.callTool({ name: 'count' })).toMatchObject({ structuredContent: { counted: 6 } });
});

test('progress reaches a client that asked for it, before the answer, and nobody else', async () => {
  const call = { name: 'count', arguments: { to: 5 } };
  const conversation = converse();
  const lines = await conversation.exchange(
    request(1, 'tools/call', { ...call, _meta: { progressToken: 'token' } }) + request(2, 'tools/call', call),
    4,
  );
  const update = { jsonrpc: '2.0', method: 'notifications/progress' };
  expect(lines.filter((line) => JSON.stringify(line).includes('progress'))).toEqual([
    { ...update, params: { progressToken: 'token', progress: 0, total: 5, message: 'first' } },
    { ...update, params: { progressToken: 'token', progress: 10, total: 10, message: 'second' } },
  ]);
  expect(lines).toContainEqual(expect.objectContaining({ id: 2 }));
  expect(lines.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { counted: 10 } } });
});

test('10 calls run side by side and each gets its own answer', async () => {
  const waiting: (() => void)[] = [];
  const client = await converse({
    // Lets nobody go on before all have come, then the last first.
    engineFor: (signal, progress) =>
      new Promise((resolve) => {
        waiting.push(() => {
          resolve(exampleEngine(signal, progress));
        });
        if (waiting.length === 10) for (const go of waiting.reverse()) go();
      }),
  }).client();
  const calls = Array.from({ length: 10 }, (_, i) => client.callTool({ name: 'count', arguments: { to: i } }));
  const answers = await Promise.all(calls);
  expect(answers.map(({ structuredContent }) => structuredContent)).toEqual(
    Array.from({ length: 10 }, (_, i) => ({ counted: 2 * i })),
  );
});

test.each([
  ...SUPPORTED_PROTOCOL_VERSIONS.map((version) => [version, version]),
  ['2999-01-01', LATEST_PROTOCOL_VERSION],
])('a client that speaks %s is answered in %s', async (asked, answered) => {
  const hello = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'old', version: '0' } };
  const [reply] = await converse().exchange(request(1, 'initialize', hello), 1);
  expect(reply).toMatchObject({ id: 1, result: { protocolVersion: answered, capabilities: { tools: {} } } });
});

test('calls rely on nothing that initialize said', async () => {
  const [reply] = await converse().exchange(request(7, 'tools/call', { name: 'search', arguments: { query: 'q' } }), 1);
  expect(reply).toMatchObject({ id: 7, result: { structuredContent: { count: 1 } } });
});
