import { Failure } from '../core/failure.ts';
import { sha256Hex } from '../core/hash.ts';
import { isRepoSlug } from '../core/repo-slug.ts';
import { normalizeText } from '../core/text.ts';
import { requireAllowed } from '../engine/allow-list.ts';
import type { GitRepository, ObjectId } from '../engine/git.ts';
import { ingestDiffs } from './git-diffs.ts';
import { ingestDocs } from './git-docs.ts';
import type { DocKind, GitSource } from './git-source.ts';
import { loadPathRules } from './git-rules.ts';
import { ingestTags } from './git-tags.ts';
import { RepoNames } from './repo-names.ts';
import { type Run, wants } from './run.ts';
import { isDocumentPath } from './selection.ts';

const PROJECT_DOCS: DocKind = {
  type: 'doc',
  surface: 'git:docs',
  step: 'docs',
  pathOf: (gitPath) => (isDocumentPath(gitPath) ? normalizeText(gitPath) : undefined),
  titleOf: () => '',
};

/**
 * Indexes the repository at a path: docs of HEAD, diffs of its history, tags as releases. Side by side: while one waits
 * for git, another writes.
 */
export async function ingestGit(run: Run, path: string): Promise<void> {
  const repository = await run.engine.git.open(path, run.engine.signal);
  try {
    const name = run.repo ?? repository.slug;
    if (name === null) {
      throw new Failure('invalid_input', `repo: ${path} has no remote on GitHub to take its name from`, {
        hint: 'Name it yourself: --repo owner/name',
      });
    }
    if (!isRepoSlug(name)) throw new Failure('invalid_input', 'repo: must be owner/name');
    requireAllowed(run.engine.allowed, name);
    const head: ObjectId | null = repository.head;
    if (head === null) {
      throw new Failure('unreadable_input', `${path} has no commits yet`, {
        hint: 'There is nothing to index. Commit something, then run this again.',
      });
    }
    const repo = (await RepoNames.of(run.engine.database)).spelling(name);
    if (!run.report.repos.includes(repo)) run.report.repos.push(repo);
    const rules = await loadPathRules(repository, head);
    const cut = cutOf(repository);
    const source: GitSource = { repo, head, repository, rules, cut, docs: PROJECT_DOCS };
    await all([
      ...(wants(run, 'doc') ? [ingestDocs(run, source)] : []),
      ...(wants(run, 'release') ? [ingestTags(run, source)] : []),
      ...(wants(run, 'diff') ? [ingestDiffs(run, source)] : []),
    ]);
  } finally {
    run.engine.progress.end();
    await repository.close();
  }
}

/** The digest of where a shallow clone was cut; the same for every whole one. */
export function cutOf({ shallow }: GitRepository): string {
  return sha256Hex(shallow.join(' ')).slice(0, 16);
}

/** Waits for all, and then fails as the first of them that failed: none goes on when the repository has been closed. */
async function all(surfaces: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(surfaces);
  await Promise.all(surfaces);
}
