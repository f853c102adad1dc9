import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderShow } from '../lib/cli/render-show.ts';
import { search } from '../lib/retrieval/search.ts';

const fields = Object.keys(search.input.shape);

const shape = commandShape(search.input, {
  positional: [{ field: 'sources', name: 'ref', required: true }],
  omit: fields.filter((field) => field !== 'sources'),
});

export default class Show extends BaseCommand {
  static override summary = 'Print the stored text of sources.';
  static override description =
    'REF is a reference such as owner/repo#12, owner/repo:docs/a.md, owner/repo@SHA:src/x.ts, owner/repo/wiki/Page or ' +
    'owner/repo/release/v1.2.0, or a src_ id from an earlier answer.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'Read an issue', command: '<%= config.bin %> <%= command.id %> acme/app#12' },
    {
      description: 'Read a document and a release note',
      command: '<%= config.bin %> <%= command.id %> acme/app:docs/cache.md acme/app/release/v2.0.0',
    },
  ];
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const input = await this.parseInput(shape);
    const output = await this.invoke(search, input);
    return {
      output,
      text: (terminal) => renderShow(output, terminal, this.host.clock.now()),
      paged: true,
    };
  }
}
