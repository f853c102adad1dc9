import { rmSync } from 'node:fs';
import { afterAll, beforeEach, onTestFinished } from 'vitest';
import { type GitHub, startGitHub } from './github/start.ts';
import { temporaryDirectory } from './repository.ts';
import { TestIndex } from './test-index.ts';

/** What each test has for itself: an empty index, and a GitHub with the empty repository acme/app. */
export interface GitHubProject {
  readonly index: TestIndex;
  readonly gh: GitHub;
  readonly app: ReturnType<GitHub['repository']>;
}

/** Makes a project before each test of the file and hands it to `use`; gives the folder where clones are kept. */
export function eachWithGitHub(use: (project: GitHubProject) => void): string {
  const cache = temporaryDirectory();
  beforeEach(async (t) => {
    const index = new TestIndex();
    onTestFinished(() => index.remove());
    const gh = await startGitHub(t, { clock: index.test.clock });
    use({ index, gh, app: gh.repository('acme/app') });
  });
  afterAll(() => {
    rmSync(cache, { recursive: true, force: true });
  });
  return cache;
}
