import { copyFile, mkdir, mkdtemp, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { GitRunner } from './child.ts';
import { type Location, readSmallFile } from './locate.ts';

const HEAD_LIMIT = 4096;
const CONFIG_LIMIT = 4 << 20;
export const SHALLOW_LIMIT = 64 << 20;
const REF_NAMESPACES = ['heads', 'remotes', 'tags'];

// A patch of a file beyond this is not computed: git would hold both sides in memory. Such a file comes as binary.
const BIG_FILE = '32m';

/** What is believed of a stranger's configuration. */
interface RemoteConfig {
  readonly originUrl: string | null;
  readonly objectFormat: 'sha1' | 'sha256';
}

/** Makes an empty directory that {@link fillPrivateDir} turns into a git directory; the caller removes it. */
export async function makePrivateDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'gh-rag-git-'));
}

export async function removePrivateDir(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

/**
 * Makes a bare git directory that has the objects and refs of another and nothing else of it: no configuration, no
 * attributes, no hooks, no replacements, no grafts. Objects come through `alternates`, refs through links, HEAD and the
 * list of shallow commits as copies. Fails with `unreadable_input`.
 */
export async function fillPrivateDir(directory: string, from: Location, git: GitRunner): Promise<RemoteConfig> {
  await Promise.all(['refs', 'objects/info', 'info'].map((name) => mkdir(join(directory, name), { recursive: true })));
  const config = await readConfig(join(from.commonDir, 'config'), git);
  const shallow = await readSmallFile(join(from.commonDir, 'shallow'), SHALLOW_LIMIT);
  await Promise.all([
    writeFile(join(directory, 'config'), ownConfig(config.objectFormat)),
    // Above every other source of attributes, such as .gitattributes of HEAD, which some versions read in a bare repository.
    writeFile(
      join(directory, 'info/attributes'),
      '* !diff !text !eol !encoding !working-tree-encoding !merge !filter !ident\n',
    ),
    writeFile(join(directory, 'objects/info/alternates'), `${quote(join(from.commonDir, 'objects'))}\n`),
    writeFile(join(directory, 'HEAD'), `${await readHead(from.gitDir)}\n`, 'latin1'),
    shallow === null ? undefined : writeFile(join(directory, 'shallow'), shallow),
    ...REF_NAMESPACES.map((name) => link(join(from.commonDir, 'refs', name), join(directory, 'refs', name))),
    link(join(from.commonDir, 'packed-refs'), join(directory, 'packed-refs')),
  ]);
  return config;
}

async function readConfig(path: string, git: GitRunner): Promise<RemoteConfig> {
  const stats = await stat(path).catch(() => null);
  if (stats === null) return { originUrl: null, objectFormat: 'sha1' };
  const listed =
    stats.isFile() && stats.size <= CONFIG_LIMIT
      ? await git.run(['config', '--file', path, '--no-includes', '--null', '--list'], CONFIG_LIMIT * 2)
      : null;
  if (listed?.code !== 0) {
    throw new Failure('unreadable_input', 'the configuration of the repository cannot be read', {
      hint: 'See what `git status` says in it.',
    });
  }
  const values = new Map<string, string[]>();
  for (const entry of listed.output.split('\0')) {
    const newline = entry.indexOf('\n');
    const key = newline < 0 ? entry : entry.slice(0, newline);
    values.set(key, [...(values.get(key) ?? []), newline < 0 ? '' : entry.slice(newline + 1)]);
  }
  const storage = values.get('extensions.refstorage')?.at(-1)?.toLowerCase() ?? 'files';
  if (storage !== 'files') {
    throw new Failure(
      'unreadable_input',
      `the repository keeps its refs in the ${JSON.stringify(storage)} format, which is not supported`,
      {
        hint: 'Convert a clone with `git refs migrate --ref-format=files`.',
      },
    );
  }
  return {
    originUrl: values.get('remote.origin.url')?.[0] ?? null,
    objectFormat: values.get('extensions.objectformat')?.at(-1)?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1',
  };
}

function ownConfig(objectFormat: 'sha1' | 'sha256'): string {
  // commitGraph off: that file of the stranger may claim other parents and dates than its commits do.
  return `[core]
\trepositoryFormatVersion = ${objectFormat === 'sha1' ? '0' : '1'}
\tbare = true
\tattributesFile = ${JSON.stringify(devNull)}
\thooksPath = ${JSON.stringify(devNull)}
\tfsmonitor = false
\tcommitGraph = false
\tuseReplaceRefs = false
\tquotePath = true
\tbigFileThreshold = ${BIG_FILE}
${objectFormat === 'sha1' ? '' : '[extensions]\n\tobjectFormat = sha256\n'}`;
}

async function readHead(gitDir: string): Promise<string> {
  const path = join(gitDir, 'HEAD');
  // A link instead of `ref: …`, as the first versions of git made it.
  const target = await readlink(path).catch(() => '');
  if (target.startsWith('refs/')) return `ref: ${target}`;
  const line = (await readSmallFile(path, HEAD_LIMIT, 'latin1'))?.replace(/[ \t\r\n]+$/, '') ?? '';
  if (/^(?:ref:[ \t]*refs\/[^\0- ]+|[0-9a-f]{40}|[0-9a-f]{64})$/.test(line)) return line;
  throw new Failure('unreadable_input', 'the HEAD of the repository cannot be read', {
    hint: 'See what `git status` says in it.',
  });
}

async function link(from: string, to: string): Promise<void> {
  const stats = await stat(from).catch(() => null);
  if (stats === null) return;
  try {
    await symlink(from, to, stats.isDirectory() ? 'junction' : 'file');
  } catch (error) {
    // Windows without the right to make links.
    if (!stats.isFile()) throw error;
    await copyFile(from, to);
  }
}

// The alternates file has one path a line, quoted as in C when it starts with a quotation mark.
function quote(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
