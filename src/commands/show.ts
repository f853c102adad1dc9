import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderShow } from '../lib/cli/render-show.ts';
import { isResultNumber, storedSourceIn } from '../lib/cli/result-number.ts';
import { chooseTrace } from '../lib/cli/trace-choice.ts';
import { memoryHistory } from '../lib/feedback/history.ts';
import { search } from '../lib/retrieval/search.ts';

const fields = Object.keys(search.input.shape);

const shape = commandShape(search.input, {
  positional: [{ field: 'sources', name: 'ref', required: true }],
  omit: fields.filter((field) => field !== 'sources'),
  summaries: {
    sources: 'Result numbers of your newest search (1, 1.1, g1), references such as owner/repo#12, or src_ ids.',
  },
});

export default class Show extends BaseCommand {
  static override summary = 'Print the stored text of sources.';
  static override description =
    'REF is a result number of your newest search, a reference such as owner/repo#12, owner/repo:docs/a.md, ' +
    'owner/repo@SHA:src/x.ts, owner/repo/wiki/Page or owner/repo/release/v1.2.0, or a src_ id from an earlier answer. ' +
    'After the trc_ id of a retrieval, numbers are those of that one.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'Read the first result of the last search', command: '<%= config.bin %> <%= command.id %> 1' },
    { description: 'Read an issue', command: '<%= config.bin %> <%= command.id %> acme/app#12' },
    {
      description: 'Read a document and a release note',
      command: '<%= config.bin %> <%= command.id %> acme/app:docs/configuration.md acme/app/release/v2.0.0',
    },
  ];
  static override usesMemory = true;
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const input = await this.parseInput(shape);
    const words = Array.isArray(input.sources) ? input.sources.map(String) : [];
    const sources = await this.#named(words);
    const output = await this.invoke(search, { ...input, sources });
    const [first = ''] = words.filter((word) => isResultNumber(word));
    return {
      output,
      text: (terminal) => renderShow(output, terminal, this.host.clock.now()),
      hints:
        output.trace_id === undefined
          ? []
          : [`Next: gh-rag use ${first === '' ? '1' : first} --stage validated --through`],
      paged: true,
    };
  }

  /** Result numbers as the source ids that they mean; everything else as it is. */
  async #named(words: readonly string[]): Promise<string[]> {
    const [first = ''] = words;
    const trace = first === 'last' || first.startsWith('trc_') ? first : undefined;
    const refs = trace === undefined ? words : words.slice(1);
    if (!refs.some(isResultNumber)) return [...refs];
    const detail = await chooseTrace((asked) => this.invoke(memoryHistory, asked), trace);
    return refs.map((ref) => storedSourceIn(detail, ref));
  }
}
