import { REPO_SLUG } from '../core/repo-slug.ts';
import type { EdgeKind, NodeKey } from '../corpus/edge.ts';
import { type Target, target, targetOfUrl, threadNumber } from './github-target.ts';
import type { Span } from './spans.ts';
import { characterAt, characterBefore, isWordCharacter } from './token-boundary.ts';

/** What a text states at a position: that its document has an edge of a kind to a node. */
export interface Statement {
  readonly at: number;
  readonly kind: EdgeKind;
  readonly dst: NodeKey;
}

export interface Url extends Span {
  readonly url: string;
}

// White space, what delimits addresses in Markdown and HTML, and the punctuation of CJK text end an address.
const ADDRESS =
  /https?:\/\/[^\s\0<>"`|[\]\\\u3000-\u3004\u3008-\u3020\u3030\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65]+/gi;

/** The addresses that stand in a text, without punctuation that follows them. */
export function* urlsOf(text: string): Generator<Url> {
  for (const { 0: whole, index } of text.matchAll(ADDRESS)) {
    const url = withoutTrailingPunctuation(whole);
    yield { start: index, end: index + url.length, url };
  }
}

function withoutTrailingPunctuation(url: string): string {
  let opened = 0;
  for (const character of url) opened += character === '(' ? 1 : character === ')' ? -1 : 0;
  let end = url.length;
  for (; end > 0; end -= 1) {
    const last = url.charAt(end - 1);
    if (last === ')' && opened < 0) opened += 1;
    else if (!/[.,;:!?'*_~{}]/.test(last)) break;
  }
  return url.slice(0, end);
}

/** What the addresses in a text refer to. */
export function* urlReferences(text: string, urls: Iterable<Url>, repo: string): Generator<Statement> {
  for (const { start, url } of urls) {
    const found = targetOfUrl(url, repo);
    if (found !== undefined) yield referenceTo(found, text, start);
  }
}

const KEYWORD =
  /(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?:\*\*)?(?::(?:\*\*)?[ \t]{0,8}|[ \t]{1,8})[[<]?$/i;
const LONGEST_KEYWORD = 40;

/** The statement that a reference makes: it closes what it names where a closing keyword stands before it. */
export function referenceTo({ key, isIssue }: Target, text: string, at: number): Statement {
  const closes = isIssue && KEYWORD.test(text.slice(Math.max(0, at - LONGEST_KEYWORD), at));
  return { at, kind: closes ? 'closes' : 'reference', dst: key };
}

const SHORT_REFERENCE = new RegExp(
  [
    `(?<![A-Za-z0-9-])(${REPO_SLUG})(?:#(\\d+)|@([0-9A-Fa-f]{7,40})(?![A-Za-z0-9]))`,
    '#(\\d+)',
    '(?<![A-Za-z0-9_])GH-(\\d+)',
    '(?<![A-Za-z0-9_])([0-9A-Fa-f]{7,40})(?![A-Za-z0-9_])',
  ].join('|'),
  'g',
);

/** What short references in a text refer to: `#12`, `GH-12`, `owner/name#12`, `owner/name@sha`, and commit ids. */
export function* shortReferences(text: string, repo: string): Generator<Statement> {
  let previousEnd = -1;
  for (const match of text.matchAll(SHORT_REFERENCE)) {
    const { index: at } = match;
    const end = at + match[0].length;
    const found = targetOfShort(text, at, end, match, repo, previousEnd);
    if (found === undefined) continue;
    previousEnd = end;
    yield referenceTo(found, text, at);
  }
}

function targetOfShort(
  text: string,
  at: number,
  end: number,
  [, slug, there, commitThere, here, gh, commit]: readonly (string | undefined)[],
  repo: string,
  previousEnd: number,
): Target | undefined {
  const before = characterBefore(text, at);
  if (isWordCharacter(before)) return undefined;
  const sha = commit ?? commitThere;
  if (sha !== undefined) {
    if (!isCommitId(sha) || !endsAsCommit(text, end)) return undefined;
    if (commit !== undefined && !startsAsCommit(text, at, before)) return undefined;
  } else if (!endsAsNumber(text, end)) return undefined;
  if (commit !== undefined) return target(repo, `@${commit.toLowerCase()}`, repo);
  if (slug !== undefined) {
    if (/[/\\@.\-#=?%~$]/.test(before) || FILE_NAME.test(slug)) return undefined;
    if (commitThere !== undefined) return target(slug, `@${commitThere.toLowerCase()}`, repo);
  }
  const isListed = before === '/' && previousEnd === at - 1;
  if (here !== undefined && !isListed && /[/\\&#@=?%]/.test(before)) return undefined;
  if (here !== undefined && COLOUR.test(text.slice(Math.max(0, at - LONGEST_PROPERTY), at))) return undefined;
  if (gh !== undefined && /[/\\\-.#@]/.test(before)) return undefined;
  const number = threadNumber(there ?? here ?? gh ?? '');
  return number === undefined ? undefined : target(slug ?? repo, `#${number}`, repo, true);
}

/** What looks like a repository but is a document with an anchor. */
const FILE_NAME = /\.(?:md|mdx|markdown|rst|adoc|txt|html?)$/i;
/** A property that takes a colour. */
const COLOUR = /(?:colou?r|background|fill|stroke|border|shadow)[\w-]{0,20}["']?\s{0,4}[:=]\s{0,4}["']?$/i;
const LONGEST_PROPERTY = 48;

/** `#12-introduction` is an anchor, `#1.5` a version; `#12-#15`, `#12/#13` and `#12.` are not. */
function endsAsNumber(text: string, end: number): boolean {
  if (isWordCharacter(characterAt(text, end))) return false;
  const next = characterAt(text, end + 1);
  switch (text.charAt(end)) {
    case '-':
      return !isWordCharacter(next);
    case '.':
      return !/\d/.test(next);
    default:
      return true;
  }
}

/** An abbreviated id has a letter and a digit: others are words and numbers. */
function isCommitId(text: string): boolean {
  return text.length === 40 || (/\d/.test(text) && /[A-Fa-f]/.test(text));
}

/** Parts of paths, of UUIDs, of versions, of addresses are no commits; the ends of a range `a..b` are. */
function startsAsCommit(text: string, at: number, before: string): boolean {
  if (before === '.') return text.charAt(at - 2) === '.';
  return !/[-/\\#@&=?%$]/.test(before);
}

function endsAsCommit(text: string, end: number): boolean {
  const after = characterAt(text, end);
  if (after === '.') return !isWordCharacter(characterAt(text, end + 1));
  return !/[-/\\@=%]/.test(after) && !isWordCharacter(after);
}
