import { expect, test } from 'vitest';
import * as z from 'zod';
import { parseInput } from '../../src/lib/operation/invoke.ts';

const schema = z.strictObject({
  name: z.string().min(2).max(4).optional(),
  count: z.int().min(1).max(5).default(1),
  kind: z.enum(['a', 'b']).optional(),
  many: z.union([z.enum(['a', 'b']), z.array(z.enum(['a', 'b'])).max(2)]).optional(),
  inner: z.strictObject({ list: z.array(z.strictObject({ id: z.string() })).max(1) }).optional(),
});

test('defaults are filled in', () => {
  expect(parseInput(schema, {})).toEqual({ count: 1 });
});

test.each([
  [undefined, 'input: is required'],
  ['text', 'input: must be of type object'],
  [{ name: 1 }, 'name: must be of type string'],
  [{ name: 'x' }, 'name: must be at least 2 characters long'],
  [{ count: 6 }, 'count: must be at most 5'],
  [{ kind: 'c' }, 'kind: must be one of a, b'],
  [{ many: 'c' }, 'many: must be one of a, b'],
  [{ many: 5 }, 'many: must be of type string or array'],
  [{ many: ['a', 'c'] }, 'many[1]: must be one of a, b'],
  [{ many: ['a', 'a', 'b'] }, 'many: must be a list of at most 2 entries'],
  [{ inner: { list: [{}] } }, 'inner.list[0].id: is required'],
  [{ inner: { list: [{ id: 'a' }, { id: 'b' }] } }, 'inner.list: must be a list of at most 1 entries'],
  [{ secret: 1, other: 2 }, 'unknown fields: secret, other'],
])('%j is refused by field and rule', (raw, message) => {
  expect(() => parseInput(schema, raw)).toThrow(expect.objectContaining({ code: 'invalid_input', message }));
});

test('a union that takes no value of this kind says which kinds it takes', () => {
  const either = z.object({ value: z.union([z.string(), z.array(z.string())]) });
  expect(() => parseInput(either, { value: 5 })).toThrow('value: must be of type string or array');
  expect(() => parseInput(either, {})).toThrow('value: is required');
});

test('no value gets into a message', () => {
  const hidden = { name: 'hush-hush', kind: 'hush', many: ['hush'], count: 'hush' };
  for (const [key, value] of Object.entries(hidden)) {
    expect(() => parseInput(schema, { [key]: value })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hush') as string }),
    );
  }
});
