import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Answer, bytes, json, notFound } from './answer.ts';
import type { View } from './lists.ts';
import type { Shape } from './shapes.ts';

const run = promisify(execFile);

/** Over this, GitHub answers a file without its text, unless the raw text is asked for. */
const MAX_JSON_BYTES = 1 << 20;

interface Entry {
  readonly kind: string;
  readonly sha: string;
  readonly size: number;
  readonly path: string;
}

/** A file or a directory at a ref, by default at the tip of the default branch. */
export async function contents(view: View, encoded: string): Promise<Answer> {
  const path = decodeURIComponent(encoded).replace(/\/$/, '');
  const ref = view.query.get('ref') ?? view.repository.defaultBranch;
  const cwd = view.repository.git.path;
  const commit = await git(cwd, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
  if (commit === undefined) return notFound();
  const tip = commit.toString().trim();
  const type = (await git(cwd, 'cat-file', '-t', `${tip}:${path}`))?.toString().trim();
  if (type === 'tree') return json(200, await directory(view, cwd, `${tip}:${path}`, path, ref));
  if (type !== 'blob') return notFound();
  const [entry] = await entries(cwd, tip, path);
  const text = await git(cwd, 'cat-file', 'blob', `${tip}:${path}`);
  if (entry === undefined || text === undefined) return notFound();
  if (/\braw\b/.test(view.accept))
    return bytes(200, text, { 'content-type': 'application/vnd.github.raw; charset=utf-8' });
  const large = text.length > MAX_JSON_BYTES;
  const body: Shape<'content-file'> = {
    ...item(view, entry, ref),
    type: 'file',
    encoding: large ? 'none' : 'base64',
    content: large ? '' : text.toString('base64').replace(/.{60}/g, '$&\n'),
  };
  return json(200, body);
}

async function directory(view: View, cwd: string, tree: string, path: string, ref: string) {
  const prefix = path === '' ? '' : `${path}/`;
  const list: Shape<'content-directory'> = (await entries(cwd, tree)).map((entry) => ({
    ...item(view, { ...entry, path: `${prefix}${entry.path}` }, ref),
    type: entry.kind === 'tree' ? 'dir' : 'file',
  }));
  return list;
}

function item({ urls, repository }: View, entry: Entry, ref: string) {
  const escaped = entry.path.split('/').map(encodeURIComponent).join('/');
  const url = `${urls.repo(repository)}/contents/${escaped}?ref=${encodeURIComponent(ref)}`;
  const page = `${urls.page(repository)}/${entry.kind}/${ref}/${escaped}`;
  const object = `${urls.repo(repository)}/git/${entry.kind}s/${entry.sha}`;
  return {
    name: entry.path.slice(entry.path.lastIndexOf('/') + 1),
    path: entry.path,
    sha: entry.sha,
    size: entry.size,
    url,
    html_url: page,
    git_url: object,
    download_url: entry.kind === 'tree' ? null : `${urls.page(repository)}/raw/${ref}/${escaped}`,
    _links: { self: url, git: object, html: page },
  };
}

async function entries(cwd: string, tree: string, ...paths: string[]): Promise<Entry[]> {
  const lines = (await git(cwd, '--literal-pathspecs', 'ls-tree', '-z', '--long', tree, ...paths)) ?? Buffer.alloc(0);
  return lines
    .toString()
    .split('\0')
    .flatMap((line) => {
      const parsed = /^\d+ (\w+) (\w+) +(\d+|-)\t(.*)$/s.exec(line);
      if (parsed === null) return [];
      const [, kind = '', sha = '', size = '', path = ''] = parsed;
      return [{ kind, sha, size: size === '-' ? 0 : Number(size), path }];
    });
}

/** What git prints, or undefined where it fails: what was asked for is not there. */
async function git(cwd: string, ...args: string[]): Promise<Buffer | undefined> {
  try {
    return (await run('git', args, { cwd, encoding: 'buffer', maxBuffer: 1 << 28 })).stdout;
  } catch {
    return undefined;
  }
}
