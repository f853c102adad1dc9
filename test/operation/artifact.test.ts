import { expect, test } from 'vitest';
import * as z from 'zod';
import { FAILURE_CODES } from '../../src/lib/core/failure.ts';
import { artifactFiles, contractOf, toolContracts } from '../../src/lib/operation/artifact.ts';
import { defineOperation } from '../../src/lib/operation/operation.ts';
import { examples } from './examples.ts';

function operationWith(input: z.ZodType, output: z.ZodType) {
  return defineOperation({
    name: 'one',
    title: 'One',
    description: 'One.',
    input,
    output,
    effect: 'read',
    openWorld: true,
    faces: ['mcp'],
    handler: () => Promise.reject(new Error('not called')),
  });
}

test('the contract holds name, title, description, annotations and both schemas', () => {
  const contract = toolContracts(examples).find(({ name }) => name === 'search');
  expect(contract).toEqual({
    name: 'search',
    title: 'Search examples',
    description: 'Finds what it was asked for.',
    annotations: {
      title: 'Search examples',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', maxLength: 40, description: 'What to look for' },
        top_k: { type: 'integer', minimum: 1, maximum: 50, default: 10, description: 'How many' },
        sort: { type: 'string', enum: ['relevance', 'updated_desc'], default: 'relevance' },
        labels: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 5 },
        filter: {
          type: 'object',
          properties: { repo: { type: 'string' }, since: { type: ['string', 'null'], default: null } },
          additionalProperties: false,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        count: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        results: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              title: { type: 'string' },
              tags: { type: 'array', items: { type: 'string' } },
              score: { type: ['number', 'null'] },
            },
            required: ['title', 'tags', 'score'],
            additionalProperties: false,
          },
        },
        next: { type: 'string' },
      },
      anyOf: [
        { required: ['count', 'results'] },
        {
          description: 'A failed call (isError is true)',
          properties: {
            code: { type: 'string', enum: [...FAILURE_CODES] },
            message: { type: 'string', description: 'What happened and which argument was wrong' },
            hint: { type: 'string', description: 'What to do next' },
          },
          required: ['code', 'message'],
        },
      ],
    },
  });
});

test('search has a file of its own, the other MCP tools share one, and operations of the command line have none', () => {
  const files = artifactFiles(examples);
  expect([...files.keys()]).toEqual(['search-schema.json', 'memory-tools.json']);
  expect(JSON.parse(files.get('search-schema.json') ?? '')).toMatchObject({ name: 'search' });
  const { tools } = JSON.parse(files.get('memory-tools.json') ?? '') as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(['fail', 'count']);
  for (const text of files.values()) expect(text).not.toMatch(/~standard|\$schema/);
});

test('keywords come in one order, whatever order zod and the code have; names keep theirs', () => {
  const b = z.string().max(5).min(1).describe('b');
  const a = z.string().min(1).describe('b').max(5);
  const text = (input: z.ZodType) => JSON.stringify(contractOf(operationWith(input, z.object({}))).inputSchema);
  expect(text(z.object({ z: b }))).toBe(text(z.object({ z: a })));
  expect(text(z.object({ z: b }))).toBe(
    '{"type":"object","properties":{"z":{"description":"b","type":"string","minLength":1,"maxLength":5}},"required":["z"]}',
  );
  expect(text(z.object({ z: b, a: b }))).toMatch(/"z":.*"a":/);
});

test('defaults and enum members are data: nothing in them is reordered', () => {
  const input = z.object({ o: z.object({ type: z.string(), enum: z.string() }).default({ type: 'x', enum: 'y' }) });
  expect(JSON.stringify(contractOf(operationWith(input, z.object({}))).inputSchema)).toContain(
    '"default":{"type":"x","enum":"y"}',
  );
});

test('a union of objects gets the type object at its root; an output union keeps each member closed', () => {
  const union = z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]);
  const { inputSchema, outputSchema } = contractOf(operationWith(union, union));
  expect(inputSchema).toMatchObject({ type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] });
  expect(outputSchema).toMatchObject({
    type: 'object',
    anyOf: [{ type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }, { required: ['code', 'message'] }],
  });
});

test('what no client could send or read is refused when the contract is made', () => {
  expect(() => contractOf(operationWith(z.string(), z.object({})))).toThrow('are objects');
  expect(() => contractOf(operationWith(z.object({}), z.array(z.string())))).toThrow('are objects');
  expect(() => contractOf(operationWith(z.object({ a: z.bigint() }), z.object({})))).toThrow(/BigInt/);
});
