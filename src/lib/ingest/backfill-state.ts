import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { query } from '../engine/database.ts';
import type { BackfillSurface } from '../operation/backfill-surface.ts';
import { withRemote } from './backfill-run.ts';
import { listSurface } from './github-list.ts';
import { shownThreads, threadsList } from './github-source.ts';
import { GitHubSurface } from './github-surface.ts';
import { walkOf } from './github-walk-back.ts';
import type { Making } from './making.ts';
import { positiveInteger } from './record-fields.ts';

/**
 * The repair `state`: of threads that are indexed as open and are not in the complete list of open ones, GitHub is asked
 * what they are now. A list that was cut off ends it before anything is changed.
 */
export function stateBackfill(making: Making): BackfillSurface {
  return {
    name: 'state',
    of: 'repository',
    description: 'finds threads that are indexed as open and were closed, by the complete list of open ones.',
    run: (engine, part) =>
      withRemote(engine, making, part, async (run, { source, facts, repo, signal }) => {
        const after = part.cursor === undefined ? 0 : positiveInteger(part.cursor);
        if (after === undefined) throw new Failure('invalid_cursor', 'cursor: must be one that this repair gave');
        // Of what is switched off GitHub does not say whether it is open.
        const list = threadsList(facts);
        if (list === undefined) return { looked: 0, repaired: 0, nextCursor: null };
        const surface = await GitHubSurface.open(run, repo, listSurface(run, list, facts));
        const open = new Set<number>();
        const pages = walkOf(list)(
          (asked) => source.list(facts.fullName, list, { ...asked, open: true }, signal),
          undefined,
        );
        for await (const { items } of pages) for (const { number } of items) if (number !== null) open.add(number);
        const [stale] = await engine.database.read([
          query(
            `SELECT d.number FROM documents d JOIN repos r ON r.id = d.repo_id
             WHERE r.slug = ? AND d.type IN (SELECT value FROM json_each(?)) AND d.state = 'open' AND d.number > ?
               AND d.number NOT IN (SELECT value FROM json_each(?)) ORDER BY d.number LIMIT ?`,
            [repo, JSON.stringify(shownThreads(facts)), after, JSON.stringify([...open]), part.limit + 1],
            (row) => z.object({ number: z.int() }).parse(row).number,
          ),
        ]);
        const looked = stale.slice(0, part.limit);
        const gone: number[] = [];
        let repaired = 0;
        for (const number of looked) {
          const item = await source.item(facts.fullName, list, String(number), signal);
          if (item === undefined) gone.push(number);
          else if (surface.take(item, null) !== undefined) repaired += 1;
        }
        if (repaired > 0) await surface.amend();
        const [last] = looked.slice(-1);
        return {
          looked: looked.length,
          repaired,
          nextCursor: stale.length > part.limit && last !== undefined ? String(last) : null,
          notes: gone.map((number) => `#${String(number)} is gone; gh-rag index ${repo} removes it`),
        };
      }),
  };
}
