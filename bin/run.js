#!/usr/bin/env node
import { createRequire } from 'node:module';

// Built-in modules are required: importing one reads all of its exports, and some of them are slow to make.
const require = createRequire(import.meta.url);
const { existsSync } = require('node:fs');
const { homedir } = require('node:os');
const { join } = require('node:path');
const { fileURLToPath } = require('node:url');

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'dist', 'main.cjs');

if (existsSync(bundle)) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gh-rag', 'node');
  const { program, keep } = require('./load.cjs')(bundle, cache);
  process.exitCode = await program.main(root, process.argv.slice(2));
  keep();
} else {
  process.stderr.write('error: gh-rag is not built\nhint: Run npm install and npm run build in its directory.\n');
  process.exitCode = 1;
}
