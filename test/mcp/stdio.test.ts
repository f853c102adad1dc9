import { once } from 'node:events';
import { expect, test } from 'vitest';
import { LINE_LIMIT } from '../../src/lib/mcp/stdio-transport.ts';
import { converse, request } from './conversation.ts';

const FOREVER = request(1, 'tools/call', {
  name: 'count',
  arguments: { forever: true },
  _meta: { progressToken: 'started' },
});

test('a line that is no message is answered, and the next one is served', async () => {
  const conversation = converse();
  const bad = ['{"jsonrpc": "2.0", "id": 1', '', '  ', '\u0000\ufffe', '42', '{"id":3,"method":"ping"}', '{"id":[]}'];
  const replies = await conversation.exchange(`${bad.join('\n')}\r\n${request(9, 'ping')}`, 6);
  expect(replies).toEqual([
    { jsonrpc: '2.0', error: { code: -32700, message: 'message is no JSON' } },
    { jsonrpc: '2.0', error: { code: -32700, message: 'message is no JSON' } },
    { jsonrpc: '2.0', error: { code: -32600, message: 'message is no JSON-RPC 2.0 request' } },
    { jsonrpc: '2.0', id: 3, error: { code: -32600, message: 'message is no JSON-RPC 2.0 request' } },
    { jsonrpc: '2.0', error: { code: -32600, message: 'message is no JSON-RPC 2.0 request' } },
    { jsonrpc: '2.0', id: 9, result: {} },
  ]);
  const client = await conversation.client();
  expect(await client.ping()).toEqual({});
});

test('a line over the limit is refused without being kept; one at the limit is read', async () => {
  const conversation = converse();
  for (let i = 0; i < 3; i += 1) conversation.stdin.write('x'.repeat(LINE_LIMIT / 2));
  const [refused, pong] = await conversation.exchange(`\n${request(2, 'ping')}`, 2);
  expect(refused).toMatchObject({ error: { code: -32600 } });
  expect(pong).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  const call = request(3, 'tools/call', { name: 'search', arguments: { query: '' } }).trimEnd();
  const padded = call.replace('"query":""', `"query":"${'q'.repeat(LINE_LIMIT - call.length)}"`);
  const [answer] = await conversation.exchange(`${padded}\n`, 1);
  expect(answer).toMatchObject({ id: 3, result: { isError: true, structuredContent: { code: 'invalid_input' } } });
});

test('messages may come in pieces, several at a time, and as an array', async () => {
  const conversation = converse();
  for (const byte of Buffer.from(request(1, 'tools/call', { name: 'search', arguments: { query: 'é' } }))) {
    conversation.stdin.write(Buffer.of(byte));
  }
  const batch = `[${request(2, 'ping').trim()},${request(3, 'ping').trim()}]\n`;
  const replies = await conversation.exchange(batch, 3);
  expect(replies).toHaveLength(3);
  expect(replies).toContainEqual({ jsonrpc: '2.0', id: 3, result: {} });
  expect(JSON.stringify(replies)).toContain('é');
});

test('when stdin ends, requests already sent are answered before the database is closed', async () => {
  const conversation = converse();
  conversation.stdin.end(
    request(1, 'tools/call', { name: 'search', arguments: { query: 'last' } }) + request(2, 'tools/list'),
  );
  await conversation.done;
  conversation.stdout.end();
  const lines = (await conversation.stdout.setEncoding('utf8').toArray()).join('').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { id: number }).id).sort()).toEqual([1, 2]);
  expect(conversation.log).toEqual(['engine', 'closed']);
});

test('when stdin ends, a call that does not end is aborted after the grace, then the database is closed', async () => {
  const conversation = converse({ graceMs: 5 });
  await conversation.exchange(FOREVER, 1);
  conversation.stdin.end();
  await conversation.done;
  expect(conversation.log).toEqual(['engine', 'aborted', 'closed']);
});

test.each(['SIGTERM', 'SIGINT'])('%s aborts running calls at once and ends the server', async (signal) => {
  const conversation = converse();
  await conversation.exchange(FOREVER, 1);
  conversation.signals.emit(signal);
  await conversation.done;
  expect(conversation.log).toEqual(['engine', 'aborted', 'closed']);
  expect(conversation.signals.eventNames()).toEqual([]);
});

test('a signal cuts the grace short', async () => {
  const conversation = converse({ graceMs: 3_600_000 });
  await conversation.exchange(FOREVER, 1);
  conversation.stdin.end();
  await once(conversation.stdin, 'end');
  conversation.signals.emit('SIGTERM');
  await conversation.done;
  expect(conversation.log).toEqual(['engine', 'aborted', 'closed']);
});

test('a reader that is gone ends the server', async () => {
  const conversation = converse();
  await conversation.exchange(FOREVER, 1);
  conversation.stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await conversation.done;
  expect(conversation.log).toEqual(['engine', 'aborted', 'closed']);
});

test('what is written to stdout beside the protocol lands on stderr, until the server ends', async () => {
  const conversation = converse();
  conversation.stdout.write('stray');
  const [pong] = await conversation.exchange(request(1, 'ping'), 1);
  expect(pong).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(String(conversation.stderr.read())).toBe('stray');
  conversation.stdin.end();
  await conversation.done;
  conversation.stdout.write('ours again');
  expect(String(conversation.stdout.read())).toBe('ours again');
});
