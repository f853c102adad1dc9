import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderBackfill } from '../lib/cli/render-backfill.ts';
import { shellWord } from '../lib/core/shell-word.ts';
import { backfill } from '../lib/operations.ts';

const shape = commandShape(backfill.input, { positional: [{ field: 'surface' }], chars: { repo: 'R' } });

export default class Backfill extends BaseCommand {
  static override summary = 'Repair what history left behind, in parts.';
  static override description =
    'Each call looks at a bounded number of items and ends with the command that goes on from there, until it is done. ' +
    'Doing a part twice changes nothing.';
  static override examples: typeof BaseCommand.examples = [
    {
      description: 'Embed what has no vector yet, such as after a change of the embedder',
      command: '<%= config.bin %> <%= command.id %> embeddings',
    },
    {
      description: 'Make passages and full-text entries anew that are damaged or of older rules',
      command: '<%= config.bin %> <%= command.id %> segments --dry-run',
    },
    {
      description: 'Bring in issues and pull requests that are missing',
      command: '<%= config.bin %> <%= command.id %> index -R octo-org/octo-repo --limit 20',
    },
    {
      description: 'Look which threads are indexed as open and were closed',
      command: '<%= config.bin %> <%= command.id %> state -R octo-org/octo-repo --dry-run',
    },
  ];
  static override interruptHint = 'Run it again with the same cursor; what was stored stays.';
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const done = await this.invoke(backfill, await this.parseInput(shape));
    const next = done.next_command;
    const db = this.givenDatabase === undefined ? '' : ` --db ${shellWord(this.givenDatabase)}`;
    const output = { ...done, next_command: next === null ? null : `${next}${db}` };
    return { output, text: (terminal) => renderBackfill(output, terminal) };
  }
}
