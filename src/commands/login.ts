import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { adoptHint } from '../lib/cli/memory-notes.ts';
import { renderLogin } from '../lib/cli/render-login.ts';
import { login } from '../lib/feedback/login.ts';

const shape = commandShape(login.input);

export default class Login extends BaseCommand {
  static override summary = 'Say who you are on GitHub; adopt what you did before.';
  static override description =
    'Asks GitHub whose your token is (GH_TOKEN, GITHUB_TOKEN, else gh auth token). The first command that finds a new token ' +
    'does the same by itself; this one asks again, and says what is wrong with a token. The answer is kept without the token, ' +
    'so your memory is yours without GitHub from then on. What was done in a database file without a token belongs to its ' +
    'local user, until you adopt it.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'See whose your token is', command: '<%= config.bin %> <%= command.id %>' },
    {
      description: 'Make yours what you searched and confirmed before you had a token',
      command: '<%= config.bin %> <%= command.id %> --adopt-local',
    },
  ];
  static override args = shape.args;
  static override interruptHint = 'Run the same command again; what was adopted stays.';
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const output = await this.invoke(login, await this.parseInput(shape));
    const hint = adoptHint(output.local_traces);
    return {
      output,
      text: (terminal) => renderLogin(output, terminal),
      ...(hint !== undefined && { notes: [hint] }),
    };
  }
}
