import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import type { Fault } from './faults.ts';

export type BodyFault = Extract<Fault, { readonly share?: number }>;

/** Writes an answer, whole or as its fault wants. The answer to a HEAD has headers only. */
export function write(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Answer,
  fault: BodyFault | undefined,
): void {
  const part = fault === undefined ? body : body.subarray(0, Math.floor(body.length * (fault.share ?? 0.5)));
  // Without a length, Node sends it in chunks.
  const length = fault?.kind === 'cut' ? {} : { 'content-length': fault?.kind === 'short' ? part.length : body.length };
  response.writeHead(status, { ...headers, ...(status !== 304 && length) });
  if (request.method === 'HEAD' || status === 304) response.end();
  else if (fault === undefined || fault.kind === 'short') response.end(part);
  else response.write(part, () => request.socket.destroy());
}
