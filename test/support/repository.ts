import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const START_SECONDS = 1_700_000_000;
const COMMIT_INTERVAL_SECONDS = 60;

/** Who makes every commit of a test repository. */
export const AUTHOR = 'Ada Example';

/** Contents by path; null removes the file. */
export type Files = Record<string, string | Uint8Array | null>;

/**
 * A real repository in a directory of its own. Names and dates are fixed (each commit is a minute after the last), and
 * nothing of the machine's git configuration is used, so the same steps give the same object ids.
 */
export class TestRepository {
  /** The work tree, or the repository itself when bare. */
  readonly path: string;
  #seconds = START_SECONDS;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes an empty repository with the branch `main`; further arguments go to `git init` (`--bare`, `--object-format=…`). */
  static init(...args: string[]): TestRepository {
    const repository = new TestRepository(temporaryDirectory());
    repository.git('init', '--quiet', '--template=', '--initial-branch=main', ...args, '.');
    return repository;
  }

  /** Runs git here and gives what it prints, without the last newline. */
  git(...args: string[]): string {
    return this.gitWith({}, ...args);
  }

  /** As {@link git}, with bytes on standard input or further environment variables. */
  gitWith(options: { input?: string | Uint8Array; env?: Record<string, string> }, ...args: string[]): string {
    const output = execFileSync('git', args, {
      cwd: this.path,
      env: { ...cleanEnvironment(this.#seconds), ...options.env },
      input: options.input ?? '',
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    });
    return output.toString('utf8').replace(/\n$/, '');
  }

  /** Writes files into the work tree. */
  write(files: Files): void {
    for (const [name, contents] of Object.entries(files)) {
      const path = join(this.path, name);
      if (contents === null) {
        rmSync(path, { recursive: true });
        continue;
      }
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, contents);
    }
  }

  /** Writes files, and commits all that has changed in the work tree. Gives the commit's id. */
  commit(message: string, files: Files = {}): string {
    this.write(files);
    this.#seconds += COMMIT_INTERVAL_SECONDS;
    this.git('add', '--all', '--force', '.');
    this.gitWith(
      { input: message },
      'commit',
      '--quiet',
      '--allow-empty',
      '--allow-empty-message',
      '--cleanup=verbatim',
      '--file=-',
    );
    return this.git('rev-parse', 'HEAD');
  }

  /** Writes an object as it is, even if it is malformed, and gives its id. */
  object(type: 'commit' | 'tag' | 'tree' | 'blob', contents: string | Uint8Array): string {
    return this.gitWith({ input: contents }, 'hash-object', '-t', type, '-w', '--stdin', '--literally');
  }

  /** Committer date of the latest commit, in milliseconds. */
  get now(): number {
    return this.#seconds * 1000;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** An empty directory for a test; the caller removes it. */
export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'gh-rag-test-'));
}

function cleanEnvironment(seconds: number): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const date = `${String(seconds)} +0000`;
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_AUTHOR_NAME: AUTHOR,
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: AUTHOR,
    GIT_COMMITTER_EMAIL: 'ada@example.org',
    GIT_COMMITTER_DATE: date,
    LC_ALL: 'C',
  };
}
