import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { GitMirror, RemoteGit } from '../../engine/git-mirror.ts';
import type { ClonedRepository } from '../../engine/github.ts';
import { NetworkGit } from './network.ts';

/** What a server has: the branch that its HEAD names, and its refs. */
interface Advertised {
  readonly branch: string | undefined;
  readonly refs: ReadonlyMap<string, string>;
}

/** Bare clones under a cache directory: the default branch and all tags, nothing else. */
export function gitMirror(cacheDir: string): GitMirror {
  const last = new Map<string, Promise<unknown>>();
  return {
    // One after another for each clone: git has two at once end each other.
    async update(remote: RemoteGit, signal: AbortSignal): Promise<ClonedRepository> {
      const path = join(cacheDir, remote.name);
      const mine = Promise.allSettled([last.get(path)]).then(() => repairing(path, remote, signal));
      last.set(path, mine);
      try {
        return await mine;
      } finally {
        if (last.get(path) === mine) last.delete(path);
      }
    },
  };
}

async function repairing(path: string, remote: RemoteGit, signal: AbortSignal): Promise<ClonedRepository> {
  const git = new NetworkGit(path, remote, signal);
  const tipOnly = remote.tipOnly === true;
  try {
    return await bringUpToDate(path, git, tipOnly);
  } catch (error) {
    // What an interrupted or damaged clone left behind is no reason to fail: once more from nothing.
    if (!(error instanceof Failure) || error.code !== 'unreadable_input') throw error;
    await rm(path, { recursive: true, force: true });
    return bringUpToDate(path, git, tipOnly);
  }
}

async function bringUpToDate(path: string, git: NetworkGit, tipOnly: boolean): Promise<ClonedRepository> {
  if ((await stat(join(path, 'HEAD')).catch(() => null)) === null) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await git.local(['init', '--quiet', '--bare', '--template=']);
  }
  const advertised = await advertisedRefs(git);
  if (advertised === undefined) return 'none';
  const { branch } = advertised;
  if (branch === undefined) return 'empty';
  const refs = tipOnly ? new Map([...advertised.refs].filter(([name]) => name === branch)) : advertised.refs;
  if (!(await isCurrent(git, branch, refs))) {
    await git.fetch([`+${branch}:${branch}`, ...(tipOnly ? [] : ['+refs/tags/*:refs/tags/*'])], tipOnly);
  }
  await git.local(['symbolic-ref', 'HEAD', branch]);
  return { path };
}

/** Undefined where there is no such repository. A HEAD without a commit, or none at all, gives no branch. */
async function advertisedRefs(git: NetworkGit): Promise<Advertised | undefined> {
  const output = await git.remoteRefs();
  if (output === undefined) return undefined;
  const refs = new Map<string, string>();
  let head: string | undefined;
  for (const line of output.split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    if (name === 'HEAD' && value.startsWith('ref: refs/heads/')) head = value.slice('ref: '.length);
    else if (/^[0-9a-f]{40,64}$/.test(value) && /^refs\/(?:heads|tags)\//.test(name)) refs.set(name, value);
  }
  return { branch: head !== undefined && refs.has(head) ? head : undefined, refs };
}

/** Whether the clone has the branch and the tags as the server has them. */
async function isCurrent(git: NetworkGit, branch: string, refs: ReadonlyMap<string, string>): Promise<boolean> {
  const here = await git.local(['for-each-ref', '--format=%(objectname)%09%(refname)', 'refs/tags', branch]);
  const mine = here.split('\n').filter((line) => line !== '');
  const theirs = [...refs]
    .filter(([name]) => name === branch || (name.startsWith('refs/tags/') && !name.endsWith('^{}')))
    .map(([name, id]) => `${id}\t${name}`);
  const same = new Set(mine);
  return mine.length === theirs.length && theirs.every((line) => same.has(line));
}
