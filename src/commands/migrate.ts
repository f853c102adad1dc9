import { migrate } from '../lib/admin/migrate.ts';
import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderMigrations } from '../lib/cli/render-admin.ts';

const shape = commandShape(migrate.input);

export default class Migrate extends BaseCommand {
  static override summary = 'Bring the schema of the database up to date.';
  static override description =
    'A local file is migrated by its first use; this command is for doing it beforehand, and for looking.';
  static override examples: typeof BaseCommand.examples = [
    {
      description: 'List the migrations and their state; changes nothing',
      command: '<%= config.bin %> <%= command.id %> --list',
    },
    { description: 'Apply what is pending', command: '<%= config.bin %> <%= command.id %>' },
  ];
  static override interruptHint = 'Run the same command again; what was applied stays.';
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const input = await this.parseInput(shape);
    const output = await this.invoke(migrate, input);
    return { output, text: (terminal) => renderMigrations(output, input.list === true, terminal) };
  }
}
