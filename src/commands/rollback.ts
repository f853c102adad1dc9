import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { FeedbackCommand, KEY_FLAG } from '../lib/cli/feedback-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderReceipt } from '../lib/cli/render-receipt.ts';
import { findConfirmation } from '../lib/cli/trace-choice.ts';
import { recordOutcome } from '../lib/feedback/outcome.ts';

const shape = commandShape(recordOutcome.input, {
  omit: ['trace_id', 'idempotency_key', 'outcome', 'source_ids', 'confirmation_id'],
});

export default class Rollback extends FeedbackCommand {
  static override summary = 'Take back a confirmation, and exactly the strength it gave.';
  static override description =
    'What other confirmations gave to the same edges stays, and so does the record that the results were used. The ' +
    'confirmation is looked for in your newest 1000 retrievals; --trace names its retrieval and saves the search.';
  static override examples: typeof BaseCommand.examples = [
    {
      description: 'The newest confirmation was right, but what rested on it was undone',
      command: '<%= config.bin %> <%= command.id %> last --reason "the fix was reverted"',
    },
    {
      description: 'It was wrong',
      command: '<%= config.bin %> <%= command.id %> last --outcome corrected --reason "another cause was found"',
    },
  ];
  static override args = {
    confirmation: Args.string({
      description: 'The confirmation id of a receipt, or last: your newest confirmation.',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...shape.flags,
    outcome: Flags.option({ options: ['rolled_back', 'corrected'] as const })({
      summary: 'corrected: it was wrong. rolled_back: it was right, but what rested on it was undone.',
      default: 'rolled_back',
    }),
    trace: Flags.string({ summary: 'The retrieval it belongs to.', helpValue: '<trace>' }),
    key: KEY_FLAG,
  };

  protected override async answer(): Promise<Answer> {
    const { reason } = await this.parseInput(shape);
    const { args, flags } = await this.parseFlags();
    const given = String(args.confirmation);
    const { traceId, confirmationId } =
      typeof flags.trace === 'string' && given !== 'last'
        ? { traceId: flags.trace, confirmationId: given }
        : await findConfirmation(this.readHistory, given);
    const outcome: unknown = flags.outcome;
    const input = { trace_id: traceId, outcome, confirmation_id: confirmationId, reason };
    const output = await this.record(recordOutcome, flags.key, input);
    return {
      output,
      text: (terminal) => renderReceipt(output, [], terminal),
      notes: [`In ${output.trace_id}`],
      hints: [`Its retrieval with every receipt: gh-rag history ${output.trace_id}`],
    };
  }
}
