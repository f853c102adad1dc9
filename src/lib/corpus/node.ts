import type { NodeKey } from './edge.ts';

/**
 * Nodes as they are stored: entity keys with their repository, the same that fold rows in an answer
 * (`thread:owner/name:12`, `file:owner/name:path`, `self:owner/name/wiki/Page`), and `commit:owner/name:<sha>`.
 */
export type Node = string;

const OTHER_REPO = /^([A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9._-]+?)(#|:|@|\/wiki\/|\/release\/)(.+)$/s;
const STORED = /^(thread|file|commit):([^:]+):(.+)$/s;
const SELF = /^self:([^/]+\/[^/]+)(\/.+)$/s;

/** The node that a key means within a repository. */
export function nodeOf(repo: string, key: NodeKey): Node {
  const own = key.startsWith('wiki/') || key.startsWith('release/');
  const [, slug, mark = '', rest = ''] = (own ? null : OTHER_REPO.exec(key)) ?? [];
  if (slug !== undefined) return stored(slug, mark, rest);
  return own ? `self:${repo}/${key}` : stored(repo, key.slice(0, 1), key.slice(1));
}

function stored(repo: string, mark: string, rest: string): Node {
  switch (mark) {
    case '#':
      return `thread:${repo}:${rest}`;
    case ':':
      return `file:${repo}:${rest}`;
    case '@':
      return `commit:${repo}:${rest}`;
    default:
      return `self:${repo}${mark}${rest}`;
  }
}

const MARKS: Readonly<Record<string, string>> = { thread: '#', file: ':', commit: '@' };

/** The repository of a node and its key there; undefined for a node that has no canonical name. */
function parse(node: Node): { repo: string; key: NodeKey } | undefined {
  const [, kind = '', repo, rest] = STORED.exec(node) ?? [];
  if (repo !== undefined && rest !== undefined) return { repo, key: `${MARKS[kind] ?? ''}${rest}` };
  const [, owner, page] = SELF.exec(node) ?? [];
  return owner === undefined || page === undefined ? undefined : { repo: owner, key: page.slice(1) };
}

/** `owner/name` of a node. */
export function repoOf(node: Node): string {
  return parse(node)?.repo ?? '';
}

/** A node's key within a repository: with its own slug where it is another's. */
export function keyWithin(repo: string, node: Node): NodeKey {
  const parsed = parse(node);
  if (parsed === undefined) return node;
  return parsed.repo === repo ? parsed.key : referenceOfNode(node);
}

/** Canonical reference of a node. */
export function referenceOfNode(node: Node): string {
  const parsed = parse(node);
  if (parsed === undefined) return node;
  const { repo, key } = parsed;
  return /^[#:@]/.test(key) ? `${repo}${key}` : `${repo}/${key}`;
}
