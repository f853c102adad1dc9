import type { Failure } from '../core/failure.ts';
import { stripForTerminal, stripInvisible } from '../core/text.ts';
import { type CommandShape, fieldLabel } from './flags.ts';
import type { Style } from './terminal.ts';
import { shorten } from './usage.ts';

/** Wire name of a failure on standard output under --json. */
export interface FailureObject {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

export function failureObject(failure: Failure): FailureObject {
  const { code, message, hint } = failure;
  return { error: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** What happened on one line, what to do next on a second; the stack with its causes only when debugging. */
export function failureText(failure: Failure, style: Style, debug: boolean): string {
  const lines = [`${style.error('error:')} ${singleLine(failure.message)}`];
  if (failure.hint !== undefined) lines.push(`${style.dim('hint:')} ${singleLine(failure.hint)}`);
  if (debug) lines.push(...stacks(failure).map((stack) => style.dim(stripForTerminal(stack))));
  return `${lines.join('\n')}\n`;
}

/**
 * JSON of an answer, the same that the MCP tool gives: without the characters in texts of strangers that nobody sees, and
 * with nothing in it that a terminal would obey.
 */
export function printableJson(value: unknown, pretty: boolean): string {
  const visible = (_key: string, member: unknown): unknown =>
    typeof member === 'string' ? stripInvisible(member) : member;
  return `${JSON.stringify(value, visible, pretty ? 2 : undefined).replace(
    /[\u007F-\u009F\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;
}

// Fields whose values may be private: an error line ends up in logs and bug reports.
const PRIVATE =
  /(?:^|_)(?:query|db|target|sources?|source_ids?|trace|trace_id|confirmation|confirmation_id|cursor|token|key|reason)$/;

/**
 * A message speaks of fields (`top_k: must be at most 50`); a person gave flags. Names the flag, and under `invalid_input`
 * the value given unless the field is a query, a handle or a token.
 */
export function describeForFlags(
  message: string,
  shape: CommandShape,
  input: Readonly<Record<string, unknown>>,
): string {
  const match = /^([a-z][a-z0-9_]*)((?:\[\d+\])?)(?:: (.+)| (.+))$/s.exec(message);
  if (match === null) return message;
  const [, name = '', index = '', rule, rest = ''] = match;
  const label = fieldLabel(shape, name);
  // Without a colon it speaks of a field only where it counts its values: `sources[0] owner/repo#12: is not there`.
  if (label === undefined || (rule === undefined && index === '')) return message;
  if (rule === undefined) return `${label} ${rest}`;
  const given = PRIVATE.test(name) ? '' : givenValue(input[name], index, rule);
  return `${label}: ${rule}${given}`;
}

function givenValue(value: unknown, index: string, rule: string): string {
  const one: unknown = Array.isArray(value) ? value[index === '' ? 0 : Number(index.slice(1, -1))] : value;
  const several = Array.isArray(value) && index === '' && value.length > 1;
  if (several || (typeof one !== 'string' && typeof one !== 'number')) return '';
  // It says it already: `the configuration does not allow the repository acme/app`.
  if (typeof one === 'string' && rule.split(/\s+/).includes(one)) return '';
  return ` (given: ${shorten(String(one))})`;
}

function singleLine(text: string): string {
  return stripForTerminal(text).replace(/\s*\n\s*/g, ' ');
}

function stacks(error: unknown): string[] {
  const found: string[] = [];
  for (let next = error; next instanceof Error && found.length < 5; next = next.cause) {
    found.push(next.stack ?? next.message);
  }
  return found;
}
