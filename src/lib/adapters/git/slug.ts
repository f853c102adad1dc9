import { isRepoSlug } from '../../core/repo-slug.ts';

const HOSTS = new Set(['github.com', 'www.github.com', 'ssh.github.com']);
const SCHEMES = new Set(['https:', 'http:', 'ssh:', 'git:', 'git+ssh:', 'ssh+git:', 'git+https:']);

/**
 * `owner/name` of a remote URL on github.com (https, ssh, git, and the `user@host:path` form); null for any other. A
 * user name or password in the URL is never part of the answer.
 */
export function githubSlug(url: string): string | null {
  const path = githubPath(url.trim());
  if (path === null) return null;
  const [owner = '', file = '', ...rest] = path.replace(/^\/+/, '').replace(/\/+$/, '').split('/');
  const slug = `${owner}/${file.replace(/\.git$/i, '')}`;
  return rest.length === 0 && isRepoSlug(slug) ? slug : null;
}

function githubPath(url: string): string | null {
  if (url.includes('://')) {
    if (!URL.canParse(url)) return null;
    const parsed = new URL(url);
    if (!SCHEMES.has(parsed.protocol) || !HOSTS.has(parsed.hostname.toLowerCase())) return null;
    return parsed.pathname;
  }
  const [, host, path] = /^(?:[^@:/\s]+@)?([^@:/\s]+):(.*)$/.exec(url) ?? [];
  return host !== undefined && path !== undefined && HOSTS.has(host.toLowerCase()) ? path : null;
}
