import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { isRepoSlug } from '../core/repo-slug.ts';
import { shellWord } from '../core/shell-word.ts';
import { requireAllowed } from '../engine/allow-list.ts';
import type { Engine } from '../engine/engine.ts';
import type { BackfillBounds, BackfillOutcome, BackfillSurface } from '../operation/backfill-surface.ts';
import { defineOperation } from '../operation/operation.ts';

/** A cursor may hold the name of a file, in characters. */
const MAX_CURSOR = 4096;
/** Items that one call looks at, if it is told no other number; no call looks at more. */
const MAX_ITEMS = 100;

export const backfillOutput = z.object({
  surface: z.string(),
  repo: z.string().nullable().describe('Null: the whole index.'),
  dry_run: z.boolean(),
  looked: z.int().describe('Items that were looked at.'),
  repaired: z.int().describe('Items that were repaired; of a dry run, that would be.'),
  notes: z.array(z.string()),
  next_cursor: z.string().nullable().describe('Where the next call goes on; null when done.'),
  next_command: z.string().nullable().describe('The command line that goes on there; null when done.'),
  done: z.boolean(),
});

/** The operation `backfill` with the repairs there are; the first names are shown first. */
export function backfillOperation(surfaces: readonly [BackfillSurface, ...BackfillSurface[]]) {
  const [first, ...rest] = surfaces;
  const names: [string, ...string[]] = [first.name, ...rest.map(({ name }) => name)];
  const described = surfaces.map(({ name, description }) => `${name}: ${description}`).join(' ');
  return defineOperation({
    name: 'backfill',
    title: 'Repair what history left behind',
    description: `Repairs an index in bounded parts that can be resumed. ${described}`,
    input: z.strictObject({
      surface: z.enum(names).describe(`What to repair. ${described}`),
      repo: z
        .string()
        .optional()
        .describe('Repository as owner/name, for what repairs one; what repairs the whole index takes none.'),
      limit: z.int().min(1).max(MAX_ITEMS).default(MAX_ITEMS).describe('How many items one call looks at.'),
      cursor: z
        .string()
        .max(MAX_CURSOR)
        .optional()
        .describe('next_cursor of an earlier call; without it, from the beginning.'),
      dry_run: z.boolean().default(false).describe('Say what would be repaired, and write nothing.'),
    }),
    output: backfillOutput,
    effect: 'repair',
    openWorld: true,
    faces: ['cli'],
    async handler(engine, { surface: name, repo, limit, cursor, dry_run }) {
      if (repo !== undefined && !isRepoSlug(repo)) throw new Failure('invalid_input', 'repo: must be owner/name');
      if (repo !== undefined) requireAllowed(engine.allowed, repo, 'repo');
      const surface = surfaces.find((each) => each.name === name);
      if (surface === undefined) throw new Failure('invalid_input', `surface: must be one of ${names.join(', ')}`);
      const part = { limit, cursor, dryRun: dry_run };
      const { looked, repaired, nextCursor, notes } = await run(engine, surface, repo, part);
      return {
        surface: name,
        repo: surface.of === 'index' ? null : (repo ?? null),
        dry_run,
        looked,
        repaired,
        notes: [...(notes ?? [])],
        next_cursor: nextCursor,
        next_command: nextCursor === null ? null : commandOf(name, repo, part, nextCursor),
        done: nextCursor === null,
      };
    },
  });
}

function commandOf(
  surface: string,
  repo: string | undefined,
  { limit, dryRun }: BackfillBounds,
  cursor: string,
): string {
  const words = [
    ...['gh-rag', 'backfill', surface],
    ...(repo === undefined ? [] : ['-R', repo]),
    ...(limit === MAX_ITEMS ? [] : ['--limit', String(limit)]),
    ...(dryRun ? ['--dry-run'] : []),
    ...['--cursor', cursor],
  ];
  return words.map(shellWord).join(' ');
}

async function run(
  engine: Engine,
  surface: BackfillSurface,
  repo: string | undefined,
  part: BackfillBounds,
): Promise<BackfillOutcome> {
  if (surface.of === 'index') {
    if (repo === undefined) return surface.run(engine, part);
    throw new Failure('invalid_input', `repo: ${surface.name} repairs the whole index, not one repository`, {
      hint: `Without it: gh-rag backfill ${surface.name}`,
    });
  }
  if (repo === undefined) {
    throw new Failure('invalid_input', `repo: ${surface.name} repairs one repository; which?`, {
      hint: `gh-rag backfill ${surface.name} --repo owner/name`,
    });
  }
  return surface.run(engine, { ...part, repo });
}
