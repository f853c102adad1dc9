import { gitMirror } from '../../src/lib/adapters/git/mirror.ts';
import { githubSource, type SourceOptions } from '../../src/lib/adapters/github/source.ts';
import type { GitHubSource } from '../../src/lib/engine/github.ts';
import type { GitHub } from './github/start.ts';

/** The real adapters against the fake GitHub; nothing is waited for, and nothing tried again unless told. */
export function sourceFor(gh: GitHub, cacheDir: string, options: Partial<SourceOptions> = {}): GitHubSource {
  return githubSource({
    mirror: gitMirror(cacheDir),
    variables: { PATH: '', GH_TOKEN: gh.token, GITHUB_API_URL: gh.url },
    retries: 0,
    maxWaitSeconds: -1,
    ...options,
  });
}
