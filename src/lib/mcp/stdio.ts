import type { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { McpServer } from './server.ts';
import { StdioTransport, type Write } from './stdio-transport.ts';

/** Where signals arrive: `process`. */
export interface Signals {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

export interface StdioOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Takes what anything but the protocol writes to stdout. */
  readonly stderr: Writable;
  readonly signals: Signals;
  /** Closes the database, if one was opened. */
  readonly close: () => Promise<void>;
  /** Milliseconds that running calls get to finish when stdin ends; default 10,000. A signal ends them at once. */
  readonly graceMs?: number;
}

/** Milliseconds in which a call must notice that it was aborted. */
const ABORT_MS = 1000;

/**
 * Serves MCP until stdin ends, SIGTERM or SIGINT arrives, or nobody reads stdout any more; then lets running calls
 * finish, aborts those that do not, closes the database and resolves.
 */
export async function serveStdio(mcp: McpServer, options: StdioOptions): Promise<void> {
  const { stdin, stdout, stderr, signals, close, graceMs = 10_000 } = options;
  const { write, release } = reserve(stdout, stderr);
  const transport = new StdioTransport(stdin, write);
  const ended = gate();
  const cut = gate();
  stdin.once('end', ended.open).once('close', ended.open).once('error', cut.open);
  // Stays after the end: the error of a late write would end the process.
  stdout.on('error', cut.open);
  signals.on('SIGTERM', cut.open);
  signals.on('SIGINT', cut.open);
  try {
    await mcp.server.connect(transport);
    await Promise.race([ended.opened, cut.opened]);
    // Requests start, and answers leave, in the turn of the event loop after the one that brings them.
    await setImmediate();
    await within(graceMs, Promise.race([mcp.idle(), cut.opened]));
    await setImmediate();
    await mcp.server.close();
    await within(ABORT_MS, Promise.all([mcp.idle(), transport.flushed()]));
    await close();
  } finally {
    signals.off('SIGTERM', cut.open);
    signals.off('SIGINT', cut.open);
    release();
  }
}

/** Keeps a stream for the protocol: whatever else writes to it (console.log, a library) lands on `other`. */
function reserve(stream: Writable, other: Writable): { write: Write; release: () => void } {
  const write = stream.write.bind(stream);
  stream.write = other.write.bind(other);
  return {
    write: (text, done) => write(text, done),
    release: () => {
      stream.write = write;
    },
  };
}

/** Waits for a promise, but not longer than `ms`. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const timeout = gate();
  const timer = setTimeout(timeout.open, ms);
  await Promise.race([promise, timeout.opened]);
  clearTimeout(timer);
}

/** A promise that is resolved from outside. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
