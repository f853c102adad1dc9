import {
  decoded,
  type Target,
  target,
  targetOfPath,
  targetOfSegments,
  wikiSlug,
  withoutQuery,
} from './github-target.ts';

const PAGE_EXTENSION =
  /\.(?:md|mkdn?|mdown|markdown|mediawiki|wiki|rst|adoc|asciidoc|asc|textile|org|creole|pod|rdoc)$/i;
const FILE_EXTENSION = /\.(?:png|jpe?g|gif|svg|webp|pdf|zip|mp4)$/i;

/** The file, or what else of GitHub, that a relative link in a file of a repository leads to. */
export function targetOfDocLink(destination: string, path: string, repo: string): Target | undefined {
  const written = decoded(withoutQuery(destination));
  if (written === '') return undefined;
  const directory = written.startsWith('/') ? [] : path.split('/').slice(0, -1);
  const { segments, above } = resolved(directory, written);
  // Above its root, an address of a file goes on with the branch, the view, and then the repository: ../../issues/12.
  if (above === 2) return targetOfSegments([...repo.split('/'), ...segments], repo);
  if (above > 0 || /(?:^|\/)\.{0,2}$/.test(written)) return undefined;
  return target(repo, `:${segments.join('/')}`, repo);
}

/** The page, or what else of GitHub, that a relative link in a wiki page leads to. */
export function targetOfWikiLink(
  destination: string,
  repo: string,
  wikiSlugs: ReadonlySet<string>,
): Target | undefined {
  const encoded = withoutQuery(destination);
  if (encoded.startsWith('/')) return targetOfPath(encoded.slice(1), repo);
  const written = decoded(encoded);
  if (written === '') return undefined;
  // The first page of a wiki is shown at /wiki itself, where links to pages start with it.
  const { segments } = resolved([...repo.split('/'), 'wiki'], written.replace(/^wiki\//, ''));
  const [, , view, page] = segments;
  if (view !== 'wiki' || page === undefined) return targetOfSegments(segments, repo);
  return segments.length === 4 ? targetOfPageName(page, repo, wikiSlugs) : undefined;
}

/** A page of the wiki by its name; one that is not known yet counts too. */
export function targetOfPageName(name: string, repo: string, wikiSlugs: ReadonlySet<string>): Target | undefined {
  const slug = wikiSlug(name);
  const page = wikiSlugs.has(slug) ? slug : slug.replace(PAGE_EXTENSION, '');
  if (page === '' || (FILE_EXTENSION.test(page) && !wikiSlugs.has(page))) return undefined;
  return target(repo, `wiki/${page}`, repo);
}

/** Follows a relative path from a directory; `above` counts the steps that led above its root. */
function resolved(directory: readonly string[], path: string): { segments: string[]; above: number } {
  const segments = [...directory];
  let above = 0;
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) above += 1;
  }
  return { segments, above };
}
