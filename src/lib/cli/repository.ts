import { Failure } from '../core/failure.ts';
import { isRepoSlug } from '../core/repo-slug.ts';
import { shorten } from './usage.ts';

/** Which repositories a command is about, and why, where the user did not say it. */
export interface RepositoryChoice {
  /** Undefined: all of them. */
  readonly repos: readonly string[] | undefined;
  /** A line for the output when the choice was made for the user. */
  readonly note: string | undefined;
}

export interface RepositoryQuestion {
  /** Values of -R/--repo. */
  readonly flag: readonly string[] | undefined;
  readonly allRepos: boolean;
  /** GH_REPO. */
  readonly environment: string | undefined;
  /** `owner/name` of the working directory's GitHub remote; null where there is none. */
  readonly directoryRepo: () => Promise<string | null>;
  /** The indexed repository of that name, as it is spelt in the index. */
  readonly indexedAs: (slug: string) => Promise<string | undefined>;
}

/**
 * Settles the repositories as gh does: -R, else GH_REPO, else the working directory's remote when it is indexed.
 * `--all-repos` asks for all. Fails with `invalid_input` for a name that is no repository and for -R with --all-repos.
 */
export async function chooseRepositories(question: RepositoryQuestion): Promise<RepositoryChoice> {
  const { flag, allRepos, environment, directoryRepo, indexedAs } = question;
  if (flag !== undefined && flag.length > 0) {
    if (allRepos) {
      throw new Failure('invalid_input', '--repo and --all-repos exclude each other', { hint: 'Give one of the two.' });
    }
    return { repos: flag.map((value) => parseRepository(value, '--repo')), note: undefined };
  }
  if (allRepos) return { repos: undefined, note: undefined };
  if (environment !== undefined) {
    const repo = parseRepository(environment, 'GH_REPO');
    return { repos: [repo], note: `in ${repo} (GH_REPO); --all-repos searches everything` };
  }
  const directory = await directoryRepo();
  const repo = directory === null ? undefined : await indexedAs(directory);
  if (repo === undefined) return { repos: undefined, note: undefined };
  return { repos: [repo], note: `in ${repo} (this directory); --all-repos searches everything` };
}

/**
 * `owner/name` from what gh accepts: that itself, with a host before it, or a URL of the repository. `label` names the
 * argument in the failure (`invalid_input`).
 */
export function parseRepository(given: string, label: string): string {
  const parts = given
    .trim()
    .replace(/^(?:https?|ssh):\/\//, '')
    .replace(/^.*@/, '')
    .replace(/\.git\/?$/, '')
    .replace(/\/$/, '')
    .split(/[/:]/);
  const hosted = parts.length === 3 && /^[\w-]+(?:\.[\w-]+)+$/.test(parts[0] ?? '');
  const slug = (hosted ? parts.slice(1) : parts).join('/');
  if (!isRepoSlug(slug)) {
    // What stands before an @ may be a credential.
    const value = given.includes('@') ? '' : ` (given: ${shorten(given)})`;
    throw new Failure('invalid_input', `${label}: must be owner/name${value}`, {
      hint: 'gh-rag status lists the indexed repositories.',
    });
  }
  return slug;
}
