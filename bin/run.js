#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = new URL('../dist/lib/cli/main.js', import.meta.url);

// Node 22 keeps compiled code between runs; in the user's own directory, since what lies there is executed.
module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gh-rag', 'node'));

if (existsSync(program)) {
  const { main } = await import(program.href);
  process.exitCode = await main(root, process.argv.slice(2));
} else {
  process.stderr.write('error: gh-rag is not built\nhint: Run npm install and npm run build in its directory.\n');
  process.exitCode = 1;
}
