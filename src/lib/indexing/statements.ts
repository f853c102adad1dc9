import type { EdgeSource, NodeKey } from '../corpus/edge.ts';
import { type Target, targetOfUrl } from './github-target.ts';
import { targetOfDocLink, targetOfPageName, targetOfWikiLink } from './link-targets.ts';
import { type Link, linksOf } from './links.ts';
import { mentionsOf } from './mentions.ts';
import { proseOf } from './prose.ts';
import type { Syntax } from './prose-blocks.ts';
import { referenceTo, type Statement, shortReferences, urlReferences, urlsOf } from './references.ts';
import { hide } from './spans.ts';
import { type WikiLink, wikiLinksOf } from './wiki-links.ts';

/** What a text is part of, and how much of what it states is wanted. */
export interface Setting {
  readonly document: EdgeSource;
  /** The node of the document; what leads back to it is no statement. */
  readonly src: NodeKey;
  readonly wikiSlugs: ReadonlySet<string>;
  /** How many distinct statements are wanted, the first ones. */
  readonly limit: number;
}

/** What a text states, distinct and in text order. */
export function statementsOf(text: string, syntax: Syntax, setting: Setting): Statement[] {
  const { document, wikiSlugs } = setting;
  const { repo } = document;
  const isWiki = document.type === 'wiki_doc';
  const prose = proseOf(text, syntax);
  const wikiLinks = isWiki && syntax.markdown ? [...wikiLinksOf(prose.text)] : [];
  const withoutWikiLinks = { ...prose, text: hide(prose.text, wikiLinks) };
  const links = syntax.markdown ? linksOf(withoutWikiLinks).sort((a, b) => a.start - b.start) : [];
  const unlinked = hide(withoutWikiLinks.text, links);
  const urls = [...urlsOf(unlinked)];
  const sources: Iterable<Statement>[] = [
    urlReferences(unlinked, urls, repo),
    shortReferences(hide(unlinked, urls), repo),
    linkStatements(links, unlinked, setting),
  ];
  if (isWiki) {
    const destinations = links.map(({ textEnd, end }) => ({ start: textEnd, end }));
    const named = hide(prose.withInlineCode, destinations);
    sources.push(
      wikiLinkStatements(wikiLinks, unlinked, setting),
      mentionsOf(hide(named, [...urlsOf(named)]), wikiSlugs),
    );
  }
  const firstOfEach = sources.flatMap((statements) => firstDistinct(statements, setting));
  return firstDistinct(
    firstOfEach.sort((a, b) => a.at - b.at),
    setting,
  );
}

function* linkStatements(links: Iterable<Link>, text: string, setting: Setting): Generator<Statement> {
  const isDoc = setting.document.type === 'doc';
  const targets = new Map<string, Target | undefined>();
  for (const link of links) {
    const key = `${String(link.isImage)} ${link.destination}`;
    if (!targets.has(key)) targets.set(key, targetOfLink(link, setting));
    const target = targets.get(key);
    if (target === undefined) continue;
    const isToFile = isDoc && !isAddress(link.destination) && target.key.startsWith(':');
    yield isToFile ? { at: link.start, kind: 'link', dst: target.key } : referenceTo(target, text, link.start);
  }
}

function targetOfLink({ destination, isImage }: Link, { document, wikiSlugs }: Setting): Target | undefined {
  const { repo, type, path } = document;
  if (isAddress(destination)) return targetOfUrl(destination, repo);
  if (type === 'doc') return targetOfDocLink(destination, path ?? '', repo);
  return type === 'wiki_doc' && !isImage ? targetOfWikiLink(destination, repo, wikiSlugs) : undefined;
}

function* wikiLinkStatements(links: Iterable<WikiLink>, text: string, setting: Setting): Generator<Statement> {
  const { document, wikiSlugs } = setting;
  for (const { start, destination } of links) {
    const target = isAddress(destination)
      ? targetOfUrl(destination, document.repo)
      : targetOfPageName(destination, document.repo, wikiSlugs);
    if (target !== undefined) yield referenceTo(target, text, start);
  }
}

/** Whether a destination says its scheme or host, and so does not depend on where it stands. */
function isAddress(destination: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(destination);
}

function firstDistinct(statements: Iterable<Statement>, { document, src, limit }: Setting): Statement[] {
  const distinct = new Map<string, Statement>();
  for (const { at, kind, dst } of statements) {
    if (distinct.size === limit) break;
    if (dst === src) continue;
    // What a wiki page says of another page is a mention, however it says it.
    const actualKind = document.type === 'wiki_doc' && dst.startsWith('wiki/') ? 'mention' : kind;
    const key = `${actualKind} ${dst}`;
    if (!distinct.has(key)) distinct.set(key, { at, kind: actualKind, dst });
  }
  return [...distinct.values()];
}
