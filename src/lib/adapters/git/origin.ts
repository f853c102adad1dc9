import { join } from 'node:path';
import { locate, readSmallFile } from './locate.ts';
import { githubSlug } from './slug.ts';

/**
 * `owner/name` of the origin remote of the repository around a path, null where there is none on GitHub. Reads one
 * file and starts no process: a search asks this at every start. A URL with escapes or an include is not understood.
 */
export async function slugAt(path: string): Promise<string | null> {
  const location = await locate(path).catch(() => null);
  if (location === null) return null;
  const config = await readSmallFile(join(location.commonDir, 'config'));
  let section = '';
  for (const line of (config ?? '').split('\n')) {
    const header = /^\s*\[([^\]]*)\]/.exec(line)?.[1];
    if (header !== undefined) section = header.trim();
    const url = section === 'remote "origin"' ? /^\s*url\s*=\s*(\S+)\s*$/i.exec(line)?.[1] : undefined;
    if (url !== undefined) return githubSlug(url);
  }
  return null;
}
