import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { buildDirectory } from './build-directory.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PARTS = ['bin', 'src', 'migrations', 'schemas', 'package.json'];

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** What ships, built by the first test of a worker that asks for it; the others copy it. */
let shipped: Promise<string> | undefined;

/**
 * The program as `npm run build` makes it of the sources as they are, in a directory of its own: a test of it depends on no
 * earlier build.
 */
export class Program {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
    mkdirSync(join(directory, 'tmp'));
  }

  /** Builds it. `replaced` holds other contents for some of the sources, by path: what they say is not in what we ship. */
  static async build(replaced?: Readonly<Record<string, string>>): Promise<Program> {
    if (replaced !== undefined) return new Program(await built(replaced));
    const original = await (shipped ??= built({}));
    const directory = buildDirectory();
    // The compiled code that a program keeps goes by the time of its file.
    cpSync(original, directory, { recursive: true, preserveTimestamps: true });
    return new Program(directory);
  }

  /** Starts it with nothing of the user's environment but the PATH. */
  start(...args: string[]): ChildProcess {
    const home = this.directory;
    return spawn(process.execPath, [join(home, 'bin/run.js'), ...args], {
      env: { PATH: process.env.PATH, HOME: home, TMPDIR: join(home, 'tmp') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  run(...args: string[]): Promise<Ended> {
    return endOf(this.start(...args));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

async function built(replaced: Readonly<Record<string, string>>): Promise<string> {
  const directory = buildDirectory();
  for (const part of PARTS) cpSync(join(root, part), join(directory, part), { recursive: true });
  for (const [path, contents] of Object.entries(replaced)) writeFileSync(join(directory, path), contents);
  const script = new URL('../../scripts/build.mjs', import.meta.url).href;
  const { build } = (await import(script)) as { build: (root: string) => Promise<void> };
  await build(directory);
  return directory;
}

/** How a child ended, and what it said. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  if (child.stdout === null || child.stderr === null) throw new Error('the child has no pipes');
  const [out, err, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, signal: signal as NodeJS.Signals | null, out, err };
}
