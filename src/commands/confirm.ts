import type { Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { aboutTrace, FeedbackCommand, KEY_FLAG, SOURCE_ARG, wordsOf } from '../lib/cli/feedback-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderReceipt } from '../lib/cli/render-receipt.ts';
import { sourceIn, splitTrace } from '../lib/cli/result-number.ts';
import { chooseTrace } from '../lib/cli/trace-choice.ts';
import { recordOutcome } from '../lib/feedback/outcome.ts';

const shape = commandShape(recordOutcome.input, {
  omit: ['trace_id', 'idempotency_key', 'outcome', 'source_ids', 'confirmation_id'],
});

export default class Confirm extends FeedbackCommand {
  static override summary = 'Confirm that what rested on used results proved right.';
  static override description =
    'Strengthens, for you alone, the edges of the graph that led to these results; results that were found by their words ' +
    'alone strengthen nothing. Only what is recorded as used can be confirmed.';
  static override usage = '<%= command.id %> [TRACE] SOURCE... --reason <value> [--key <text>]';
  static override examples: typeof BaseCommand.examples = [
    {
      description: 'The decision that rested on the first result held',
      command: '<%= config.bin %> <%= command.id %> 1 --reason "fixed the outage with it"',
    },
    {
      description: 'So did what the graph led to, in the newest retrieval',
      command: '<%= config.bin %> <%= command.id %> last g1 --reason "the review agreed"',
    },
  ];
  static override args = { source: SOURCE_ARG };
  static override flags = { ...shape.flags, key: KEY_FLAG };

  protected override async answer(): Promise<Answer> {
    const { reason } = await this.parseInput(shape);
    const { args, flags } = await this.parseFlags();
    const given = splitTrace(wordsOf(args.source));
    const trace = await chooseTrace(this.readHistory, given.trace);
    const source_ids = given.sources.map((source) => sourceIn(trace, source));
    const input = { trace_id: trace.trace_id, outcome: 'confirmed', source_ids, reason };
    const output = await this.record(recordOutcome, flags.key, input, { ...given, steps: 1 });
    return {
      output,
      text: (terminal) => renderReceipt(output, trace.sources, terminal),
      notes: [aboutTrace(trace)],
      hints: ['Should it prove wrong: gh-rag rollback last --outcome corrected --reason "what was wrong"'],
    };
  }
}
