import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pendingCall } from '../../src/lib/adapters/pending-calls.ts';
import { temporaryDirectory } from '../support/repository.ts';

let folder: string;
let keys = 0;
const fresh = (): string => `key-${String((keys += 1))}`;

beforeEach(() => {
  folder = temporaryDirectory();
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('gives the same call the same key until its outcome is known, and then a new one', async () => {
  const first = await pendingCall(folder, 'a', fresh);
  const other = await pendingCall(folder, 'b', fresh);
  const again = await pendingCall(folder, 'a', fresh);
  expect(again.key).toBe(first.key);
  expect(other.key).not.toBe(first.key);
  await again.settle();
  await again.settle();
  expect((await pendingCall(folder, 'a', fresh)).key).not.toBe(first.key);
  expect((await pendingCall(folder, 'b', fresh)).key).toBe(other.key);
});

it('is for its owner alone, and says nothing of the call', async () => {
  await pendingCall(folder, 'a', fresh);
  expect(readdirSync(join(folder, 'pending'))).toEqual(['a']);
  expect(statSync(join(folder, 'pending', 'a')).mode & 0o777).toBe(0o600);
});

it('goes on with a key for this once where nothing can be kept', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const [first, second] = [await pendingCall(file, 'a', fresh), await pendingCall(file, 'a', fresh)];
  expect(first.key).not.toBe(second.key);
  await first.settle();
});
