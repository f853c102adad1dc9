import type { InStatement } from '@libsql/client/http';
import type { Guard, WriteStep } from '../../engine/database.ts';
import { wireStatement } from './wire-values.ts';

/** Old ids removed by a write: more than it adds, and few enough to cost nothing. */
const PRUNED = 10;
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Milliseconds by the server's clock: those of its callers may differ by more than a day. */
const NOW_MS = 'unixepoch() * 1000';

/**
 * One write as the statements of a transaction. The first takes the id of the write, so that a second copy fails; a
 * guard is a statement that fails when its condition does not hold.
 */
export interface RemoteWrite {
  readonly id: string;
  readonly statements: readonly InStatement[];
  /** Name of the guard that made the statement at `index` fail with `message`; undefined for any other error. */
  refusedBy(index: number, message: string): string | undefined;
}

/** The position of the statement that takes the id. */
export const ID_STATEMENT = 0;

export function remoteWrite(id: string, steps: readonly WriteStep[]): RemoteWrite {
  const head = [
    wireStatement(`INSERT INTO applied_writes (id, applied_at) VALUES (?, ${NOW_MS})`, [id]),
    wireStatement(
      `DELETE FROM applied_writes WHERE id IN (SELECT id FROM applied_writes WHERE applied_at < ${NOW_MS} - ${String(KEPT_MS)} ORDER BY applied_at LIMIT ${String(PRUNED)})`,
      [],
    ),
  ];
  // No data of a user is in the error of a guard, and none knows the id.
  const mark = (index: number): string => `guard-${String(index)}-${id}`;
  const body = steps.map((step, at) =>
    step.kind === 'change' ? wireStatement(step.sql, step.args) : guardStatement(step, mark(head.length + at)),
  );
  return {
    id,
    statements: [...head, ...body],
    refusedBy: (index, message) => {
      const step = steps[index - head.length];
      return step?.kind === 'guard' && message.includes(mark(index)) ? step.name : undefined;
    },
  };
}

/** A JSON path that is none is an error, which repeats the path: SQL has no other way to fail in a plain statement. */
function guardStatement({ condition, args }: Guard, mark: string): InStatement {
  return wireStatement(`SELECT json_extract('{}', CASE WHEN coalesce((${condition}), 0) <> 0 THEN '$' ELSE ? END)`, [
    ...args,
    mark,
  ]);
}

/**
 * Settles the fate of a write of which a copy may still be on its way: afterwards it was applied (column `fenced` is 0),
 * or never will be (1). Safe to repeat.
 */
export function fence(id: string): InStatement[] {
  return [
    wireStatement(`INSERT OR IGNORE INTO applied_writes (id, applied_at, fenced) VALUES (?, ${NOW_MS}, 1)`, [id]),
    wireStatement('SELECT fenced FROM applied_writes WHERE id = ?', [id]),
  ];
}
