import type * as z from 'zod';
import type { backfillOutput } from '../admin/backfill.ts';
import { stripForTerminal } from '../core/text.ts';
import { oneLine, type Terminal } from './terminal.ts';

/** What a part of a repair did, and how to go on. */
export function renderBackfill(output: z.output<typeof backfillOutput>, { style }: Terminal): string {
  const { surface, repo, dry_run, looked, repaired, notes, next_command } = output;
  const lines = [
    `${style.bold(surface)}${repo === null ? '' : ` of ${style.repo(oneLine(repo))}`}: ${String(looked)} looked at, ${String(repaired)} ${dry_run ? 'would be repaired' : 'repaired'}`,
    ...notes.map((note) => `  ${oneLine(note)}`),
    next_command === null ? 'Done.' : `More is left; go on with: ${stripForTerminal(next_command)}`,
  ];
  return `${lines.join('\n')}\n`;
}
