import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveTools } from '../../src/lib/mcp/live-tools.ts';
import { toolContracts } from '../../src/lib/operation/artifact.ts';
import { examples } from '../operation/examples.ts';
import { request } from './conversation.ts';

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gh-rag-mcp-'));
  program = join(folder, 'server.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'example-server.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function start(): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program]);
}

async function exitOf(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return { code, signal };
}

test('the official client over real pipes: handshake, list, progress, cancellation, call, end', async () => {
  const transport = new StdioClientTransport({ command: process.execPath, args: [program], stderr: 'pipe' });
  const complaints: Error[] = [];
  const client = new Client({ name: 'test', version: '1' });
  client.onerror = (error) => complaints.push(error);
  const stderr = text(transport.stderr as unknown as NodeJS.ReadableStream);
  await client.connect(transport);
  expect((await client.listTools()).tools).toEqual(toolContracts(examples));
  const cancel = new AbortController();
  const call = client.callTool({ name: 'count', arguments: { to: 0, forever: true, loud: true } }, undefined, {
    signal: cancel.signal,
    onprogress: () => {
      cancel.abort();
    },
  });
  await expect(call).rejects.toThrow();
  const result = await client.callTool({ name: 'count', arguments: { to: 40 } });
  expect(result.structuredContent).toEqual({ counted: 80 });
  await client.close();
  // console.log of the operation went to stderr, so no line surprised the client.
  expect(await stderr).toBe('not for the protocol\nclosed\n');
  expect(complaints).toEqual([]);
});

test('stdout holds protocol only, and the process exits with 0 when stdin ends', async () => {
  const child = start();
  const [exit, stdout] = [exitOf(child), text(child.stdout)];
  child.stdin.end(
    `${request(1, 'tools/call', { name: 'count', arguments: { loud: true } })}no JSON\n${request(2, 'tools/list')}`,
  );
  expect(await exit).toEqual({ code: 0, signal: null });
  const lines = (await stdout).trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s during a call closes the database and exits with 0', async (signal) => {
  const child = start();
  const [exit, stderr] = [exitOf(child), text(child.stderr)];
  const call = { name: 'count', arguments: { forever: true }, _meta: { progressToken: 1 } };
  child.stdin.write(request(1, 'tools/call', call));
  await once(child.stdout, 'data');
  child.kill(signal);
  expect(await exit).toEqual({ code: 0, signal: null });
  expect(await stderr).toContain('closed\n');
});

test('a broken pipe ends the process without a stack trace', async () => {
  const child = start();
  const [exit, stderr] = [exitOf(child), text(child.stderr)];
  child.stdin.on('error', () => undefined); // the server may be gone before the last ping is written
  child.stdin.write(request(1, 'ping'));
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stdin.write(request(2, 'ping') + request(3, 'ping'));
  expect(await exit).toEqual({ code: 0, signal: null });
  expect(await stderr).toBe('closed\n');
});

test('liveTools starts a server and gives its tools; of one that does not start it says so', async () => {
  const { signal } = new AbortController();
  const tools = await liveTools({ command: process.execPath, args: [program] }, signal);
  expect(tools).toEqual(toolContracts(examples));
  const broken = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
  await expect(liveTools(broken, signal)).rejects.toMatchObject({ name: 'Failure', code: 'internal' });
  await expect(liveTools({ command: join(folder, 'none'), args: [] }, signal)).rejects.toThrow('did not start');
});
