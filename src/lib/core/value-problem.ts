import type * as z from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** Where in a value something is, counted from 1: `number of item 1 of relevant`; empty for the value itself. */
export function placeInValue(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `item ${String(part + 1)}` : String(part)))
    .reverse()
    .join(' of ');
}

/** What a part of a file's JSON breaks, for behind its name: `must be a list, not null`. `value` is what was parsed. */
export function valueProblem(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type': {
      const found = issue.path.reduce(memberOf, value);
      return found === undefined
        ? 'is missing'
        : `must be ${KINDS[issue.expected] ?? issue.expected}, not ${shown(found)}`;
    }
    case 'too_small':
      if (isCounted(issue.origin)) return 'must not be empty';
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${String(issue.minimum)}`;
    case 'too_big':
      if (!isCounted(issue.origin)) return `must be at most ${String(issue.maximum)}`;
      return `has more than ${String(issue.maximum)} ${issue.origin === 'string' ? 'characters' : 'items'}`;
    default:
      return issue.message;
  }
}

function isCounted(origin: string): boolean {
  return origin === 'string' || origin === 'array';
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? (Reflect.get(value, key) as unknown) : undefined;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return KINDS.string ?? '';
  if (Array.isArray(value)) return KINDS.array ?? '';
  return typeof value === 'object' && value !== null ? (KINDS.object ?? '') : String(value);
}
