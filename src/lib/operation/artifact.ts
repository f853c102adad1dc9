import { FAILURE_CODES } from '../core/failure.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolContract } from '../engine/contracts.ts';
import { jsonSchemaOf, without } from './json-schema.ts';
import { type AnyOperation, annotationsOf } from './operation.ts';

/** File names of the committed artifacts, in `schemas/`. */
const SEARCH_ARTIFACT = 'search-schema.json';
const TOOLS_ARTIFACT = 'memory-tools.json';

/** What a failed call answers in place of the output; a client checks both against the same output schema. */
const FAILURE_SCHEMA: JsonObject = {
  description: 'A failed call (isError is true)',
  properties: {
    code: { type: 'string', enum: FAILURE_CODES },
    message: { description: 'What happened and which argument was wrong', type: 'string' },
    hint: { description: 'What to do next', type: 'string' },
  },
  required: ['code', 'message'],
};

/** The contract of an operation as an MCP tool. Throws an Error for shapes that JSON Schema cannot say. */
export function contractOf(operation: AnyOperation): ToolContract {
  const { name, title, description } = operation;
  return {
    name,
    title,
    description,
    annotations: { title, ...annotationsOf(operation) },
    inputSchema: rootObject(jsonSchemaOf(operation.input, 'input')),
    outputSchema: withFailure(jsonSchemaOf(operation.output, 'output')),
  };
}

/** Contracts of the operations that are MCP tools, in the order given. */
export function toolContracts(operations: readonly AnyOperation[]): ToolContract[] {
  return operations.filter(({ faces }) => faces.includes('mcp')).map(contractOf);
}

/** The artifact files of all MCP tools, text by file name: the search contract in one, the others in the second. */
export function artifactFiles(operations: readonly AnyOperation[]): Map<string, string> {
  const contracts = toolContracts(operations);
  const search = contracts.find(({ name }) => name === 'search');
  const files = new Map<string, string>();
  if (search !== undefined) files.set(SEARCH_ARTIFACT, fileText(search));
  files.set(TOOLS_ARTIFACT, fileText({ tools: contracts.filter((contract) => contract !== search) }));
  return files;
}

function fileText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** MCP wants `type: "object"` at the root, which a union of objects does not say by itself. */
function rootObject(schema: JsonObject): JsonObject {
  if (schema.type === 'object') return schema;
  if ('anyOf' in schema || 'oneOf' in schema || 'allOf' in schema) return { ...schema, type: 'object' };
  throw new TypeError('the input and the output of an operation are objects');
}

/**
 * The output schema with the failure as its alternative. Clients check structured content whether the call failed or
 * not. The properties of the answer stay at the root, where clients look for them.
 */
function withFailure(schema: JsonObject): JsonObject {
  const root = rootObject(schema);
  if (!('properties' in root)) return { type: 'object', anyOf: [root, FAILURE_SCHEMA] };
  const open = without(root, 'required', 'additionalProperties');
  return { ...open, anyOf: [{ required: root.required ?? [] }, FAILURE_SCHEMA] };
}
