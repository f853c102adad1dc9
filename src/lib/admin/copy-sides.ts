import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { change, guard, query } from '../engine/database.ts';
import type { OpenDatabase } from '../engine/databases.ts';
import { type BatchLimits, insertSteps, pageQuery } from './copied-rows.ts';
import {
  columnsOf,
  columnsQuery,
  type Column,
  countsQuery,
  type CopiedTable,
  INSTALLATIONS,
  NOTHING_STORED,
  COPIED_TABLES,
} from './copied-tables.ts';
import {
  type CopyMark,
  formatMark,
  MARK_GUARD,
  markQuery,
  markUnchanged,
  parseMark,
  writeMark,
} from './db-copy-mark.ts';

/** Two databases of which the second may become, or go on becoming, a copy of the first. */
export interface CopySides {
  readonly columnsOf: (table: CopiedTable) => readonly Column[];
  /** Rows of the source, by the name of the table. */
  readonly counts: Readonly<Record<string, number>>;
  readonly mark: CopyMark;
  /** The mark as it is stored in the target. */
  readonly stored: string;
  /** Whether an earlier copy is gone on with. */
  readonly resumed: boolean;
}

const ANOTHER_TARGET = 'Copy into a new file, or into a database that gh-rag migrate has just made.';

/**
 * Looks at both sides and begins the copy where none was begun. Fails with `not_found` where the source is no database, and
 * with `invalid_input` for a target that is not to be written to.
 */
export async function beginCopy(
  source: OpenDatabase,
  target: OpenDatabase,
  limits: BatchLimits,
  now: number,
): Promise<CopySides> {
  if (source.database.location === target.database.location) throw sameDatabase();
  await requireDatabase(source);
  const [columns, [counts = {}], [origin], [unfinished]] = await source.database.read([
    columnsQuery(),
    countsQuery(),
    principalQuery(),
    markQuery(),
  ]);
  if (origin === undefined)
    throw new Failure('drift', 'source: has no installation row', { hint: 'Run gh-rag doctor.' });
  if (unfinished !== undefined) {
    throw new Failure('invalid_input', 'source: is a copy that is not finished', {
      hint: 'Finish it first: run the same gh-rag db copy that began it.',
    });
  }
  const of = (table: CopiedTable) => columnsOf(table, columns);
  const [[installed], [found], [{ empty } = { empty: false }]] = await target.database.read([
    principalQuery(),
    markQuery(),
    query(`SELECT ${NOTHING_STORED} AS empty`, [], (row) => emptiness.parse(row)),
  ]);
  if (found !== undefined) {
    const mark = parseMark(found);
    if (mark.origin === origin) return { columnsOf: of, counts, mark, stored: found, resumed: true };
    throw new Failure('invalid_input', 'target: holds an unfinished copy of another database', {
      hint: ANOTHER_TARGET,
    });
  }
  if (installed === origin) throw sameDatabase();
  if (!empty) throw notEmpty();
  const mark: CopyMark = { origin, table: COPIED_TABLES[0]?.name ?? '', after: null, rows: 0 };
  const stored = formatMark(mark);
  const [installations] = await source.database.read([pageQuery(INSTALLATIONS, of(INSTALLATIONS), null, limits)]);
  const outcome = await target.database.write([
    markUnchanged(null),
    guard(EMPTY_GUARD, NOTHING_STORED),
    change(`DELETE FROM ${INSTALLATIONS.name}`),
    ...insertSteps(INSTALLATIONS, of(INSTALLATIONS), installations),
    writeMark(stored, now),
  ]);
  if (!outcome.applied) throw outcome.guard === MARK_GUARD ? copiedByAnother() : notEmpty();
  return { columnsOf: of, counts, mark, stored, resumed: false };
}

const EMPTY_GUARD = 'empty';

/** Opening a file that is not there would make it. */
async function requireDatabase({ schema }: OpenDatabase): Promise<void> {
  const migrations = await schema.list();
  if (migrations.some(({ state }) => state !== 'pending')) return;
  throw new Failure('not_found', 'source: there is no gh-rag database in this place', {
    hint: 'Check the path or the URL; gh-rag status names the database in use.',
  });
}

const emptiness = z.object({ empty: z.int().transform(Boolean) });
const installation = z.object({ local_principal: z.string() });

/** What names a database: made at random with its schema, and copied with it. */
function principalQuery() {
  return query('SELECT local_principal FROM installations', [], (row) => installation.parse(row).local_principal);
}

function sameDatabase(): Failure {
  return new Failure('invalid_input', 'target: is the source itself, or a complete copy of it', {
    hint: 'Name another target.',
  });
}

function notEmpty(): Failure {
  return new Failure('invalid_input', 'target: holds something already', { hint: ANOTHER_TARGET });
}

/** Somebody moved the mark. */
export function copiedByAnother(): Failure {
  return new Failure('database_busy', 'another process is copying into the same database', {
    hint: 'Let it finish, or end it and run this command again: it goes on from there.',
  });
}
