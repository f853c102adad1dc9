import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Failure } from '../core/failure.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { stripInvisible } from '../core/text.ts';

/** The result of a call that was answered: the output, and the same as text for clients without structured content. */
export function answerResult(output: unknown): CallToolResult {
  return resultOf(output);
}

/**
 * The result of a call that failed: `{ code, message, hint? }`. What is not a {@link Failure} shows nothing of itself,
 * because it may hold a query or data.
 */
export function failureResult(error: unknown): CallToolResult {
  const failure = error instanceof Failure && error.code !== 'internal' ? error : UNEXPECTED;
  const { code, message, hint } = failure;
  return { ...resultOf({ code, message, ...(hint !== undefined && { hint }) }), isError: true };
}

const UNEXPECTED = new Failure('internal', 'unexpected error inside gh-rag', {
  hint: 'Try again; if it stays, start the server with DEBUG=* and read its stderr.',
});

function resultOf(value: unknown): CallToolResult {
  const structured = visible(value);
  if (!isJsonObject(structured)) throw new TypeError('the output of an operation is an object');
  return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured };
}

/** The one place where text of strangers leaves for an agent: a copy with the texts stripped, as JSON has it. */
function visible(value: unknown): Json {
  if (typeof value === 'string') return stripInvisible(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => (member === undefined ? null : visible(member)));
  if (typeof value !== 'object') throw new TypeError(`the output of an operation is JSON, not ${typeof value}`);
  // fromEntries makes members of its own, whatever their names: no `__proto__` sets a prototype.
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, visible(member)]));
}
