import { REPO_SLUG } from '../core/repo-slug.ts';
import type { NodeKey } from './edge.ts';

/**
 * Nodes as they are stored: entity keys with their repository, the same that fold rows in an answer
 * (`thread:owner/name:12`, `file:owner/name:path`, `self:owner/name/wiki/Page`), and `commit:owner/name:<sha>`.
 */
export type Node = string;

/** What a node consists of: `kind:repo` and `rest`, which begins with its separator. */
export interface NodeParts {
  readonly kind: 'thread' | 'file' | 'commit' | 'self';
  readonly repo: string;
  readonly rest: string;
}

const MARKS = { thread: '#', file: ':', commit: '@', self: '' } as const;
const KINDS = { '#': 'thread', ':': 'file', '@': 'commit' } as const;

const OTHER_REPO = new RegExp(`^(${REPO_SLUG})(#|:|@|/wiki/|/release/)(.+)$`, 's');
const STORED = new RegExp(`^(thread|file|commit|self):(${REPO_SLUG})([:/].+)$`, 's');

/** The node that a key means within a repository. */
export function nodeOf(repo: string, key: NodeKey): Node {
  if (key.startsWith('wiki/') || key.startsWith('release/')) return `self:${repo}/${key}`;
  const [, slug, mark = '', rest = ''] = OTHER_REPO.exec(key) ?? [];
  return slug === undefined ? stored(repo, key.slice(0, 1), key.slice(1)) : stored(slug, mark, rest);
}

function stored(repo: string, mark: string, rest: string): Node {
  switch (mark) {
    case '#':
    case ':':
    case '@':
      return `${KINDS[mark]}:${repo}:${rest}`;
    default:
      return `self:${repo}${mark}${rest}`;
  }
}

/** Takes a node apart; undefined for one that has no canonical name. */
export function nodeParts(node: Node): NodeParts | undefined {
  const [, kind, repo = '', rest = ''] = STORED.exec(node) ?? [];
  if (kind !== 'thread' && kind !== 'file' && kind !== 'commit' && kind !== 'self') return undefined;
  return (kind === 'self') === rest.startsWith('/') ? { kind, repo, rest } : undefined;
}

/** Puts a node together again. */
export function joinNode({ kind, repo, rest }: NodeParts): Node {
  return `${kind}:${repo}${rest}`;
}

/** `owner/name` of a node; empty where it has no canonical name. */
export function repoOf(node: Node): string {
  return nodeParts(node)?.repo ?? '';
}

/** A node's key within a repository: with its own slug where it is another's. */
export function keyWithin(repo: string, node: Node): NodeKey {
  const parts = nodeParts(node);
  if (parts?.repo !== repo) return referenceOfNode(node);
  return MARKS[parts.kind] + parts.rest.slice(1);
}

/** Canonical reference of a node. */
export function referenceOfNode(node: Node): string {
  const parts = nodeParts(node);
  if (parts === undefined) return node;
  const { kind, repo, rest } = parts;
  return kind === 'self' ? repo + rest : repo + MARKS[kind] + rest.slice(1);
}
