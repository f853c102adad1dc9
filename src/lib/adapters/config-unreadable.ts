import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../core/failure.ts';

/**
 * Why a configuration could not be read, as the failure that its user is told; undefined where there is none, for nothing
 * at all has its name. Source: the error of the read, and the file system.
 */
export async function unreadable(path: string, error: unknown): Promise<Failure | undefined> {
  const code = codeOf(error);
  if (code === 'ENOENT' && (await isAbsent(path))) return undefined;
  const [why, hint] = (await reason(path, code)) ?? [
    '',
    'Check its permissions, and where links on the way to it lead.',
  ];
  return new Failure('unreadable_input', `cannot read the configuration ${path}${why === '' ? '' : `: ${why}`}`, {
    hint,
    cause: error,
  });
}

async function reason(path: string, code: string | undefined): Promise<[why: string, hint: string] | undefined> {
  switch (code) {
    case 'EISDIR':
      return ['it is a folder', 'Put a file in its place; {} in it sets nothing.'];
    case 'ENOENT': {
      const link = await isThere(path);
      return [
        `${link ? 'it' : 'a folder on the way to it'} is a link that leads nowhere`,
        link ? 'Point the link at a file, or remove it.' : 'Point the link at a folder, or remove it.',
      ];
    }
    case 'ELOOP':
      return ['it is a link that leads to itself', 'Point the link at a file, or remove it.'];
    case 'ENOTDIR':
      return ['what should be a folder on the way to it is a file', 'Put a folder in its place.'];
    case 'EACCES':
    case 'EPERM':
      return ['you may not read it', 'Check its permissions, and those of the folders on the way to it.'];
    default:
      return undefined;
  }
}

/** Whether nothing at all has the name; a link that leads nowhere has it, or a folder on the way. */
async function isAbsent(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return false;
  }
  const folder = dirname(path);
  // A folder that can be looked into is there, and does not have the name.
  const found = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return found || (folder !== path && (await isAbsent(folder)));
}

/** Whether something has the name itself, if only a link. */
function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
