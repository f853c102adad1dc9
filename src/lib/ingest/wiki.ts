import { wikiSlug } from '../corpus/wiki-slug.ts';
import { cutOf } from './git.ts';
import { ingestDocs } from './git-docs.ts';
import type { DocKind } from './git-source.ts';
import type { Run } from './run.ts';

/** Pages of a wiki. */
export const WIKI_PAGES: DocKind = {
  type: 'wiki_doc',
  surface: 'git:wiki',
  step: 'wiki pages',
  pathOf: wikiSlug,
  titleOf,
};

/** Indexes the wiki of a repository from the clone at a path, and brings it to the state of its HEAD. */
export async function ingestWiki(run: Run, repo: string, path: string): Promise<void> {
  const repository = await run.engine.git.open(path, run.engine.signal);
  try {
    const { head } = repository;
    if (head === null) return;
    const rules = { exclusion: () => undefined, digest: '' };
    await ingestDocs(run, { repo, head, repository, rules, cut: cutOf(repository), docs: WIKI_PAGES });
  } finally {
    await repository.close();
  }
}

function titleOf(slug: string): string {
  return slug.replaceAll('-', ' ');
}
