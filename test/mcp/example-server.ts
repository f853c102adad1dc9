import { createServer } from '../../src/lib/mcp/server.ts';
import { serveStdio } from '../../src/lib/mcp/stdio.ts';
import { exampleEngine, examples } from '../operation/examples.ts';

// The examples as a program, for tests that need a process of its own.
const { stdin, stdout, stderr } = process;
const server = createServer({
  operations: examples,
  engineFor: (signal, progress) => Promise.resolve(exampleEngine(signal, progress)),
  version: '1.2.3',
});
await serveStdio(server, {
  stdin,
  stdout,
  stderr,
  signals: process,
  close() {
    stderr.write('closed\n');
    return Promise.resolve();
  },
});
