import { doctor } from '../lib/admin/doctor.ts';
import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderDoctor } from '../lib/cli/render-admin.ts';
import { Failure } from '../lib/core/failure.ts';

const shape = commandShape(doctor.input);

export default class Doctor extends BaseCommand {
  static override summary = 'Check the integrity of the database.';
  static override description =
    'Checks the file, the schema, the full-text indexes and everything that is stored twice, and prints a digest of ' +
    'the content: two databases with the same digest hold the same documents. Exits with 1 when something is wrong.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'Check the database that is used here', command: '<%= config.bin %> <%= command.id %>' },
    { description: 'Check another file', command: '<%= config.bin %> <%= command.id %> --db ./other.db' },
  ];
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const output = await this.invoke(doctor, await this.parseInput(shape));
    const bad = output.checks.filter((check) => !check.ok).length;
    return {
      output,
      text: (terminal) => renderDoctor(output, terminal),
      failure:
        bad === 0
          ? undefined
          : new Failure('drift', `${String(bad)} of ${String(output.checks.length)} checks found something wrong`),
    };
  }
}
