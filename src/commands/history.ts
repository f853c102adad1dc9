import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderHistory } from '../lib/cli/render-history.ts';
import { renderTrace } from '../lib/cli/render-trace.ts';
import { newestTrace } from '../lib/cli/trace-choice.ts';
import { memoryHistory } from '../lib/feedback/history.ts';

const shape = commandShape(memoryHistory.input, {
  positional: [{ field: 'trace_id', name: 'trace' }],
  chars: { limit: 'n' },
  summaries: {
    trace_id: 'Show this retrieval: its trc_ id, or last, your newest. Without it: list them, newest first.',
    limit: 'Retrievals, or receipts of the one shown, on a page.',
    cursor: 'Go on where the page before ended.',
  },
});

export default class History extends BaseCommand {
  static override summary = 'List what you retrieved; show one retrieval with its sources and receipts.';
  static override description =
    'Sources are shown with the numbers that use, confirm and show take. A look at results by their number (gh-rag show 2) ' +
    'leaves a retrieval of its own; last still means the search whose numbers they were.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'List the newest retrievals', command: '<%= config.bin %> <%= command.id %>' },
    {
      description: 'Show the newest with its sources and receipts',
      command: '<%= config.bin %> <%= command.id %> last',
    },
    { description: 'The same list for a script', command: '<%= config.bin %> <%= command.id %> --limit 50 --json' },
  ];
  static override usesMemory = true;
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const input = await this.parseInput(shape);
    if (input.trace_id === 'last') {
      input.trace_id = (await newestTrace((asked) => this.invoke(memoryHistory, asked))).trace_id;
    }
    const output = await this.invoke(memoryHistory, input);
    const { trace, traces = [], receipts = [], next_cursor } = output;
    const now = this.host.clock.now();
    const place = trace === undefined ? '' : `${trace.trace_id} `;
    return {
      output,
      text: (terminal) =>
        trace === undefined ? renderHistory(traces, terminal, now) : renderTrace(trace, receipts, terminal, now),
      notes: next_cursor === null ? [] : [`More: gh-rag history ${place}--cursor ${next_cursor}`],
      hints: trace === undefined && traces.length > 0 ? ['Next: gh-rag history last, or with the id of another.'] : [],
      paged: true,
    };
  }
}
