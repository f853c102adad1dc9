import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Program } from '../support/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the first five minutes go through, also where there is no git repository', { timeout: 60_000 }, async () => {
  const program = await Program.build();
  try {
    const home = program.directory;
    mkdirSync(join(home, 'scripts'), { recursive: true });
    for (const name of ['scripts/quickstart.mjs', 'examples'])
      cpSync(join(root, name), join(home, name), { recursive: true });
    const env = { PATH: process.env.PATH, HOME: home, GIT_CEILING_DIRECTORIES: join(home, '..') };
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/quickstart.mjs'], { cwd: home, env });
    expect(stdout).toContain('only the example is indexed');
    expect(stdout).toMatch(/^1\tacme\/app#8\t/m);
  } finally {
    program.remove();
  }
});
