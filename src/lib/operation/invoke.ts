import type * as z from 'zod';
import { Failure } from '../core/failure.ts';
import type { Engine } from '../engine/engine.ts';
import type { Operation } from './operation.ts';

/** Parses raw input and runs an operation. Fails with `invalid_input` naming the field and the rule it breaks. */
export async function invoke<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  engine: Engine,
  raw: unknown,
): Promise<z.output<Output>> {
  return operation.handler(engine, parseInput(operation.input, raw));
}

/** Validates raw input against a schema. Unknown fields are refused by schemas that are strict objects. */
export function parseInput<Input extends z.ZodType>(schema: Input, raw: unknown): z.output<Input> {
  // reportInput tells a missing field from one of the wrong type; no value gets into a message.
  const parsed = schema.safeParse(raw, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issue, path } = innermost(firstIssue(parsed.error.issues), []);
  const field = path.map((part) => (typeof part === 'number' ? `[${String(part)}]` : String(part))).join('.');
  throw new Failure('invalid_input', describe(field.replaceAll('.[', '['), issue));
}

function firstIssue(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const [issue] = issues;
  if (issue === undefined) throw new TypeError('a failed parse has no issue');
  return issue;
}

interface Place {
  readonly issue: z.core.$ZodIssue;
  readonly path: readonly PropertyKey[];
}

/** Of a union: the issue of the first alternative that takes values of this kind, for its message is of use. */
function innermost(issue: z.core.$ZodIssue, outer: readonly PropertyKey[]): Place {
  const path = [...outer, ...issue.path];
  if (issue.code !== 'invalid_union') return { issue, path };
  const fitting = issue.errors.flatMap((issues) => issues.slice(0, 1)).find((inner) => takesKind(inner, issue.input));
  return fitting === undefined ? { issue, path } : innermost(fitting, path);
}

/** Whether the alternative with this issue takes values of the kind of `value` at all. */
function takesKind(issue: z.core.$ZodIssue, value: unknown): boolean {
  if (issue.path.length > 0) return true;
  if (issue.code === 'invalid_value') return issue.values.some((allowed) => typeof allowed === typeof value);
  return issue.code !== 'invalid_type';
}

/** One line: the field, then the rule. Never the value: it may be a query, a handle or a token. */
function describe(field: string, issue: z.core.$ZodIssue): string {
  const name = field === '' ? 'input' : field;
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? `${name}: is required` : `${name}: must be of type ${issue.expected}`;
    case 'too_small':
      return `${name}: must be ${bound(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `${name}: must be ${bound(issue.origin, 'at most', issue.maximum)}`;
    case 'invalid_union':
      return issue.input === undefined ? `${name}: is required` : `${name}: must be ${kindsOf(issue)}`;
    case 'invalid_value':
      return `${name}: must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `${field === '' ? '' : `${name}: `}unknown field${issue.keys.length > 1 ? 's' : ''}: ${issue.keys.map((key) => key.slice(0, 40)).join(', ')}`;
    default:
      return `${name}: ${issue.message}`;
  }
}

function kindsOf(union: z.core.$ZodIssueInvalidUnion): string {
  const kinds = union.errors.flat().flatMap((issue) => {
    if (issue.code === 'invalid_type') return [issue.expected];
    return issue.code === 'invalid_value' ? issue.values.map((allowed) => typeof allowed) : [];
  });
  return kinds.length === 0 ? 'one of the known kinds' : `of type ${[...new Set(kinds)].join(' or ')}`;
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'string') return `${relation} ${String(limit)} characters long`;
  if (origin === 'array' || origin === 'set') return `a list of ${relation} ${String(limit)} entries`;
  return `${relation} ${String(limit)}`;
}
