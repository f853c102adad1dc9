import * as z from 'zod';
import { type Change, change, type Query, query } from '../engine/database.ts';
import type { DocumentTypeName } from './document-types.ts';
import { rowsOf, rowsStep } from './rows.ts';

/** An item of GitHub that is not indexed, by the key that its document would have. */
export interface LeftOutItem {
  readonly key: string;
  readonly repo: string;
  readonly type: DocumentTypeName;
  readonly number: number | null;
}

/** How many comments GitHub says that a thread has. */
export interface ThreadSize {
  readonly repo: string;
  readonly number: number;
  readonly comments: number;
}

const LEFT_OUT_COLUMNS = ['key', 'repo', 'type', 'number'] as const;
const SIZE_COLUMNS = ['repo', 'number', 'comments'] as const;
const REVIEWED_COLUMNS = ['repo', 'number', 'reviewed'] as const;

const upsertThreads = (columns: readonly string[], value: string): string =>
  `INSERT INTO remote_threads (${columns.join(', ')})
   SELECT ${columns.join(', ')} FROM ${rowsOf(columns)} WHERE true
   ON CONFLICT DO UPDATE SET ${value} = excluded.${value} WHERE ${value} IS NOT excluded.${value}`;

/**
 * Writes down what was left out, what is not any more (its keys), and sizes of threads. One statement each; what is
 * written already is not written again.
 */
export function remoteItemSteps(
  leftOut: readonly LeftOutItem[],
  notLeftOut: readonly string[],
  sizes: readonly ThreadSize[],
): Change[] {
  return [
    ...(notLeftOut.length === 0
      ? []
      : [change('DELETE FROM left_out WHERE key IN (SELECT value FROM json_each(?))', [JSON.stringify(notLeftOut)])]),
    ...rowsStep(
      `INSERT INTO left_out (${LEFT_OUT_COLUMNS.join(', ')})
       SELECT ${LEFT_OUT_COLUMNS.join(', ')} FROM ${rowsOf(LEFT_OUT_COLUMNS)} WHERE true ON CONFLICT DO NOTHING`,
      LEFT_OUT_COLUMNS,
      leftOut,
    ),
    ...rowsStep(upsertThreads(SIZE_COLUMNS, 'comments'), SIZE_COLUMNS, sizes),
  ];
}

/** Of a pull request: its `updated_at` (ms) when its reviews were read. */
export interface ReviewedPull {
  readonly repo: string;
  readonly number: number;
  readonly reviewed: number;
}

export function reviewedSteps(pulls: readonly ReviewedPull[]): Change[] {
  return rowsStep(upsertThreads(REVIEWED_COLUMNS, 'reviewed'), REVIEWED_COLUMNS, pulls);
}

const pullRow = z.object({ number: z.int(), updated_at: z.int() });

/**
 * Pull requests that were updated since their reviews were read, in the order of their updates: indexed ones, and others that
 * are given by number with the time of their update (ms).
 */
export function unreviewedPullsQuery(
  repo: string,
  others: ReadonlyMap<number, number> = new Map(),
): Query<z.output<typeof pullRow>> {
  return query(
    `WITH others(number, updated_at) AS (SELECT value->>0, value->>1 FROM json_each(?2)),
       pulls(number, updated_at) AS (
         SELECT d.number, d.updated_at FROM documents d JOIN repos r ON r.id = d.repo_id
         WHERE r.slug = ?1 AND d.type = 'pull_request' AND d.number NOT IN (SELECT number FROM others)
         UNION ALL SELECT number, updated_at FROM others)
     SELECT p.number, p.updated_at FROM pulls p LEFT JOIN remote_threads t ON t.repo = ?1 AND t.number = p.number
     WHERE coalesce(t.reviewed < p.updated_at, true)
     ORDER BY p.updated_at DESC, p.number`,
    [repo, JSON.stringify([...others])],
    (row) => pullRow.parse(row),
  );
}

/** Indexed pull requests that were updated at or after `from` (ms), in the order of their updates. */
export function indexedPullsQuery(repo: string, from: number): Query<z.output<typeof pullRow>> {
  return query(
    `SELECT d.number, d.updated_at FROM documents d JOIN repos r ON r.id = d.repo_id
     WHERE r.slug = ? AND d.type = 'pull_request' AND d.updated_at >= ? ORDER BY d.updated_at, d.number`,
    [repo, from],
    (row) => pullRow.parse(row),
  );
}

/** How many threads of a type are indexed. */
export function threadCountQuery(repo: string, type: DocumentTypeName): Query<number> {
  return query(
    'SELECT count(*) AS n FROM documents d JOIN repos r ON r.id = d.repo_id WHERE r.slug = ? AND d.type = ?',
    [repo, type],
    (row) => z.object({ n: z.int() }).parse(row).n,
  );
}

/** Forgets what is known of threads beside their documents. */
export function forgetThreads(repo: string, numbers: readonly number[]): Change[] {
  const given = [repo, JSON.stringify(numbers)];
  return [
    change('DELETE FROM left_out WHERE repo = ? AND number IN (SELECT value FROM json_each(?))', given),
    change('DELETE FROM remote_threads WHERE repo = ? AND number IN (SELECT value FROM json_each(?))', given),
  ];
}

const knownItem = z.object({ key: z.string(), number: z.int().nullable() });
export type KnownItem = z.output<typeof knownItem>;

/** Which items of a repository: of some types, and of comments only those in issues or pull requests that are indexed. */
export interface KnownScope {
  readonly repo: string;
  readonly types: readonly DocumentTypeName[];
  readonly of?: 'issue' | 'pull_request' | undefined;
}

const inThread = (repoId: string, number: string): string =>
  `(?3 IS NULL OR EXISTS (SELECT 1 FROM documents t WHERE t.repo_id = ${repoId} AND t.number = ${number} AND t.type = ?3))`;

// Of comments only those whose id is known: no list of GitHub says which of the others is which.
const INDEXED = `SELECT d.key, d.number FROM documents d JOIN repos r ON r.id = d.repo_id
  WHERE r.slug = ?1 AND d.type IN (SELECT value FROM json_each(?2)) AND d.source_id IS NOT NULL
    AND ${inThread('d.repo_id', 'd.number')}`;
const LEFT_OUT = `SELECT l.key, l.number FROM left_out l JOIN repos r ON r.slug = l.repo
  WHERE l.repo = ?1 AND l.type IN (SELECT value FROM json_each(?2)) AND ${inThread('r.id', 'l.number')}
    AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = l.key)`;

function scopeArguments({ repo, types, of }: KnownScope) {
  return [repo, JSON.stringify(types), of ?? null];
}

/** Everything of some types that is known of a repository, indexed or left out. */
export function knownItemsQuery(scope: KnownScope): Query<KnownItem> {
  return query(`${INDEXED} UNION ALL ${LEFT_OUT}`, scopeArguments(scope), (row) => knownItem.parse(row));
}

/** How many items {@link knownItemsQuery} gives. */
export function knownCountQuery(scope: KnownScope): Query<number> {
  return query(
    `SELECT count(*) AS n FROM (${INDEXED} UNION ALL ${LEFT_OUT})`,
    scopeArguments(scope),
    (row) => z.object({ n: z.int() }).parse(row).n,
  );
}

/** Keys of everything in some threads, the threads themselves included. */
export function threadKeysQuery(repo: string, numbers: readonly number[]): Query<string> {
  return query(
    `SELECT d.key FROM documents d JOIN repos r ON r.id = d.repo_id
     WHERE r.slug = ? AND d.number IN (SELECT value FROM json_each(?))`,
    [repo, JSON.stringify(numbers)],
    (row) => z.object({ key: z.string() }).parse(row).key,
  );
}

/** Numbers of threads, or of issues or pull requests only, of which more or fewer comments are known than GitHub said. */
export function unevenThreadsQuery(repo: string, limit: number, of?: KnownScope['of']): Query<number> {
  return query(
    `SELECT t.number FROM remote_threads t JOIN repos r ON r.slug = t.repo WHERE t.repo = ?1 AND t.comments <>
       (SELECT count(*) FROM documents d WHERE d.repo_id = r.id AND d.number = t.number AND d.type = 'issue_comment'
          AND d.source_id IS NOT NULL)
       + (SELECT count(*) FROM left_out l WHERE l.repo = t.repo AND l.number = t.number AND l.type = 'issue_comment'
          AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = l.key))
       AND ${inThread('r.id', 't.number')}
     ORDER BY t.number LIMIT ?2`,
    [repo, limit, of ?? null],
    (row) => z.object({ number: z.int() }).parse(row).number,
  );
}
