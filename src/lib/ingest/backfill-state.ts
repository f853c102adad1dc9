import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { query } from '../engine/database.ts';
import type { BackfillSurface } from '../operation/backfill-surface.ts';
import { withRemote } from './backfill-run.ts';
import { listSurface } from './github-list.ts';
import { freshListMark } from './github-mark.ts';
import { GitHubSurface } from './github-surface.ts';
import { walk } from './github-walk.ts';
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
        const surface = await GitHubSurface.open(run, repo, listSurface(run, 'threads'));
        const open = new Set<number>();
        const pages = walk(
          (asked) => source.list(facts.fullName, 'threads', { ...asked, open: true }, signal),
          undefined,
        );
        for await (const { items } of pages) for (const { number } of items) if (number !== null) open.add(number);
        const [stale] = await engine.database.read([
          query(
            `SELECT d.number FROM documents d JOIN repos r ON r.id = d.repo_id
             WHERE r.slug = ? AND d.type IN ('issue', 'pull_request') AND d.state = 'open' AND d.number > ?
               AND d.number NOT IN (SELECT value FROM json_each(?)) ORDER BY d.number LIMIT ?`,
            [repo, after, JSON.stringify([...open]), part.limit + 1],
            (row) => z.object({ number: z.int() }).parse(row).number,
          ),
        ]);
        const looked = stale.slice(0, part.limit);
        const gone: number[] = [];
        let repaired = 0;
        for (const number of looked) {
          const item = await source.item(facts.fullName, 'threads', String(number), signal);
          if (item === undefined) gone.push(number);
          else if (surface.take(item, null) !== undefined) repaired += 1;
        }
        if (repaired > 0) await surface.complete(surface.mark ?? JSON.stringify(freshListMark(null)));
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
