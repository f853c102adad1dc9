import { Failure } from '../core/failure.ts';
import { OWNER, REPO_NAME } from '../core/repo-slug.ts';

/** What an entry of an allow-list looks like: `owner/name`, or `owner/*` for all repositories of an owner. */
export const ALLOW_LIST_ENTRY = new RegExp(`^${OWNER}/(?:${REPO_NAME}|\\*)$`);

/**
 * Which repositories there are for whoever uses an engine. `all`: no list is configured. Whatever reads documents asks for
 * this value, so that none can forget it.
 */
export type Allowed = 'all' | AllowList;

/** Repositories that are allowed; with an empty list none is. */
export interface AllowList {
  /** Entries in small letters, as JSON: the argument of {@link allowedCondition}. */
  readonly json: string;
  readonly entries: ReadonlySet<string>;
}

/** What is allowed by the entries of a configuration; undefined where it has no list. */
export function allowedBy(entries: readonly string[] | undefined): Allowed {
  if (entries === undefined) return 'all';
  const names = new Set(entries.map(inSmallLetters).sort());
  return { entries: names, json: JSON.stringify([...names]) };
}

// The rule, in two languages: an entry is the whole name, or its owner with `/*`; the case of ASCII letters does not matter.

/** Whether a repository (`owner/name`) is allowed. */
export function isAllowed(allowed: Allowed, repo: string): boolean {
  if (allowed === 'all') return true;
  const name = inSmallLetters(repo);
  return allowed.entries.has(name) || allowed.entries.has(`${name.slice(0, name.indexOf('/') + 1)}*`);
}

/** The same as an SQL expression. `repo` is one that gives the name, `list` the placeholder of the list's `json`. */
export function allowedCondition(repo: string, list: string): string {
  const listed = `IN (SELECT value FROM json_each(${list}))`;
  return `(lower(${repo}) ${listed} OR lower(substr(${repo}, 1, instr(${repo}, '/'))) || '*' ${listed})`;
}

/** Refuses what is not allowed. Fails with `invalid_input`; `argument` names what named the repository. */
export function requireAllowed(allowed: Allowed, repo: string, argument?: string): void {
  if (isAllowed(allowed, repo)) return;
  const where = argument === undefined ? '' : `${argument}: `;
  throw new Failure('invalid_input', `${where}the configuration does not allow the repository ${repo}`, {
    hint: 'Add it to allowed_repos in config.json, as owner/name or owner/*.',
  });
}

/** SQLite's `lower` knows no other letters. */
function inSmallLetters(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
