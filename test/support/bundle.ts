import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildDirectory } from './build-directory.ts';

/** Native, or not reached by any child: everything else is in the bundle, so that a child reads one file at its start. */
const EXTERNAL = ['libsql', 'octokit'];

/** esbuild's `require` for the packages that are CommonJS. */
const BANNER =
  "import { createRequire as createRequire__ } from 'node:module'; const require = createRequire__(import.meta.url);";

const bundles = new Map<string, Promise<string>>();

/** Bundles a TypeScript module, once, so that plain Node can run it as a child process. Gives the path of the bundle. */
export function bundleForNode(module: URL): Promise<string> {
  const path = fileURLToPath(module);
  let bundle = bundles.get(path);
  if (bundle === undefined) bundles.set(path, (bundle = bundled(path)));
  return bundle;
}

async function bundled(path: string): Promise<string> {
  const outfile = join(buildDirectory(), 'child.mjs');
  await build({
    entryPoints: [path],
    outfile,
    bundle: true,
    external: EXTERNAL,
    banner: { js: BANNER },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
  return outfile;
}
