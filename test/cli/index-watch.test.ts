import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../support/repository.ts';
import { configIn, TestHost } from './example.ts';
import { indexOn } from './index-command.ts';

const directory = temporaryDirectory();
let host = new TestHost();
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

/** Somebody presses Ctrl-C in the first pause. */
const pause = (): Promise<void> => {
  host.interrupt();
  return Promise.resolve();
};
const Watched = indexOn(
  () => host,
  () => ({ pause }),
);

it('a watch that is stopped in a pause tells of the last run, and ends as one that is stopped in a run', async () => {
  const config = await configIn(directory);
  const file = join(directory, 'export.jsonl');
  writeFileSync(file, '{"repo":"acme/app","type":"issue","number":1,"title":"Slow start"}\n');
  expect(await Watched.run([file, '--watch', '1h', '--quiet'], config)).toBe(130);
  expect(host.out).toContain('1 written');
  expect(host.err).toBe(
    'error: stopped watching, between two runs\nhint: Everything is stored. Run the same command again to go on.\n',
  );
  host = new TestHost();
  expect(await Watched.run([file, '--watch', '1h', '--json'], config)).toBe(130);
  expect(JSON.parse(host.out)).toMatchObject({ targets: [{ kind: 'export' }] });
});
