import { isRepoSlug } from '../core/repo-slug.ts';
import type { NodeKey } from '../corpus/edge.ts';

/** What an address or a name of GitHub leads to. */
export interface Target {
  readonly key: NodeKey;
  /** Whether a closing keyword before it closes it. */
  readonly isIssue: boolean;
}

const HOST = /^https?:\/\/(?:www\.)?github\.com\//i;
const FILE_VIEWS = new Set(['blob', 'blame', 'raw']);
/** Views of a wiki that are no pages. */
const WIKI_VIEWS = new Set(['_pages', '_new', '_history', '_compare', '_access']);

/** The node that a GitHub address leads to, seen from a repository; undefined for every other address. */
export function targetOfUrl(url: string, repo: string): Target | undefined {
  const host = HOST.exec(url)?.[0];
  return host === undefined ? undefined : targetOfPath(url.slice(host.length), repo);
}

/** The same for the path of an address: `owner/name/issues/12`, with any query and fragment. */
export function targetOfPath(path: string, repo: string): Target | undefined {
  return targetOfSegments(decoded(withoutQuery(path)).split('/'), repo);
}

/** The same for the decoded segments of a path. */
export function targetOfSegments(segments: readonly string[], repo: string): Target | undefined {
  const [owner = '', name = '', view = '', ...given] = segments;
  const slug = `${owner}/${name}`;
  const rest = given.at(-1) === '' ? given.slice(0, -1) : given;
  const [first = '', ...others] = rest;
  switch (view) {
    case 'issues':
    case 'pull': {
      const number = threadNumber(/^(\d+)(?![\w-])/.exec(first)?.[1] ?? '');
      return number === undefined ? undefined : target(slug, `#${number}`, repo, view === 'issues');
    }
    case 'commit': {
      const sha = /^([0-9a-f]{7,40})(?![\w-])/i.exec(first)?.[1];
      return sha === undefined ? undefined : target(slug, `@${sha.toLowerCase()}`, repo);
    }
    case 'releases':
      return first === 'tag' && others.length > 0 ? target(slug, `release/${others.join('/')}`, repo) : undefined;
    case 'wiki': {
      if (WIKI_VIEWS.has(first) || (others.length > 0 && others[0]?.startsWith('_') !== true)) return undefined;
      return target(slug, `wiki/${first === '' ? 'Home' : wikiSlug(first)}`, repo);
    }
    default:
      return FILE_VIEWS.has(view) && others.length > 0 ? target(slug, `:${others.join('/')}`, repo) : undefined;
  }
}

/** The node of a repository, seen from another or the same; undefined where it has no canonical key. */
export function target(slug: string, key: NodeKey, repo: string, isIssue = false): Target | undefined {
  if (!isWritable(key)) return undefined;
  if (slug === repo || slug.toLowerCase() === repo.toLowerCase()) return { key, isIssue };
  if (!isRepoSlug(slug)) return undefined;
  // Seen from elsewhere, what such owners have looks like the pages and releases of the repository itself.
  if (/^(?:wiki|release)\//.test(slug)) return undefined;
  return { key: /^[#@:]/.test(key) ? slug + key : `${slug}/${key}`, isIssue };
}

/** A thread number as it is written canonically: 1 to 2^31 - 1, without leading zeros. */
export function threadNumber(digits: string): string | undefined {
  return /^[1-9]\d{0,9}$/.test(digits) && Number(digits) < 2 ** 31 ? digits : undefined;
}

/** The slug of a wiki page by its name. */
export function wikiSlug(name: string): string {
  return name.trim().replaceAll(' ', '-');
}

export function withoutQuery(path: string): string {
  return path.replace(/[?#][\s\S]*$/, '');
}

/** Text without percent-encoding; as it is where that is broken. */
export function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isWritable(key: NodeKey): boolean {
  return key.length <= LONGEST_KEY && !/[\0-\x1F\x7F]/.test(key) && key.trim() === key;
}

/** So that a reference with its repository stays within what corpus/reference.ts takes for one. */
const LONGEST_KEY = 800;
