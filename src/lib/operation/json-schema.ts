import * as z from 'zod';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/json.ts';

/** Order in which the keywords of a schema are written; others follow in alphabetical order. */
const KEYWORD_ORDER = [
  '$ref',
  'title',
  'description',
  'type',
  'const',
  'enum',
  'default',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'items',
  'prefixItems',
  'properties',
  'required',
  'propertyNames',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
];

/** Keywords whose value is data, and those whose value maps names to schemas. Names keep the order of the code. */
const DATA = new Set(['const', 'enum', 'default', 'examples', 'required']);
const NAMED_SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);

/**
 * A zod schema as JSON Schema, draft 2020-12 (the dialect of MCP, so `$schema` is left out), in a fixed key order.
 * `input` is what a caller may send (fields with a default are optional), `output` what it gets. Throws an Error for
 * what JSON Schema cannot say, e.g. a bare transform.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  // Through text and back: drops what zod hides in properties that are no JSON.
  const text = JSON.stringify(z.toJSONSchema(schema, { io, target: 'draft-2020-12' }));
  return orderSchema(without(JSON.parse(text) as JsonObject, '$schema')); // zod's schemas are objects
}

/** An object without some of its members. */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function orderSchema(schema: JsonObject): JsonObject {
  const keywords = Object.keys(schema).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(keywords.map((keyword) => [keyword, orderValue(keyword, schema[keyword] ?? null)]));
}

function orderValue(keyword: string, value: Json): Json {
  if (DATA.has(keyword)) return value;
  if (isJsonArray(value)) return value.map((member) => (isJsonObject(member) ? orderSchema(member) : member));
  if (!isJsonObject(value)) return value;
  if (!NAMED_SCHEMAS.has(keyword)) return orderSchema(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isJsonObject(member) ? orderSchema(member) : member]),
  );
}

function rank(keyword: string): number {
  const position = KEYWORD_ORDER.indexOf(keyword);
  return position === -1 ? KEYWORD_ORDER.length : position;
}
