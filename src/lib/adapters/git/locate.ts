import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';

const GITFILE_LIMIT = 64 * 1024;

export interface Location {
  /** The git directory of the work tree: its HEAD is there. */
  readonly gitDir: string;
  /** The git directory that linked work trees share: objects, refs and configuration are there. */
  readonly commonDir: string;
}

/**
 * Finds the git directory of a path as git does, upwards from it: `.git` directory or file, or a bare repository. Done
 * here and not by git, which would read the configuration that it finds, and refuse by the owner of the directory.
 * Fails with `not_a_repository`.
 */
export async function locate(path: string): Promise<Location> {
  let start: string;
  try {
    start = await realpath(path);
    if (!(await stat(start)).isDirectory()) throw new Error('not a directory');
  } catch (error) {
    throw notARepository(path, 'there is no such directory', error);
  }
  for (let directory = start; ; directory = dirname(directory)) {
    const found = (await dotGit(join(directory, '.git'), path)) ?? (await gitDirectory(directory));
    if (found !== null) return found;
    if (dirname(directory) === directory) throw notARepository(path, 'neither it nor a directory above it is one');
  }
}

async function dotGit(dotGitPath: string, path: string): Promise<Location | null> {
  const stats = await stat(dotGitPath).catch(() => null);
  if (stats?.isFile() !== true) return stats === null ? null : gitDirectory(dotGitPath);
  const text = await readSmallFile(dotGitPath);
  const target = /^gitdir: ([^\0]+?)[\r\n]*$/.exec(text ?? '')?.[1];
  const found = target === undefined ? null : await gitDirectory(resolve(dirname(dotGitPath), target));
  if (found === null) throw notARepository(path, 'its .git file does not lead to a git directory');
  return found;
}

async function gitDirectory(directory: string): Promise<Location | null> {
  const head = await lstat(join(directory, 'HEAD')).catch(() => null);
  if (head === null) return null;
  const common = await readSmallFile(join(directory, 'commondir'));
  const commonDir = common === null ? directory : resolve(directory, common.replace(/[\r\n]+$/, ''));
  const parts = await Promise.all(['objects', 'refs'].map((name) => stat(join(commonDir, name)).catch(() => null)));
  return parts.every((part) => part?.isDirectory() === true) ? { gitDir: directory, commonDir } : null;
}

/** The text of a regular file; null when there is none, or one too large to be what is looked for. */
export async function readSmallFile(
  path: string,
  limit: number = GITFILE_LIMIT,
  encoding: 'utf8' | 'latin1' = 'utf8',
): Promise<string | null> {
  const stats = await stat(path).catch(() => null);
  if (stats?.isFile() !== true || stats.size > limit) return null;
  return readFile(path, encoding).catch(() => null);
}

function notARepository(path: string, reason: string, cause?: unknown): Failure {
  return new Failure('not_a_repository', `not a git repository: ${path} (${reason})`, {
    hint: 'Give the path of a clone, for example `.` inside one.',
    ...(cause === undefined ? {} : { cause }),
  });
}
