import { parse } from 'lossless-json';

// Sixteen digits are the first that a double may not hold. Digits inside of strings match too, which only costs time.
const LONG_NUMBER = /(?:^|[\s:,[])-?\d{16}/;

/**
 * Parses JSON without rounding: an integer beyond 2^53 comes as the string of its digits. Throws a SyntaxError for what
 * is no JSON, and a RangeError for a value nested too deeply.
 */
export function parseJsonLine(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_NUMBER.test(text)) return value;
  // A repeated key means its last value, as in JSON.parse.
  return parse(text, null, { parseNumber: exactNumber, onDuplicateKey: ({ newValue }) => newValue });
}

function exactNumber(literal: string): number | string {
  const value = Number(literal);
  return /^-?\d+$/.test(literal) && !Number.isSafeInteger(value) ? literal : value;
}
