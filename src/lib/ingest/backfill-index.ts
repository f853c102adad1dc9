import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { query } from '../engine/database.ts';
import type { PageQuery } from '../engine/github.ts';
import type { BackfillSurface } from '../operation/backfill-surface.ts';
import { withRemote } from './backfill-run.ts';
import { listSurface } from './github-list.ts';
import { threadsList } from './github-source.ts';
import { GitHubSurface } from './github-surface.ts';
import type { Fetch } from './github-walk.ts';
import type { Making } from './making.ts';
import { positiveInteger } from './record-fields.ts';

/**
 * The repair `index`: walks the numbers of a repository from 1 to the last and asks for each that is not indexed. What is
 * found is stored; the watermark of news stays where it is.
 */
export function indexBackfill(making: Making): BackfillSurface {
  return {
    name: 'index',
    of: 'repository',
    description: 'walks the numbers of issues and pull requests, and brings in what is missing.',
    run: (engine, part) =>
      withRemote(engine, making, part, async (run, { source, facts, repo, signal }) => {
        const from = part.cursor === undefined ? 1 : positiveInteger(part.cursor);
        if (from === undefined) throw new Failure('invalid_cursor', 'cursor: must be one that this repair gave');
        // What is switched off cannot be asked for, so nothing of it is missing.
        const list = threadsList(facts);
        if (list === undefined) return { looked: 0, repaired: 0, nextCursor: null };
        const surface = await GitHubSurface.open(run, repo, listSurface(run, list, facts));
        const last = await lastNumber((query) => source.list(facts.fullName, list, query, signal), engine, repo);
        const to = Math.min(last, from + part.limit - 1);
        const known = new Set(await indexedNumbers(engine, repo, from, to));
        let repaired = 0;
        for (let number = from; number <= to; number += 1) {
          if (known.has(number)) continue;
          // A number of a discussion, or of what was deleted or transferred, is nothing that is missing.
          const item = await source.item(facts.fullName, list, String(number), signal);
          if (item !== undefined && surface.take(item, null) !== undefined) repaired += 1;
        }
        if (repaired > 0) await surface.amend();
        return { looked: Math.max(0, to - from + 1), repaired, nextCursor: to < last ? String(to + 1) : null };
      }),
  };
}

// A thread that was transferred here has a new number and an old time of making, and was updated by it.
const NEWEST: readonly PageQuery[] = [
  { order: 'made_last', page: 1, perPage: 1 },
  { order: 'newest', page: 1, perPage: 100 },
];

type Engine = Parameters<BackfillSurface['run']>[0];

/** The highest number that GitHub shows or that is indexed. */
async function lastNumber(fetch: Fetch, { database }: Engine, repo: string): Promise<number> {
  const [[indexed = 0]] = await database.read([
    query(
      `SELECT coalesce(max(d.number), 0) AS n FROM documents d JOIN repos r ON r.id = d.repo_id WHERE r.slug = ?`,
      [repo],
      (row) => z.object({ n: z.int() }).parse(row).n,
    ),
  ]);
  const numbers = [indexed];
  for (const query of NEWEST) for (const { number } of (await fetch(query))?.items ?? []) numbers.push(number ?? 0);
  return Math.max(...numbers);
}

async function indexedNumbers({ database }: Engine, repo: string, from: number, to: number): Promise<number[]> {
  const [numbers] = await database.read([
    query(
      `SELECT d.number FROM documents d JOIN repos r ON r.id = d.repo_id
       WHERE r.slug = ? AND d.type IN ('issue', 'pull_request') AND d.number BETWEEN ? AND ?`,
      [repo, from, to],
      (row) => z.object({ number: z.int() }).parse(row).number,
    ),
  ]);
  return numbers;
}
