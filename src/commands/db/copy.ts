import { type Answer, BaseCommand } from '../../lib/cli/base-command.ts';
import { commandShape } from '../../lib/cli/flags.ts';
import { renderDbCopy } from '../../lib/cli/render-db-copy.ts';
import { dbCopy } from '../../lib/operations.ts';

const shape = commandShape(dbCopy.input, { positional: [{ field: 'source' }, { field: 'target' }] });

export default class DbCopy extends BaseCommand {
  static override summary = 'Copy a whole database to another place.';
  static override description =
    'Copies the index and the feedback memory, then reads both sides and compares them. Interrupted, the same command goes ' +
    'on where it stood. The target must be empty. SOURCE and TARGET decide, not --db; a server takes its token from ' +
    'GH_RAG_DB_TOKEN. Stop what writes to the source meanwhile: gh-rag serve and searches write history.';
  static override examples: typeof BaseCommand.examples = [
    {
      description: 'Make a copy of a database file',
      command: '<%= config.bin %> <%= command.id %> index.db backup.db',
    },
    {
      description: 'Move a local index to a server, whose schema gh-rag migrate has made',
      command: '<%= config.bin %> <%= command.id %> index.db libsql://index-acme.turso.io',
    },
  ];
  static override interruptHint = 'Run the same command again to go on; what was copied stays.';
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const input = await this.parseInput(shape);
    const output = await this.invoke(dbCopy, input);
    return { output, text: (terminal) => renderDbCopy(output, terminal) };
  }
}
