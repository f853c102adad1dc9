import { type Allowed, allowedCondition } from '../engine/allow-list.ts';
import type { SqlValue } from '../engine/database.ts';
import type { DocumentTypeName } from './document-types.ts';

/** Collects the arguments of one statement; each gets a number, so that a fragment may be used more than once. */
export class Parameters {
  readonly values: SqlValue[] = [];

  /** Adds a value and gives its placeholder, e.g. `?3`. */
  add(value: SqlValue): string {
    this.values.push(value);
    return `?${String(this.values.length)}`;
  }
}

/** What a reader asked to see. Every field narrows; times are milliseconds since the epoch. */
export interface Filters {
  readonly repo?: readonly string[] | undefined;
  readonly type?: readonly DocumentTypeName[] | undefined;
  readonly state?: string | undefined;
  /** All of them. */
  readonly labels?: readonly string[] | undefined;
  readonly milestone?: string | undefined;
  readonly assignee?: string | undefined;
  readonly author?: string | undefined;
  /** Prefix. */
  readonly path?: string | undefined;
  /** At or after. */
  readonly since?: number | undefined;
  /** Before. */
  readonly until?: number | undefined;
}

/** Conditions on a document `d`, one for each filter that is set, as SQL expressions. */
export function filterConditions(filters: Filters, parameters: Parameters): Map<keyof Filters, string> {
  const conditions = new Map<keyof Filters, string>();
  const list = (values: readonly string[]): string =>
    `(SELECT value FROM json_each(${parameters.add(JSON.stringify(values))}))`;
  const { repo, type, state, labels, milestone, assignee, author, path, since, until } = filters;
  // COLLATE belongs to the column: slugs compare without case.
  if (repo !== undefined) conditions.set('repo', `d.repo_id IN (SELECT id FROM repos WHERE slug IN ${list(repo)})`);
  if (type !== undefined) conditions.set('type', `d.type IN ${list(type)}`);
  if (state === 'closed') conditions.set('state', "d.state IN ('closed', 'merged')");
  else if (state !== undefined) conditions.set('state', `d.state = ${parameters.add(state)}`);
  if (labels !== undefined) {
    conditions.set(
      'labels',
      `NOT EXISTS (SELECT 1 FROM json_each(${parameters.add(JSON.stringify(labels))}) AS wanted WHERE NOT EXISTS
        (SELECT 1 FROM json_each(d.labels) AS label WHERE label.value = wanted.value COLLATE NOCASE))`,
    );
  }
  if (milestone !== undefined) conditions.set('milestone', `d.milestone = ${parameters.add(milestone)} COLLATE NOCASE`);
  if (assignee !== undefined) {
    conditions.set(
      'assignee',
      `EXISTS (SELECT 1 FROM json_each(d.assignees) WHERE value = ${parameters.add(assignee)} COLLATE NOCASE)`,
    );
  }
  if (author !== undefined) conditions.set('author', `d.author = ${parameters.add(author)} COLLATE NOCASE`);
  if (path !== undefined) {
    const prefix = parameters.add(path);
    conditions.set('path', `substr(d.path, 1, length(${prefix})) = ${prefix}`);
  }
  if (since !== undefined) conditions.set('since', `d.updated_at >= ${parameters.add(since)}`);
  if (until !== undefined) conditions.set('until', `d.updated_at < ${parameters.add(until)}`);
  return conditions;
}

/**
 * The documents a reader may see at all: part of every statement that reads documents for an answer. Everything in a
 * database is visible to whoever can open it, but for what the list of allowed repositories leaves out.
 */
export function visibleDocuments(allowed: Allowed, parameters: Parameters): string {
  return ["d.visibility = 'database'", ...allowedRepo(allowed, parameters)].join(' AND ');
}

/** All conditions as one SQL expression. */
export function documentPredicate(filters: Filters, allowed: Allowed, parameters: Parameters): string {
  return [visibleDocuments(allowed, parameters), ...filterConditions(filters, parameters).values()].join(' AND ');
}

/**
 * Conditions that keep a statement to the repositories that are allowed, as SQL expressions to be joined by AND; none where
 * no list is configured. `slug` is an SQL expression that gives `owner/name`.
 */
export function allowedSlug(allowed: Allowed, slug: string, parameters: Parameters): string[] {
  return allowed === 'all' ? [] : [allowedCondition(slug, parameters.add(allowed.json))];
}

/** The same of a row `d` with a `repo_id`: a document, or the signature of a passage. */
export function allowedRepo(allowed: Allowed, parameters: Parameters): string[] {
  // The plus keeps SQLite from going by repository instead of by time, by entity or by what was found.
  return allowedSlug(allowed, 'a.slug', parameters).map(
    (condition) => `+d.repo_id IN (SELECT a.id FROM repos a WHERE ${condition})`,
  );
}

/** The same of a node of the graph, whether it is indexed or not; `node` is an SQL expression. */
export function allowedNode(allowed: Allowed, node: string, parameters: Parameters): string[] {
  // After `kind:` a node is `owner/name:rest` or `owner/name/rest`, and no name holds either separator.
  const text = `(SELECT replace(substr(${node}, instr(${node}, ':') + 1), ':', '/') AS text)`;
  const named = `(SELECT substr(text, 1, instr(text, '/') + instr(substr(text, instr(text, '/') + 1), '/') - 1) AS slug FROM ${text})`;
  return allowedSlug(allowed, 'slug', parameters).map((condition) => `(SELECT ${condition} FROM ${named})`);
}
