import { status } from '../lib/admin/status.ts';
import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderStatus } from '../lib/cli/render-admin.ts';

const shape = commandShape(status.input);

export default class Status extends BaseCommand {
  static override summary = 'Show what is indexed, and where.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'Show the database and its repositories', command: '<%= config.bin %> <%= command.id %>' },
    { description: 'The same for a script', command: '<%= config.bin %> <%= command.id %> --json' },
  ];
  static override usesMemory = true;
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const output = await this.invoke(status, await this.parseInput(shape));
    return { output, text: (terminal) => renderStatus(output, terminal, this.host.clock.now()) };
  }
}
