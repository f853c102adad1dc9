import { shortReferences, urlReferences, urlsOf } from '../indexing/references.ts';

/** A thread that a question names by its number. */
export interface NamedThread {
  /** `owner/name`, or the name alone, in small letters; null where the number stands alone. */
  readonly repo: string | null;
  readonly number: number;
}

/** A list of numbers is no question about each. */
const MOST = 5;

/** The number alone, `issue 12`, `PR #12`; `name#12` without the owner. What has a form of GitHub's is found as in texts. */
const NUMBER_ALONE = /^\s*(\d{1,10})\s*$/;
const NUMBERED = /(?<![\w-])(?:issues?|prs?|pulls?|pull[ -]requests?|bugs?|tickets?)\s{1,3}#?(\d{1,10})(?![\w.-])/gi;
const NAME_AND_NUMBER = /(?<![\w/.@-])([A-Za-z0-9._-]{1,100})#(\d{1,10})(?![\w-])/g;

const KEY = /^(?:([^#]+))?#(\d+)$/;

/** The threads that a question names, in its order as far as they are written alike; at most {@link MOST}. */
export function namedThreads(question: string): NamedThread[] {
  const named = new Map<string, NamedThread>();
  const add = (repo: string | undefined, digits: string | undefined): void => {
    const number = Number(digits);
    if (number < 1 || number >= 2 ** 31) return;
    const thread = { repo: repo?.toLowerCase() ?? null, number };
    named.set(`${thread.repo ?? ''}#${String(number)}`, thread);
  };
  // Seen from nowhere, a key says its repository where the text does.
  const nowhere = '';
  const stated = [...urlReferences(question, urlsOf(question), nowhere), ...shortReferences(question, nowhere)];
  for (const { dst } of stated) {
    const [, repo, digits] = KEY.exec(dst) ?? [];
    if (digits !== undefined) add(repo, digits);
  }
  for (const [, repo, digits] of question.matchAll(NAME_AND_NUMBER)) add(repo, digits);
  for (const [, digits] of question.matchAll(NUMBERED)) add(undefined, digits);
  const alone = NUMBER_ALONE.exec(question)?.[1];
  if (alone !== undefined) add(undefined, alone);
  return [...named.values()].slice(0, MOST);
}
