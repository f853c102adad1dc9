import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

const directory = (): string => join(packageRoot(), 'schemas');

/** Text of a committed contract artifact; undefined where there is none. */
export async function readArtifact(name: string): Promise<string | undefined> {
  try {
    return await readFile(join(directory(), name), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writeArtifact(name: string, text: string): Promise<void> {
  await mkdir(directory(), { recursive: true });
  await writeFile(join(directory(), name), text);
}

/** How to start this program once more, as a server that opens no database. */
export function serverCommand(): { command: string; args: string[] } {
  return { command: process.execPath, args: [join(packageRoot(), 'bin', 'run.js'), 'serve', '--mcp'] };
}
