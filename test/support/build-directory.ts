import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/**
 * An empty directory for something that is built, below node_modules, so that packages are found from there. It goes with
 * this process, or where that is killed with the run (global-setup.ts).
 */
export function buildDirectory(): string {
  const directory = mkdtempSync(join(process.env.GH_RAG_TEST_BUILDS ?? MODULES, '.gh-rag-test-'));
  process.once('exit', () => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}
