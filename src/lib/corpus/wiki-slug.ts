import { normalizeText } from '../core/text.ts';

// The markups of GitHub's wikis.
const PAGE =
  /\.(?:md|mkdn?|mdown|markdown|rst|a(?:scii)?doc|asc|txt|org|textile|(?:media)?wiki|creole|pod|rdoc|rest\.txt)$/i;

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
