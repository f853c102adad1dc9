import * as Flags from '@oclif/core/flags';
import type { Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { aboutTrace, FeedbackCommand, KEY_FLAG, SOURCE_ARG, wordsOf } from '../lib/cli/feedback-command.ts';
import { renderReceipt } from '../lib/cli/render-receipt.ts';
import { sourceIn, splitTrace } from '../lib/cli/result-number.ts';
import { chooseTrace } from '../lib/cli/trace-choice.ts';
import { recordSourceUse } from '../lib/feedback/source-use.ts';
import { STAGES } from '../lib/feedback/wire.ts';

const CLAIMED = STAGES.slice(1);

export default class Use extends FeedbackCommand {
  static override summary = 'Record which results you selected, validated and used.';
  static override description =
    'selected: you chose to look into it. validated: you checked it and judged it usable. used: an answer, decision or ' +
    'review rests on it. A result advances one stage at a time; --through records the stages up to the one named. One ' +
    'wrong entry, and nothing is recorded.';
  static override usage = '<%= command.id %> [TRACE] SOURCE... [--stage <option>] [--through] [--key <text>]';
  static override examples: typeof BaseCommand.examples = [
    { description: 'You chose the first and the third result', command: '<%= config.bin %> <%= command.id %> 1 3' },
    {
      description: 'Your decision rests on the first result and on a row of the graph',
      command: '<%= config.bin %> <%= command.id %> last 1 g1 --stage used --through',
    },
  ];
  static override args = { source: SOURCE_ARG };
  static override flags = {
    stage: Flags.option({ options: CLAIMED })({ summary: 'How far you came with it.', default: 'selected' }),
    through: Flags.boolean({ summary: 'Record the stages before it, too.' }),
    key: KEY_FLAG,
  };

  protected override async answer(): Promise<Answer> {
    const { args, flags } = await this.parseFlags();
    const given = splitTrace(wordsOf(args.source));
    const last = STAGES.findIndex((stage) => stage === flags.stage);
    // All of them, whatever is recorded already: a call that is sent again under its key must be the same call.
    const stages = STAGES.slice(flags.through === true ? 1 : last, last + 1);
    const trace = await chooseTrace(this.readHistory, given.trace);
    const uses = given.sources.flatMap((source) => {
      const source_id = sourceIn(trace, source);
      return stages.map((stage) => ({ source_id, stage }));
    });
    const input = { trace_id: trace.trace_id, uses };
    const output = await this.record(recordSourceUse, flags.key, input, { ...given, steps: stages.length });
    const [first = ''] = given.sources;
    return {
      output,
      text: (terminal) => renderReceipt(output, trace.sources, terminal),
      notes: [aboutTrace(trace)],
      hints: flags.stage === 'used' ? [`Once it proved right: gh-rag confirm ${first} --reason "how you know"`] : [],
    };
  }
}
