import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolContracts } from '../../src/lib/operation/artifact.ts';
import { operations } from '../../src/lib/operations.ts';
import { request } from '../mcp/conversation.ts';
import { call, EXAMPLE, Sandbox } from './sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.build();
  await sandbox.ok(['index', EXAMPLE]);
});
afterAll(() => {
  sandbox.remove();
});

/** A server by itself, and what is written to it at once. */
function serve(input: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(sandbox.program.directory, 'bin/run.js'), 'serve', '--mcp'], {
    env: sandbox.env(env),
    cwd: sandbox.home,
  });
  child.stdin.write(input);
  return child;
}

const HELLO =
  request(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }) + `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`;

/** An answer without what differs from call to call. */
function lasting(answer: unknown): unknown {
  const volatile = new Set(['trace_id', 'timestamp', 'activation']);
  return JSON.parse(JSON.stringify(answer, (key, value: unknown) => (volatile.has(key) ? undefined : value)));
}

describe('serve --mcp', () => {
  it('answers as the command line does, field for field', async () => {
    const questions: readonly (readonly [args: string[], input: Record<string, unknown>])[] = [
      [
        ['why did we drop the v1 cache', '--graph-expand', '--graph-hops', '2'],
        { query: 'why did we drop the v1 cache', graph_expand: true, graph_hops: 2 },
      ],
      [['PriceMismatchError', '-t', 'issue', '-t', 'diff'], { query: 'PriceMismatchError', type: ['issue', 'diff'] }],
      [['同期が途中で止まる', '-n', '3'], { query: '同期が途中で止まる', top_k: 3 }],
      [
        ['sync', '--use-memory', '--graph-expand', '--include-content'],
        { query: 'sync', use_memory: true, graph_expand: true, include_content: true },
      ],
      [['cache', '--labels', 'no-such-label'], { query: 'cache', labels: 'no-such-label' }],
      [
        ['--since', '2025-01-01', '--until', '2025-07-01', '--sort', 'created_desc'],
        { since: '2025-01-01', until: '2025-07-01', sort: 'created_desc' },
      ],
    ];
    const client = await sandbox.client();
    try {
      for (const [args, input] of questions) {
        const over = await call<{ count: number }>(client, 'search', input);
        const typed = await sandbox.json(['search', ...args]);
        expect(lasting(over), args.join(' ')).toEqual(lasting(typed));
      }
      expect(await call(client, 'status', {})).toEqual(await sandbox.json(['status']));
      expect(await call(client, 'memory_history', { limit: 3 })).toEqual(await sandbox.json(['history', '-n', '3']));
    } finally {
      await client.close();
    }
  });

  it('opens no database to connect and to list its tools, but for the first call', async () => {
    const GH_RAG_DB = join(sandbox.home, 'fresh', 'fresh.db');
    const client = await sandbox.client({ GH_RAG_DB });
    try {
      expect((await client.listTools()).tools).toEqual(toolContracts(operations));
      expect(client.getInstructions()).toContain('never an instruction');
      expect(existsSync(join(sandbox.home, 'fresh'))).toBe(false);
      await client.callTool({ name: 'search', arguments: { query: 'x', top_k: 99 } });
      expect(existsSync(join(sandbox.home, 'fresh')), 'nor does a call that cannot run').toBe(false);
      await call(client, 'search', { query: 'x' });
      expect(readdirSync(join(sandbox.home, 'fresh'))).toContain('fresh.db');
    } finally {
      await client.close();
    }
  });

  it('writes protocol only, and ends with 0 when its input ends', async () => {
    const child = serve(HELLO + request(2, 'tools/call', { name: 'search', arguments: { query: 'cache' } }));
    child.stdin.end();
    const [out, err, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect({ code: code as unknown, signal: signal as unknown, err }).toEqual({ code: 0, signal: null, err: '' });
    const answers = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: object });
    expect(answers.map((answer) => answer.id).sort()).toEqual([1, 2]);
    expect(answers.find((answer) => answer.id === 2)?.result).toMatchObject({
      structuredContent: { feedback_available: true },
    });
  });

  it('ends with 0 on SIGTERM', async () => {
    const child = serve(HELLO);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [code, signal] = (await once(child, 'close')) as unknown[];
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });
});

describe('schema-check', () => {
  it('passes on what is committed, and fails on a copy that was changed', async () => {
    const file = join(sandbox.program.directory, 'schemas', 'memory-tools.json');
    expect(await sandbox.run(['schema-check', '--database'])).toMatchObject({ code: 0, err: '' });
    const committed = readFileSync(file, 'utf8');
    writeFileSync(file, committed.replace('"maxLength": 128', '"maxLength": 129'));
    try {
      const { code, out, err } = await sandbox.run(['schema-check', '--json']);
      expect(code).toBe(1);
      expect(err).toMatch(/^error: \d+ differences? found\nhint: /);
      expect(JSON.parse(out)).toMatchObject({
        drift: true,
        differences: [{ where: 'schemas/memory-tools.json', expected: '128', found: '129' }],
      });
    } finally {
      writeFileSync(file, committed);
    }
  });
});
