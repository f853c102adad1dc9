import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { showInPager } from '../../src/lib/adapters/pager.ts';
import { temporaryDirectory } from '../support/repository.ts';

const directory = temporaryDirectory();
const file = join(directory, 'shown');

afterEach(() => {
  rmSync(file, { force: true });
});

it('gives a shell command the whole text and waits for it', async () => {
  const text = 'line\n'.repeat(100_000);
  expect(await showInPager(`cat > '${file}'`, text)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('minds neither a reader who leaves early nor one who fails', async () => {
  expect(await showInPager('true', 'x'.repeat(1_000_000))).toBe(true);
  expect(await showInPager('exit 3', 'x')).toBe(true);
});

it('says when there is no such pager', async () => {
  expect(await showInPager(`'${join(directory, 'no-such-pager')}' 2> '${file}'`, 'x')).toBe(false);
});
