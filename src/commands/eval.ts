import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderEval } from '../lib/cli/render-eval.ts';
import { evaluate } from '../lib/retrieval/evaluate.ts';

const shape = commandShape(evaluate.input, { positional: [{ field: 'gold' }], chars: { repo: 'R' } });

export default class Eval extends BaseCommand {
  static override summary = 'Measure relevance on questions whose answers are known.';
  static override description =
    'Runs the questions of a gold file through search and through plain full-text search (BM25) over the same passages, and ' +
    'compares where the known answers come. Writes nothing and leaves no traces.';
  static override examples: typeof BaseCommand.examples = [
    {
      description: 'Measure on the questions that ship with gh-rag',
      command: '<%= config.bin %> <%= command.id %> examples/acme-app.gold.jsonl',
    },
    {
      description: 'Every measure and every rank, for a script',
      command: '<%= config.bin %> <%= command.id %> examples/acme-app.gold.jsonl -R acme/app --json',
    },
  ];
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const output = await this.invoke(evaluate, await this.parseInput(shape));
    return { output, text: (terminal) => renderEval(output, terminal) };
  }
}
