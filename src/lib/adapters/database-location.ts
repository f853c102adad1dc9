import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../core/failure.ts';

/** What a `--db` value means. */
export type DatabaseLocation =
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'server';
      /** `http:` or `https:`; holds no credential. */
      readonly url: string;
      readonly host: string;
      /** As it was written. */
      readonly location: string;
    };

/**
 * Parses a database's path or URL; `argument` is its name in failures. Fails with `invalid_input`; the value is never
 * repeated, since a URL may hold a token.
 */
export function databaseLocation(value: string, argument = 'db'): DatabaseLocation {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(value)?.[1]?.toLowerCase();
  if (scheme === 'file') return fileLocation(value, argument);
  // `C:\index.db` is a path; everything longer before a colon was meant as a URL, and a slash is easily forgotten.
  if (scheme !== undefined) return serverLocation(value, scheme, argument);
  if (value.trim() === '') throw new Failure('invalid_input', `${argument}: must not be empty`);
  if (value.startsWith(':')) throw noDatabase(argument);
  return { kind: 'file', path: resolve(value) };
}

function fileLocation(value: string, argument: string): DatabaseLocation {
  if (/[?#]/.test(value)) throw noDatabase(argument);
  if (!/^file:\/\//i.test(value)) return { kind: 'file', path: resolve(value.slice('file:'.length)) };
  try {
    return { kind: 'file', path: fileURLToPath(value) };
  } catch (error) {
    throw noDatabase(argument, error);
  }
}

function noDatabase(argument: string, cause?: unknown): Failure {
  return new Failure('invalid_input', `${argument}: is no path and no file: URL of a database`, {
    hint: 'Give a path, or file:/path/to/index.db without anything after it.',
    cause,
  });
}

function serverLocation(value: string, scheme: string, argument: string): DatabaseLocation {
  const wrong = (problem: string, hint: string): Failure =>
    new Failure('invalid_input', `${argument}: ${problem}`, { hint });
  if (scheme !== 'libsql' && scheme !== 'https' && scheme !== 'http') {
    throw wrong(
      `a database has no URL that begins with ${scheme}://`,
      'Give a path, or a URL that begins with libsql://, https://, http:// or file:.',
    );
  }
  const rest = value.slice(scheme.length + 1);
  if (!rest.startsWith('//')) throw wrong('is no valid URL', `A URL begins with ${scheme}://, and a file with file:`);
  // As a URL of the web: only such are normalised, and have a host.
  if (!URL.canParse(`https:${rest}`)) {
    throw wrong('is no valid URL', 'Give it as libsql://HOST, as Turso and sqld print it.');
  }
  const url = new URL(`${scheme === 'http' ? 'http' : 'https'}:${rest}`);
  const tokenElsewhere = 'Put the token into GH_RAG_DB_TOKEN.';
  if (url.username !== '' || url.password !== '') throw wrong('must not hold a user or a password', tokenElsewhere);
  const tls = url.searchParams.get('tls');
  if ([...url.searchParams.keys()].some((name) => name !== 'tls') || url.hash !== '') {
    throw wrong('must not hold a token or anything else after the path', tokenElsewhere);
  }
  if (tls !== null && (scheme !== 'libsql' || (tls !== '0' && tls !== '1'))) {
    throw wrong('only a libsql:// URL may end in ?tls=0 or ?tls=1', 'Leave it out.');
  }
  if (tls === '0') {
    if (!isLoopback(url.hostname) || url.port === '') {
      throw wrong(
        '?tls=0 is for a port of this machine only, e.g. libsql://127.0.0.1:8080?tls=0',
        'Leave ?tls=0 out; a server elsewhere is asked over TLS.',
      );
    }
    url.protocol = 'http:';
  }
  const path = url.pathname === '/' ? '' : url.pathname;
  return {
    kind: 'server',
    url: `${url.protocol}//${url.host}${path}`,
    host: url.host,
    location: `${scheme}://${url.host}${path}`,
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}
