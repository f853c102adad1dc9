import { Failure } from '../core/failure.ts';
import { isRepoSlug } from '../core/repo-slug.ts';
import type { Files } from '../engine/files.ts';

/** What a target of `index` is; of a repository on GitHub also its name. */
export type Target = { readonly kind: 'git' | 'export' } | { readonly kind: 'github'; readonly slug: string };

/**
 * What a target of `index` is. What is on disk wins over a name on GitHub. `host`: where repositories are on GitHub. Fails
 * with `unreadable_input` when it is nothing that can be indexed.
 */
export async function targetOf(files: Files, target: string, host: string): Promise<Target> {
  const kind = await files.kind(target);
  if (kind === 'directory') return { kind: 'git' };
  if (kind === 'file') return { kind: 'export' };
  const address = /^https?:\/\/(?<host>[^/@]+)\/(?<path>.+?)(?:\.git)?\/?$/.exec(target)?.groups;
  const slug = address === undefined ? target : (address.path ?? '');
  if (isRepoSlug(slug)) {
    const given = address?.host ?? host;
    if (given.toLowerCase() === host.toLowerCase()) return { kind: 'github', slug };
    throw new Failure('invalid_input', `targets: ${target} is not on ${host}`, {
      hint: `Set GH_HOST to ${given}, with a token for it.`,
    });
  }
  throw new Failure('unreadable_input', `there is no file or folder ${target}`, {
    hint: 'Give the path of a git repository or of an export file (.jsonl or .jsonl.gz), or owner/repo.',
  });
}
