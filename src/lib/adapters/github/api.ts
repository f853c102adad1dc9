/** The API that the environment names. */
export interface Api {
  /** Base of its REST interface, without a slash at the end. */
  readonly url: string;
  /** What messages call it: the host of the web pages, or, where that is another one, the API's own host and port. */
  readonly host: string;
  /** The variable that names it. */
  readonly setting: 'GH_HOST' | 'GITHUB_API_URL';
  /** Whether a proxy is configured, which Node does not use by itself. */
  readonly proxied: boolean;
}

const GITHUB = 'github.com';

/** Host of the web pages: GH_HOST, else github.com. In small letters. */
export function hostFrom(variables: NodeJS.ProcessEnv): string {
  return set(variables.GH_HOST)?.toLowerCase() ?? GITHUB;
}

/** Whether a host of web pages is GitHub's own: a subdomain of ghe.com is, with the data in a region. */
export function isHosted(host: string): boolean {
  return host === GITHUB || host.endsWith('.ghe.com');
}

/** The API of the host of the web pages, unless GITHUB_API_URL, which GitHub Actions sets, names another. */
export function apiFrom(variables: NodeJS.ProcessEnv): Api {
  const given = set(variables.GITHUB_API_URL);
  const host = hostFrom(variables);
  const url = (given ?? (isHosted(host) ? `https://api.${host}` : `https://${host}/api/v3`)).replace(/\/+$/, '');
  return {
    url,
    host: webHostOf(url) ?? host,
    setting: given === undefined ? 'GH_HOST' : 'GITHUB_API_URL',
    proxied: ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'].some((name) => Boolean(variables[name])),
  };
}

/** GitHub's own have their API on a host beside that of the pages. */
function webHostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { host } = new URL(url);
  const pages = host.replace(/^api\./, '');
  return isHosted(pages) ? pages : host;
}

/** What a variable holds; undefined for white space alone. */
export function set(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === '' ? undefined : trimmed;
}
