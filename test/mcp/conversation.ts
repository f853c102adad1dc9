import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createServer, type ServerOptions } from '../../src/lib/mcp/server.ts';
import { serveStdio } from '../../src/lib/mcp/stdio.ts';
import { exampleEngine, examples } from '../operation/examples.ts';

/** A server of the examples in this process, and both ends of its streams. */
export interface Conversation {
  /** What a client writes, and what it reads. */
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly signals: EventEmitter;
  /** What happened, in order: `engine` for each engine made, `aborted` for each aborted call, `closed`. */
  readonly log: string[];
  readonly reported: unknown[];
  /** Resolves when the server is done. */
  readonly done: Promise<void>;
  /** The official client, connected. */
  client(): Promise<Client>;
  /** Sends raw text and resolves with the next lines that the server writes. */
  exchange(text: string, lines: number): Promise<unknown[]>;
}

export function converse(options: Partial<ServerOptions> & { readonly graceMs?: number } = {}): Conversation {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const signals = new EventEmitter();
  const log: string[] = [];
  const reported: unknown[] = [];
  const server = createServer({
    operations: examples,
    version: '1.2.3',
    engineFor(signal, progress) {
      log.push('engine');
      signal.addEventListener('abort', () => log.push('aborted'));
      return Promise.resolve(exampleEngine(signal, progress));
    },
    report: (error) => reported.push(error),
    ...options,
  });
  const done = serveStdio(server, {
    stdin,
    stdout,
    stderr,
    signals,
    close() {
      log.push('closed');
      return Promise.resolve();
    },
    ...(options.graceMs !== undefined && { graceMs: options.graceMs }),
  });
  return {
    stdin,
    stdout,
    stderr,
    signals,
    log,
    reported,
    done,
    async client() {
      const client = new Client({ name: 'test', version: '1' });
      // A transport over a pair of streams knows no side.
      await client.connect(new StdioServerTransport(stdout, stdin));
      return client;
    },
    exchange(text, lines) {
      return new Promise((resolve) => {
        let read = '';
        const take = (chunk: Buffer) => {
          read += chunk.toString();
          const complete = read.split('\n').slice(0, -1);
          if (complete.length < lines) return;
          stdout.off('data', take);
          resolve(complete.map((line) => JSON.parse(line) as unknown));
        };
        stdout.on('data', take);
        stdin.write(text);
      });
    },
  };
}

/** A request as a line. */
export function request(id: number, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}
