import { normalizeText } from '../core/text.ts';
import { cutOf } from './git.ts';
import { ingestDocs } from './git-docs.ts';
import type { DocKind } from './git-source.ts';
import type { Run } from './run.ts';

// The markups of GitHub's wikis.
const PAGE =
  /\.(?:md|mkdn?|mdown|markdown|rst|a(?:scii)?doc|asc|txt|org|textile|(?:media)?wiki|creole|pod|rdoc|rest\.txt)$/i;

/** Pages of a wiki. */
export const WIKI_PAGES: DocKind = { type: 'wiki_doc', surface: 'git:wiki', step: 'wiki pages', pathOf: wikiSlug, titleOf };

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

/**
 * Slug of the page that a file of a wiki is: its name without folders and extension, as GitHub addresses it. Undefined for
 * other files, and for what stands beside every page (`_Sidebar`, `_Footer`).
 */
export function wikiSlug(gitPath: string): string | undefined {
  const name = normalizeText(gitPath.slice(gitPath.lastIndexOf('/') + 1));
  if (!PAGE.test(name) || name.startsWith('_')) return undefined;
  const slug = name.replace(PAGE, '').trim().replaceAll(' ', '-');
  return slug === '' ? undefined : slug;
}

function titleOf(slug: string): string {
  return slug.replaceAll('-', ' ');
}
