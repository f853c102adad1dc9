import type { Edge, EdgeExtractor, EdgeSource, NodeKey } from '../corpus/edge.ts';
import type { Syntax } from './prose-blocks.ts';
import { statementsOf } from './statements.ts';

/**
 * Finds the edges that a document states, by rule alone. One text gives one answer; nothing is looked up, so an edge may
 * lead to what is not indexed.
 *
 * **Where it looks.** Title and body as Markdown; .rst, .adoc and .txt files as plain text; of a diff the commit message,
 * never the patch. These never count:
 * - code: fenced, indented (not in commit messages), between backticks, in `<code>`, `<pre>`, `<kbd>`, `<samp>`, `<tt>`;
 * - HTML comments, tags and their attributes, but for `<a href>`; `<script>`, `<style>`, `<textarea>`;
 * - link definitions that nothing uses;
 * - in issues, pull requests, comments and reviews: lines quoted with `>`, which repeat what was said elsewhere. Alerts
 *   (`> [!NOTE]`) are the author's own words and count; so do quotes in files, wiki pages, releases and messages.
 *
 * **reference**
 * - `#12`, `GH-12` (upper case), `owner/name#12`. Not within a word (`issue#12`, `#12abc`, `page.md#12`), an anchor
 *   (`#12-introduction`), a version (`#1.5`), a path or query (`x/#12`, `?id=#12`), an entity (`&#39;`), `\#12`, a heading's
 *   mark (`# 12`; `#12` at the start of a line is no heading and counts), the colour of a property (`color: #123456`). Three
 *   to six digits elsewhere are numbers of issues. Ranges and lists count at each `#`: `#12-#15`, `#12/#13`. Letters of
 *   scripts without spaces may stand beside: `#12を`. Numbers are 1 to 2^31 - 1 without leading zeros.
 * - `owner/name#12` not within a longer path, after `@`, or where the name ends like a document (`docs/a.md#12`).
 *   `owner/name` alone is none. The own repository is recognised in any case; others keep the case they are written in.
 * - Commit ids: 7 to 40 hexadecimal digits that stand alone, with a letter and a digit, or 40 of any kind; in lower case and
 *   not completed. Not in paths, addresses, UUIDs, versions, after `#` or `@`. And `owner/name@id`.
 * - Addresses on github.com: issues and pull requests (any sub-page or fragment), commits, files (`blob`, `blame`, `raw`;
 *   the ref is taken to be one segment and dropped), release tags, wiki pages. Nothing else in an address counts, nor in
 *   those of other hosts.
 * - A link counts by where it leads, not by the text it shows: `[#12](https://example.com)` is none.
 *
 * **closes**: one of GitHub's closing keywords, with or without a colon, directly before a number or the address of an issue,
 * on the same line. It takes the place of a reference to the same node.
 *
 * **link**: from a Markdown file, by a relative link or image, inline, by reference or `<a href>`, to a file. Without query
 * and fragment; `/` is the root of the repository. A link to a directory, or out of the repository, is none; but two steps
 * above the root GitHub's own pages begin (`../../issues/12`), which is a reference.
 *
 * **mention**: from a wiki page to another,
 * - by its slug as a whole token, in exact case, inline code included (pages are often named like files: `docs/Home.md`).
 *   Whole: no letter, digit, mark, `-` or `_` beside it; a letter of a script without spaces may stand beside one that is
 *   not, and the other way round (`Homeは`). A slug that is an everyday word counts like any other. Where slugs overlap, the
 *   first and longest counts. Addresses and destinations of links are not searched for slugs;
 * - by a link: relative, `[[Page Name]]`, `[[text|Page Name]]`, or an address in the own wiki. The page need not be known;
 *   `Page.md` is `Page` unless there is a page of that very name.
 *
 * **touches**: from the commit of a diff to its file.
 *
 * Edges from a node to itself are left out, and what is said after the first 500 distinct statements.
 */
export const edgesOf: EdgeExtractor = (document, { wikiSlugs }) => {
  const src = nodeOf(document);
  if (src === undefined) return [];
  const stated: Pick<Edge, 'kind' | 'dst'>[] = [];
  if (document.type === 'diff' && document.path !== null) stated.push({ kind: 'touches', dst: `:${document.path}` });
  for (const { text, syntax } of textsOf(document)) {
    const limit = MOST_STATEMENTS - stated.length;
    stated.push(...statementsOf(text, syntax, { document, src, wikiSlugs, limit }));
  }
  const closed = new Set(stated.filter(({ kind }) => kind === 'closes').map(({ dst }) => dst));
  const distinct = new Map<string, Edge>();
  for (const { kind, dst } of stated) {
    if (kind !== 'reference' || !closed.has(dst)) distinct.set(`${kind} ${dst}`, { src, dst, kind });
  }
  return [...distinct.values()].sort((a, b) => compare(a.kind, b.kind) || compare(a.dst, b.dst));
};

/** Distinct statements of a document that count. */
const MOST_STATEMENTS = 500;

const CONVERSATION: Syntax = { markdown: true, indentedCode: true, quotes: false };
const MARKDOWN: Syntax = { markdown: true, indentedCode: true, quotes: true };
const MESSAGE: Syntax = { markdown: true, indentedCode: false, quotes: true };
const PLAIN: Syntax = { markdown: false, indentedCode: false, quotes: true };

/** The node that a document belongs to; undefined where its identity is not known. */
function nodeOf({ type, number, path, tag, commit }: EdgeSource): NodeKey | undefined {
  switch (type) {
    case 'doc':
      return path === null ? undefined : `:${path}`;
    case 'wiki_doc':
      return path === null ? undefined : `wiki/${path}`;
    case 'release':
      return tag === null ? undefined : `release/${tag}`;
    case 'diff':
      return commit === null ? undefined : `@${commit}`;
    default:
      return number === null ? undefined : `#${String(number)}`;
  }
}

function textsOf({ type, path, title, body, preface }: EdgeSource): { text: string; syntax: Syntax }[] {
  if (type === 'diff') return [{ text: preface, syntax: MESSAGE }];
  return [
    { text: title, syntax: PLAIN },
    { text: body, syntax: syntaxOf(type, path) },
  ];
}

function syntaxOf(type: EdgeSource['type'], path: string | null): Syntax {
  switch (type) {
    case 'doc':
      return /\.(?:md|mdx|markdown)$/i.test(path ?? '') ? MARKDOWN : PLAIN;
    case 'wiki_doc':
    case 'release':
      return MARKDOWN;
    default:
      return CONVERSATION;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
