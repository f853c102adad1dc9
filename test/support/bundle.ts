import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles a TypeScript module so that plain Node can run it as a child process, and gives the path of the bundle.
 * Packages stay outside; the bundle lies in the project's build folder so that they are found.
 */
export async function bundleForNode(module: URL): Promise<string> {
  const outfile = join(mkdtempSync(join(root, 'node_modules', '.gh-rag-test-')), 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(module)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
  return outfile;
}
