import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts';

/** One place where two JSON values differ. An absent side is undefined. */
export interface JsonDifference {
  /** JSON pointer; a member of a set is named by itself instead of its position. */
  readonly path: string;
  readonly expected: Json | undefined;
  readonly found: Json | undefined;
}

export interface DiffOptions {
  /** Keys whose arrays of distinct strings have no order, e.g. `required`. */
  readonly sets?: ReadonlySet<string>;
}

/**
 * Every difference between two JSON values, as deep as it can be named. The order of keys does not matter; the order of
 * arrays does, except in sets. Empty exactly when the values are equal.
 */
export function diffJson(expected: Json, found: Json, options: DiffOptions = {}): JsonDifference[] {
  return [...differences('', '', expected, found, options.sets ?? new Set())];
}

/** Number of values in a JSON value that are neither an object nor an array, empty ones included. */
export function countLeaves(value: Json): number {
  const members = isJsonArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return members.length === 0 ? 1 : members.reduce<number>((sum, member) => sum + countLeaves(member), 0);
}

function* differences(
  path: string,
  key: string,
  expected: Json | undefined,
  found: Json | undefined,
  sets: ReadonlySet<string>,
): Generator<JsonDifference> {
  if (isJsonArray(expected) && isJsonArray(found)) {
    if (sets.has(key) && isStringSet(expected) && isStringSet(found)) {
      yield* setDifferences(path, expected, found);
      return;
    }
    for (let i = 0; i < Math.max(expected.length, found.length); i += 1) {
      yield* differences(`${path}/${String(i)}`, '', expected[i], found[i], sets);
    }
  } else if (isJsonObject(expected) && isJsonObject(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      yield* differences(pointer(path, name), name, own(expected, name), own(found, name), sets);
    }
  } else if (expected !== found) {
    yield { path, expected, found };
  }
}

function* setDifferences(path: string, expected: readonly string[], found: readonly string[]) {
  const [wanted, present] = [new Set(expected), new Set(found)];
  for (const name of expected) {
    if (!present.has(name)) yield { path: pointer(path, name), expected: name, found: undefined };
  }
  for (const name of found) {
    if (!wanted.has(name)) yield { path: pointer(path, name), expected: undefined, found: name };
  }
}

/** A pointer one step deeper (RFC 6901). */
export function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isStringSet(values: readonly Json[]): values is readonly string[] {
  return values.every((value) => typeof value === 'string') && new Set(values).size === values.length;
}
