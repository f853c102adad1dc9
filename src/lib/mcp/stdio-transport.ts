import type { Readable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

/** Bytes in a line beyond which it is refused. No argument of a tool comes near it. */
export const LINE_LIMIT = 8 * 1024 * 1024;

/** Writes one chunk and calls back when it is written or lost. */
export type Write = (text: string, done: () => void) => unknown;

const NEWLINE = 0x0a;

/**
 * JSON-RPC messages, one a line, over a pair of streams. Unlike the transport of the SDK it survives a line that is too
 * long, answers a line that is no message, and does not wait for a reader that is gone.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #input: Readable;
  readonly #write: Write;
  /** The pieces of the line that is being read, and their length in bytes. */
  #pieces: Buffer[] = [];
  #length = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(input: Readable, write: Write) {
    this.#input = input;
    this.#write = write;
  }

  start(): Promise<void> {
    this.#input.on('data', this.#read);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#written = new Promise((resolve) => {
      this.#write(`${JSON.stringify(message)}\n`, resolve);
    });
    return this.#written;
  }

  /** Resolves when everything sent is written. */
  flushed(): Promise<void> {
    return this.#written;
  }

  close(): Promise<void> {
    this.#input.off('data', this.#read);
    this.#input.pause();
    this.onclose?.();
    return Promise.resolve();
  }

  readonly #read = (chunk: Buffer | string): void => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#keep(rest.subarray(0, end));
      this.#endLine();
      rest = rest.subarray(end + 1);
    }
    this.#keep(rest);
  };

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > LINE_LIMIT) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  #endLine(): void {
    const line = Buffer.concat(this.#pieces).toString('utf8').trim();
    const length = this.#length;
    this.#pieces = [];
    this.#length = 0;
    if (length > LINE_LIMIT) {
      this.#refuse(ErrorCode.InvalidRequest, `message over ${String(LINE_LIMIT)} bytes`);
    } else if (line !== '') {
      this.#receive(line);
    }
  }

  #receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(ErrorCode.ParseError, 'message is no JSON');
      return;
    }
    // Revision 2025-03-26 lets a client send several messages in one array.
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const message = JSONRPCMessageSchema.safeParse(item);
      if (message.success) this.onmessage?.(message.data);
      else this.#refuse(ErrorCode.InvalidRequest, 'message is no JSON-RPC 2.0 request', idOf(item));
    }
  }

  #refuse(code: ErrorCode, message: string, id?: RequestId): void {
    this.onerror?.(new Error(message));
    void this.send({ jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code, message } });
  }
}

function idOf(value: unknown): RequestId | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value)) return undefined;
  return typeof value.id === 'string' || Number.isSafeInteger(value.id) ? (value.id as RequestId) : undefined;
}
