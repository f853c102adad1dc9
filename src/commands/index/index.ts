import { Failure } from '../../lib/core/failure.ts';
import { type Answer, BaseCommand } from '../../lib/cli/base-command.ts';
import { commandShape } from '../../lib/cli/flags.ts';
import { renderIndex } from '../../lib/cli/render-index.ts';
import { index } from '../../lib/operations.ts';

const shape = commandShape(index.input, {
  positional: [{ field: 'targets', name: 'target' }],
  chars: { repo: 'R' },
});

export default class Index extends BaseCommand {
  static override summary = 'Index a git repository or an export file.';
  static override description =
    'Reads the docs of HEAD, the diffs of the history and the tags of a git repository on disk, or the records of an ' +
    'export file. Running it again goes on where it stood and writes only what changed. No network, no token.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'Index the repository in the current directory', command: '<%= config.bin %> <%= command.id %> .' },
    {
      description: 'Index an export file that was compressed',
      command: '<%= config.bin %> <%= command.id %> export.jsonl.gz',
    },
    {
      description: 'Name a repository that has no GitHub remote, and look before writing',
      command: '<%= config.bin %> <%= command.id %> . --repo acme/app --dry-run',
    },
  ];
  static override interruptHint = 'Run the same command again to go on; what was stored stays.';
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const input = await this.parseInput(shape);
    const output = await this.invoke(index, input);
    const problems = output.targets.reduce((sum, target) => sum + target.problem_count, 0);
    return {
      output,
      text: (terminal) => renderIndex(output, terminal),
      failure:
        problems === 0
          ? undefined
          : new Failure(
              'partial_input',
              `${String(problems)} bad ${problems === 1 ? 'line was' : 'lines were'} skipped`,
              {
                hint: 'Everything else was indexed. Repair the lines and run the same command again.',
              },
            ),
    };
  }
}
