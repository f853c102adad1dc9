import { Failure } from '../../core/failure.ts';

/** Refuses what the configuration does not allow. Entries are `owner/name` or `owner/*`; without a list all is allowed. */
export function assertAllowed(repo: string, allowed: readonly string[] | undefined): void {
  if (allowed === undefined) return;
  const name = repo.toLowerCase();
  const [owner = ''] = name.split('/', 1);
  if (allowed.some((entry) => entry.toLowerCase() === name || entry.toLowerCase() === `${owner}/*`)) return;
  throw new Failure('invalid_input', `the configuration does not allow to read ${repo} from GitHub`, {
    hint: 'Add it to allowed_repos in config.json, as owner/name or owner/*.',
  });
}
