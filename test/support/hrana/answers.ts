import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultKind } from './faults.ts';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

export const json = (status: number, value: object): Answer => ({
  status,
  type: 'application/json',
  body: Buffer.from(JSON.stringify(value)),
});
export const plain = (status: number, text: string): Answer => ({
  status,
  type: 'text/plain',
  body: Buffer.from(text),
});

const REFUSALS: Partial<Record<number, string>> = {
  401: 'Unauthorized: `The JWT is invalid`',
  429: 'Too many concurrent requests',
  503: 'Timed out while opening database connection',
};

/** An error outside of the protocol, which has no code. */
export const refusal = (status: number): Answer =>
  json(status, { error: REFUSALS[status] ?? `Status ${String(status)}` });

/** Sends an answer, or what a fault leaves of it. */
export function send(
  answer: Answer,
  fault: FaultKind | null,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { status, type, body } = answer;
  const { socket } = request;
  if (fault === 'dropResponse') {
    socket.destroy();
    return;
  }
  const half = body.subarray(0, Math.floor(body.length / 2));
  const length = fault === 'cutBody' ? half.length : body.length;
  response.writeHead(status, { 'content-type': type, 'content-length': length });
  if (fault === 'truncatedBody') response.write(half, () => socket.destroy());
  else if (fault === 'slowBody') response.write(half);
  else response.end(fault === 'cutBody' ? half : body);
}
