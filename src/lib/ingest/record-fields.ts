import { normalizeText } from '../core/text.ts';

/**
 * GitHub's id as decimal digits, every one kept; null for 0 or nothing (an identity that is not known), undefined for
 * what is no id.
 */
export function canonicalId(value: unknown): string | null | undefined {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? idDigits(String(value)) : undefined;
  return typeof value === 'string' && /^\d{1,40}$/.test(value) ? idDigits(value) : undefined;
}

function idDigits(digits: string): string | null {
  const significant = digits.replace(/^0+/, '');
  return significant === '' ? null : significant;
}

/** A whole number from 1 to 2^53 - 1, as a number or its decimal digits; undefined for anything else. */
export function positiveInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/**
 * Path of a file in its repository, or slug of a page: without `.` and empty segments. Undefined where none is left or
 * where it leads out (`..`).
 */
export function repositoryPath(value: string): string | undefined {
  const segments = normalizeText(value)
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  return segments.length === 0 || segments.includes('..') ? undefined : segments.join('/');
}

/** A commit's id (or an abbreviation of 7 digits and more) in lower case; undefined for anything else. */
export function commitId(value: string): string | undefined {
  const id = value.trim().toLowerCase();
  return /^[0-9a-f]{7,64}$/.test(id) ? id : undefined;
}

/** An http(s) address; undefined for anything else: addresses are opened in a browser. */
export function webAddress(value: string): string | undefined {
  const address = value.trim();
  return address.length <= 4000 && /^https?:\/\/[^\s\u0000-\u001f\u007f]+$/i.test(address) && URL.canParse(address)
    ? normalizeText(address)
    : undefined;
}

/** Normalised names without empty ones and repetitions. */
export function distinctNames(names: readonly (string | null)[]): string[] {
  const distinct = new Set<string>();
  for (const name of names) {
    const normal = name === null ? '' : normalizeText(name).trim();
    if (normal !== '') distinct.add(normal);
  }
  return [...distinct];
}
