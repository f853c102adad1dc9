import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PARTS = ['bin', 'src', 'migrations', 'schemas', 'package.json'];

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/**
 * The program as `npm run build` makes it of the sources as they are, in a directory of its own: a test of it depends on no
 * earlier build.
 */
export class Program {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** Builds it. `replaced` holds other contents for some of the sources, by path: what they say is not in what we ship. */
  static async build(replaced: Readonly<Record<string, string>> = {}): Promise<Program> {
    // Below node_modules, so that packages are found from there.
    const directory = mkdtempSync(join(root, 'node_modules', '.gh-rag-test-'));
    for (const part of PARTS) cpSync(join(root, part), join(directory, part), { recursive: true });
    for (const [path, contents] of Object.entries(replaced)) writeFileSync(join(directory, path), contents);
    mkdirSync(join(directory, 'tmp'));
    const script = new URL('../../scripts/build.mjs', import.meta.url).href;
    const { build } = (await import(script)) as { build: (root: string) => Promise<void> };
    await build(directory);
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

/** How a child ended, and what it said. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  if (child.stdout === null || child.stderr === null) throw new Error('the child has no pipes');
  const [out, err, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, signal: signal as NodeJS.Signals | null, out, err };
}
