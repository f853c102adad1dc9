#!/usr/bin/env node
// Builds the working tree, then runs it.
import { fileURLToPath } from 'node:url';
import { build } from '../scripts/build.mjs';

await build(fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, ''));
await import('./run.js');
