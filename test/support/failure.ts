import { inspect } from 'node:util';
import { expect } from 'vitest';
import { Failure } from '../../src/lib/core/failure.ts';

/** The Failure that work ends with. The key is in no message, hint or stack of it and its causes, nor in any member. */
export async function failureWithout(key: string, work: Promise<unknown>): Promise<Failure> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw new Error(`no Failure: ${inspect(error)}`);
  expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(key);
  expect(JSON.stringify(error)).not.toContain(key);
  expect(error.message).not.toContain('\n');
  return error;
}
