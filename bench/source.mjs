import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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
    plugins: [whereItWas],
  });
  return import(pathToFileURL(outfile).href);
}

/** Test support finds its programs beside itself: each module keeps the URL that it has without the bundle. */
const whereItWas = {
  name: 'where it was',
  setup({ onLoad }) {
    onLoad({ filter: /\/test\/.*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }));
  },
};
