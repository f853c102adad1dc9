import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../core/failure.ts';

/**
 * The file that a `--db` value means: a path, or a `file:` URL. Fails with `invalid_input` for any other URL; the value
 * is not repeated, since a URL may hold a token.
 */
export function databaseFile(value: string): string {
  if (/^file:\/\//i.test(value)) return fileURLToPath(value);
  if (/^file:/i.test(value)) return resolve(value.slice('file:'.length));
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value)) {
    throw new Failure('invalid_input', 'db: must be a path or a file: URL', {
      hint: 'This version works on local database files.',
    });
  }
  if (value.trim() === '') throw new Failure('invalid_input', 'db: must not be empty');
  return resolve(value);
}
