import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Imports what modules of src/ and test/support/ export, given by their paths from the root: plain Node reads no TypeScript. */
export async function importSource(...modules) {
  const directory = mkdtempSync(join(root, 'node_modules', '.gh-rag-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const outfile = join(directory, 'source.mjs');
  await build({
    stdin: { contents: modules.map((path) => `export * from './${path}';`).join('\n'), resolveDir: root },
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}
