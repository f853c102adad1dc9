import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { Git, GitRepository, ObjectId } from '../../engine/git.ts';
import { GitRunner } from './child.ts';
import { locate, readSmallFile } from './locate.ts';
import { isObjectId } from './objects.ts';
import { slugAt } from './origin.ts';
import { fillPrivateDir, makePrivateDir, removePrivateDir, SHALLOW_LIMIT } from './private-dir.ts';
import { ProcessRepository, type RepositoryFacts } from './repository.ts';
import { githubSlug } from './slug.ts';
import { decodePath } from './text.ts';

const ORIGIN = 'refs/remotes/origin/';
const HEADS = 'refs/heads/';

/**
 * Git by its command line. A repository is opened by making a private git directory over its objects and refs
 * (private-dir.ts), and every git command runs there in a clean environment (child.ts): of the repository's own
 * configuration only the remote URL and the object format are read. Needs git 2.39 or newer.
 */
export function gitProcess(): Git {
  return { open, slugAt };
}

async function open(path: string, signal: AbortSignal): Promise<GitRepository> {
  const location = await locate(path);
  const directory = await makePrivateDir();
  const git = new GitRunner(directory, signal);
  try {
    const { originUrl } = await fillPrivateDir(directory, location, git);
    const [head, defaultBranch, shallow] = await Promise.all([
      readHead(git),
      readDefaultBranch(directory),
      readSmallFile(join(directory, 'shallow'), SHALLOW_LIMIT),
    ]);
    const facts: RepositoryFacts = {
      head,
      slug: originUrl === null ? null : githubSlug(originUrl),
      defaultBranch,
      shallow: (shallow ?? '').split('\n').filter(isObjectId).sort(),
    };
    return new ProcessRepository(git, directory, facts);
  } catch (error) {
    await git.close();
    await removePrivateDir(directory);
    throw error;
  }
}

async function readHead(git: GitRunner): Promise<ObjectId | null> {
  const commit = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (commit.code === 0) return commit.output.trim();
  const unborn = (await git.run(['rev-parse', '--verify', '--quiet', 'HEAD'])).code !== 0;
  if (unborn) return null;
  throw new Failure('unreadable_input', 'the commit that HEAD names is missing in the repository', {
    hint: 'Check it with `git fsck`, or clone it again.',
  });
}

async function readDefaultBranch(directory: string): Promise<string | null> {
  const origin = await readSymbolicRef(join(directory, `${ORIGIN}HEAD`));
  if (origin?.startsWith(ORIGIN) === true) return origin.slice(ORIGIN.length);
  const head = await readSymbolicRef(join(directory, 'HEAD'));
  return head?.startsWith(HEADS) === true ? head.slice(HEADS.length) : null;
}

/** What a symbolic ref names; null when it is none. Such refs are always files of their own. */
async function readSymbolicRef(path: string): Promise<string | null> {
  const target = /^ref:[ \t]*([^\0- ]+)[ \t\r\n]*$/.exec((await readSmallFile(path, undefined, 'latin1')) ?? '')?.[1];
  return target === undefined ? null : decodePath(Buffer.from(target, 'latin1'));
}
