import { isJsonArray, isJsonObject, type Json } from '../core/json.ts';
import { diffJson } from './json-diff.ts';

/** A place where something that should follow the code says something else. */
export interface Drift {
  /** The artifact (`schemas/…`), `tools/list` or `database`. */
  readonly where: string;
  /** JSON pointer; tools are named, not numbered. For a database the name of an object. */
  readonly path: string;
  /** What the code says, and what was found: JSON or SQL text; null where there is nothing. */
  readonly expected: string | null;
  readonly found: string | null;
}

/** Keywords of JSON Schema whose arrays have no order. */
const SETS = new Set(['required', 'enum', 'type']);

/** Compares the text of a committed artifact with the text that the code makes. */
export function artifactDrift(where: string, expected: string, found: string | undefined): Drift[] {
  if (found === undefined) return [{ where, path: '', expected: 'a file', found: null }];
  let parsed: Json;
  try {
    parsed = JSON.parse(found) as Json; // what JSON.parse gives is JSON
  } catch {
    return [{ where, path: '', expected: 'JSON', found: 'a text that is no JSON' }];
  }
  const drift = jsonDrift(where, byName(JSON.parse(expected) as Json), byName(parsed)); // the code wrote it
  if (drift.length > 0 || found.replaceAll('\r\n', '\n') === expected) return drift;
  return [{ where, path: '', expected: 'the text that --write makes', found: 'other order or white space' }];
}

/** Compares the tools that a server lists with those of the artifacts that the code makes. */
export function toolsDrift(where: string, expected: readonly Json[], found: readonly Json[]): Drift[] {
  return jsonDrift(where, named(expected), named(found));
}

/** Compares `CREATE` statements by object name. */
export function databaseDrift(
  where: string,
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): Drift[] {
  return [...new Set([...expected.keys(), ...found.keys()])].sort().flatMap((name) => {
    const [wanted, present] = [expected.get(name) ?? null, found.get(name) ?? null];
    return wanted === present ? [] : [{ where, path: name, expected: wanted, found: present }];
  });
}

/** The tools in the text of an artifact that the code made: one tool, or a list of them. */
export function toolsOf(artifact: string): readonly Json[] {
  const value = JSON.parse(artifact) as Json; // the code wrote it
  if (isJsonObject(value) && isJsonArray(value.tools)) return value.tools;
  return [value];
}

function jsonDrift(where: string, expected: Json, found: Json): Drift[] {
  return diffJson(expected, found, { sets: SETS }).map((difference) => ({
    where,
    path: difference.path,
    expected: textOf(difference.expected),
    found: textOf(difference.found),
  }));
}

function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function byName(artifact: Json): Json {
  if (!isJsonObject(artifact) || !isJsonArray(artifact.tools)) return artifact;
  return { ...artifact, tools: named(artifact.tools) };
}

/** Tools as an object by name; one without a name, or with the name of another, gets its position instead. */
function named(tools: readonly Json[]): Json {
  const byName = new Map<string, Json>();
  for (const [position, tool] of tools.entries()) {
    const name = isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : '';
    byName.set(name === '' || byName.has(name) ? `#${String(position)}` : name, tool);
  }
  return Object.fromEntries(byName);
}
