import { Failure } from '../core/failure.ts';
import { documentIdsQuery } from '../corpus/document-ids.ts';
import { checkpointOf } from '../engine/checkpoint.ts';
import type { WriteStep } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import type { BackfillBounds, BackfillOutcome } from '../operation/backfill-surface.ts';

/** What is to be done about some documents. */
export interface RepairPlan {
  /** With guards, for what was read may change before they are applied. */
  readonly steps: readonly WriteStep[];
  readonly repaired: number;
  readonly notes: readonly string[];
}

const MAX_ATTEMPTS = 5;

/**
 * Repairs what is stored under the next ids of documents, in one transaction; the cursor is the last of them. What others
 * change in between is planned anew. Fails with `invalid_cursor`, and with `database_busy` where that never ends.
 */
export async function repairPart(
  { database, signal }: Engine,
  { limit, cursor, dryRun }: BackfillBounds,
  of: Parameters<typeof documentIdsQuery>[0],
  planOf: (ids: readonly number[]) => Promise<RepairPlan>,
): Promise<BackfillOutcome> {
  const after = cursor === undefined ? 0 : Number(cursor);
  if (!/^\d+$/.test(cursor ?? '0') || !Number.isSafeInteger(after)) {
    throw new Failure('invalid_cursor', 'cursor: must be one that this repair gave');
  }
  const checkpoint = checkpointOf(signal, () => new Failure('interrupted', 'stopped; this part changed nothing'));
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const [found] = await database.read([documentIdsQuery(of, after, limit + 1)]);
    const ids = found.slice(0, limit);
    const { steps, repaired, notes } = await planOf(ids);
    await checkpoint();
    const outcome = repaired === 0 || dryRun ? undefined : await database.write(steps);
    if (outcome?.applied === false) continue;
    const last = ids.at(-1);
    const nextCursor = found.length > limit && last !== undefined ? String(last) : null;
    return { looked: ids.length, repaired, nextCursor, notes };
  }
  throw new Failure('database_busy', 'others write these documents faster than they can be repaired', {
    hint: 'Run it again with the same cursor when they are done.',
  });
}
