import { pointer } from '../../src/lib/admin/json-diff.ts';
import { isJsonArray, isJsonObject, type Json } from '../../src/lib/core/json.ts';

/** A JSON value that differs in one place from another, and that place as schema-check names it. */
export interface Mutation {
  readonly path: string;
  readonly value: Json;
}

const SETS = ['required', 'enum', 'type'];

/** Every value that differs in one place: a member removed, added or changed, at any depth. */
export function* mutations(value: Json, key = ''): Generator<Mutation> {
  if (isJsonArray(value)) {
    for (const [i, member] of value.entries()) {
      const name = nameOf(key, member, i);
      yield { path: pointer('', name), value: value.filter((_, j) => j !== i) };
      for (const inner of mutations(member)) {
        // A tool without its name is another tool.
        const path = key === 'tools' && inner.path === '/name' ? '' : inner.path;
        yield { path: pointer('', name) + path, value: value.map((other, j) => (j === i ? inner.value : other)) };
      }
    }
    const added = nameOf(key, 'added', value.length);
    yield { path: pointer('', added), value: [...value, 'added'] };
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const path = pointer('', name);
      yield { path, value: Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)) };
      for (const inner of mutations(member, name)) {
        yield { path: path + inner.path, value: { ...value, [name]: inner.value } };
      }
    }
    yield { path: '/added', value: { ...value, added: true } };
  } else {
    yield { path: '', value: changed(value) };
  }
}

function nameOf(key: string, member: Json, position: number): string {
  if (SETS.includes(key) && typeof member === 'string') return member;
  if (key !== 'tools') return String(position);
  return isJsonObject(member) && typeof member.name === 'string' ? member.name : `#${String(position)}`;
}

function changed(leaf: Json): Json {
  if (typeof leaf === 'string') return `${leaf}~`;
  if (typeof leaf === 'number') return leaf === 0 ? 1 : -leaf;
  return leaf === null ? 'null' : leaf !== true;
}
