import { Failure } from '../../core/failure.ts';
import type { RemoteGit } from '../../engine/git-mirror.ts';
import type { RemoteRepository } from '../../engine/github.ts';
import type { Credential } from './credential.ts';

/** Where the code or the wiki of a repository is for git. Fails with `github_unavailable` where it would go unencrypted. */
export function gitRemote(
  of: RemoteRepository,
  part: 'code' | 'wiki',
  { token, apiUrl }: Credential,
  host: string,
): RemoteGit {
  const url = part === 'code' ? of.cloneUrl : of.cloneUrl.replace(/(?:\.git)?$/, '.wiki.git');
  if (new URL(url).protocol === 'http:' && new URL(apiUrl).protocol !== 'http:') {
    throw new Failure(
      'github_unavailable',
      `${host} names an unencrypted address for git; the token is not sent there`,
    );
  }
  // By id: a renamed repository keeps its clone, and a new one of the same name gets its own.
  const folder = encodeURIComponent(new URL(url).host).replaceAll('%', '_');
  return { url, token, name: `github/${folder}/${String(of.id)}${part === 'wiki' ? '.wiki' : ''}.git` };
}
