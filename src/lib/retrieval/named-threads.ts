import { REPO_NAME, REPO_SLUG } from '../core/repo-slug.ts';
import { shortReferences, urlReferences, urlsOf } from '../indexing/references.ts';

/** A thread that a question names by its number. */
export interface NamedThread {
  /** `owner/name`, or the name alone, in small letters; null where the number stands alone. */
  readonly repo: string | null;
  readonly number: number;
}

/** A list of numbers is no question about each. */
const MOST = 5;

const NUMBER = '(\\d{1,10})(?![\\w-]|[.:]\\d)';
/** Nothing but the number. */
const ALONE = /^\s*#?(\d{1,10})[\s.?!]*$/;
const PULL = '(?:prs?|pull[ -]requests?)';
const ISSUE = '(?:issues?|bugs?|tickets?)';
/** What stands between the word and the number: `PR 12`, `issue #12`, `bug: 12`, `issue#12`, `PR no. 12`. */
const BETWEEN = '(?:[ \\t]{0,2}[:#][ \\t]{0,2}#?|[ \\t]{1,3}(?:number[ \\t]|no\\.?[ \\t])?#?)';
/** `PR 12`; `pull request 1 of 3` counts something. */
const PULL_AND_NUMBER = new RegExp(`(?<![\\w-])${PULL}${BETWEEN}${NUMBER}(?![ \\t]+(?:of|times)\\b)`, 'gi');
/** `issue 12` where no word follows: "issue 404 response" and "a bug 3 years old" name nothing. With # the number is one. */
const ISSUE_AND_NUMBER = new RegExp(`(?<![\\w-])${ISSUE}${BETWEEN}(?:${NUMBER}(?=[ \\t]*(?:[.,;:?!)]|$)))`, 'gim');
const ISSUE_AND_MARK = new RegExp(`(?<![\\w-])${ISSUE}[ \\t]{0,3}#${NUMBER}`, 'gi');
/** The path of a thread on GitHub without the host. */
const PATH = new RegExp(`(?<![\\w/-])(?:github\\.com/)?(?:(${REPO_SLUG})/)?(?:pull|issues)/${NUMBER}`, 'g');
/** `name#12` without the owner. */
const NAME_AND_NUMBER = new RegExp(`(?<![\\w/.@-])(${REPO_NAME})#${NUMBER}`, 'g');
const WORD = new RegExp(`^(?:${PULL}|${ISSUE}|gh|fix(?:e[sd])?|close[sd]?|resolve[sd]?|see|re|no|nr)$`, 'i');
/** What is numbered and no thread: steps, errors, colours. */
const COUNTED =
  /(?:^|[^\w])(?:steps?|errors?|codes?|lines?|pages?|parts?|chapters?|versions?|exits?|colou?rs?|backgrounds?|rules?)[ \t]*[:=]?[ \t]*$/i;
/** "the #1 reason". */
const ORDINAL = /(?:^|[^\w])(?:the|our|my|your|his|her|its|their)[ \t]+$/i;

const KEY = /^(?:([^#]+))?#(\d+)$/;

/** The threads that a question names: those with their repository first, otherwise in its order; at most {@link MOST}. */
export function namedThreads(question: string): NamedThread[] {
  const named = new Map<string, NamedThread>();
  const add = (repo: string | undefined, digits: string | undefined): void => {
    const number = Number(digits);
    if (!(number >= 1 && number < 2 ** 31)) return;
    const thread = { repo: repo?.toLowerCase() ?? null, number };
    named.set(`${thread.repo ?? ''}#${String(number)}`, thread);
  };
  // Seen from nowhere, a key says its repository where the text does.
  const nowhere = '';
  for (const { dst } of urlReferences(question, urlsOf(question), nowhere)) {
    const [, repo, digits] = KEY.exec(dst) ?? [];
    add(repo, digits);
  }
  for (const { at, dst } of shortReferences(question, nowhere)) {
    const [, repo, digits] = KEY.exec(dst) ?? [];
    if (repo === undefined && isCounted(question.slice(0, at), digits)) continue;
    add(repo, digits);
  }
  for (const [, repo, digits] of question.matchAll(PATH)) add(repo, digits);
  for (const [, repo = '', digits] of question.matchAll(NAME_AND_NUMBER)) {
    if (!COUNTED.test(repo)) add(WORD.test(repo) ? undefined : repo, digits);
  }
  for (const pattern of [PULL_AND_NUMBER, ISSUE_AND_NUMBER, ISSUE_AND_MARK]) {
    for (const [, digits] of question.matchAll(pattern)) add(undefined, digits);
  }
  add(undefined, ALONE.exec(question)?.[1]);
  const all = [...named.values()];
  return [...all.filter(({ repo }) => repo !== null), ...all.filter(({ repo }) => repo === null)].slice(0, MOST);
}

function isCounted(before: string, digits: string | undefined): boolean {
  const end = before.slice(-40);
  return COUNTED.test(end) || (digits === '1' && ORDINAL.test(end));
}
