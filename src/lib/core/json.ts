/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export type JsonObject = { readonly [key: string]: Json };

/**
 * Serialises a value as RFC 8785 canonical JSON (JCS): object keys in UTF-16 code unit order, ECMAScript number
 * formatting, no white space. Throws a TypeError for numbers that are not finite and for strings with lone surrogates,
 * both of which JCS forbids.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('canonical JSON has no representation for a non-finite number');
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (!isWellFormed(value)) throw new TypeError('canonical JSON has no representation for a lone surrogate');
    return JSON.stringify(value);
  }
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${canonicalJson(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Whether a JSON value (or nothing) is an array. */
export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether a JSON value (or nothing) is an object. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}
