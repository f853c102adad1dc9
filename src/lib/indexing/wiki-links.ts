import type { Span } from './spans.ts';

/** A link as only wikis write it. */
export interface WikiLink extends Span {
  /** Name of a page, or an address; without fragment. */
  readonly destination: string;
}

const WIKI_LINK = /\[\[([^[\]\n\0]{1,300})\]\](?!\()/g;

/** Links written `[[Page Name]]` and `[[text|Page Name]]`. */
export function* wikiLinksOf(text: string): Generator<WikiLink> {
  for (const { 0: whole, 1: content = '', index } of text.matchAll(WIKI_LINK)) {
    const destination = content.slice(content.lastIndexOf('|') + 1).replace(/#.*$/, '');
    yield { start: index, end: index + whole.length, destination };
  }
}
