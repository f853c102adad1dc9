import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';

/** A request by what it asks for; a body may still be anything. */
export type Call = SqlCall | { readonly endpoint: 'other' };

export interface SqlCall {
  readonly endpoint: 'pipeline' | 'cursor';
  readonly version: 2 | 3;
  readonly body: unknown;
}

const withTypes = z.object({ requests: z.array(z.object({ type: z.string() })) });
const withBaton = z.object({ baton: z.string() });

export const pathOf = (request: IncomingMessage): string => new URL(request.url ?? '/', 'http://loopback').pathname;

export async function callOf(request: IncomingMessage): Promise<Call> {
  const body = await buffer(request);
  const match = /^\/v([23])\/(pipeline|cursor)$/.exec(pathOf(request));
  if (request.method !== 'POST' || match === null) return { endpoint: 'other' };
  const version = match[1] === '2' ? 2 : 3;
  return { endpoint: match[2] === 'cursor' ? 'cursor' : 'pipeline', version, body: parsed(body.toString()) };
}

/** Undefined for a text that is no JSON, which no schema takes. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of a body that may be anything. */
export function typesOf(body: unknown): string[] {
  const typed = withTypes.safeParse(body);
  return typed.success ? typed.data.requests.map(({ type }) => type) : ['?'];
}

export function batonOf(body: unknown): string | null {
  const typed = withBaton.safeParse(body);
  return typed.success ? typed.data.baton : null;
}
