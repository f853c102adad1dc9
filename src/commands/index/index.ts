import { Failure } from '../../lib/core/failure.ts';
import { type Answer, BaseCommand } from '../../lib/cli/base-command.ts';
import { commandShape } from '../../lib/cli/flags.ts';
import { renderIndex } from '../../lib/cli/render-index.ts';
import { type IndexedTarget, WHOLE_REPOSITORY } from '../../lib/ingest/index-contract.ts';
import { index } from '../../lib/operations.ts';

const shape = commandShape(index.input, {
  positional: [{ field: 'targets', name: 'target' }],
  chars: { repo: 'R' },
});

const STOPPED = new Failure('interrupted', 'stopped watching, between two runs', {
  hint: 'Everything is stored. Run the same command again to go on.',
});

export default class Index extends BaseCommand {
  static override summary = 'Index a repository on GitHub, a git repository on disk or an export file.';
  static override description =
    'Reads owner/repo from GitHub with your token: issues, pull requests, comments, reviews, releases, wiki, docs and diffs. ' +
    'Or the docs of HEAD, the diffs of the history and the tags of a git repository on disk, or the records of an export ' +
    'file, without network and token. Running it again goes on where it stood and writes only what changed.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'Index the repository in the current directory', command: '<%= config.bin %> <%= command.id %> .' },
    {
      description: 'Bring a project in from GitHub, or bring it up to date',
      command: '<%= config.bin %> <%= command.id %> octo-org/octo-repo',
    },
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
    return {
      output,
      text: (terminal) => renderIndex(output, terminal),
      // A run ends by its own; a watch only by somebody who stops it.
      failure: input.watch !== undefined && this.signal.aborted ? STOPPED : failureOf(output.targets),
    };
  }
}

/** A part that failed ends the command as that failure does alone, the first of several; bad lines come after it. */
function failureOf(targets: readonly IndexedTarget[]): Failure | undefined {
  const [failed, ...more] = targets.flatMap(({ target, failures }) => failures.map((each) => ({ ...each, target })));
  if (failed !== undefined) {
    const { part, target, code, message, hint } = failed;
    const what = part === WHOLE_REPOSITORY ? target : targets.length > 1 ? `${part} of ${target}` : part;
    return new Failure(code, `${what} could not be brought up to date: ${message}`, {
      hint: hint ?? `${more.length === 0 ? 'Everything else is up to date. ' : ''}Run the same command again.`,
    });
  }
  const problems = targets.reduce((sum, target) => sum + target.problem_count, 0);
  if (problems === 0) return undefined;
  return new Failure('partial_input', `${String(problems)} bad ${problems === 1 ? 'line was' : 'lines were'} skipped`, {
    hint: 'Everything else was indexed. Repair the lines and run the same command again.',
  });
}
