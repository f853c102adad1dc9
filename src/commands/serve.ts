import * as Flags from '@oclif/core/flags';
import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { allowedReposNow, chooseDatabase, readConfigFile } from '../lib/adapters/config.ts';
import { Failure } from '../lib/core/failure.ts';

/** Of a local copy of a server's database. */
const SYNC_EVERY_MS = 60_000;

export default class Serve extends BaseCommand {
  static override summary = 'Serve the tools over MCP on standard input and output.';
  static override description =
    'For an MCP client to start. Ends when standard input closes or on SIGTERM. The database is opened by the first call.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'Serve the default database', command: '<%= config.bin %> <%= command.id %> --mcp' },
    { description: 'Serve another file', command: '<%= config.bin %> <%= command.id %> --mcp --db ./project.db' },
  ];
  static override flags = {
    mcp: Flags.boolean({ summary: 'Speak the Model Context Protocol on standard input and output.' }),
  };

  protected override async answer(): Promise<Answer> {
    const { flags } = await this.parseFlags();
    if (flags.mcp !== true) {
      throw new Failure('invalid_input', 'say how to serve', { hint: 'gh-rag serve --mcp' });
    }
    const { cacheDir, configDir, dataDir } = this.config;
    const { environment } = this.host;
    const config = await readConfigFile(configDir);
    const db = chooseDatabase(typeof flags.db === 'string' ? flags.db : undefined, environment, config);
    const [{ shareDatabase }, { createServer }, { serveStdio }, { operations }] = await Promise.all([
      import('../lib/adapters/compose.ts'),
      import('../lib/mcp/server.ts'),
      import('../lib/mcp/stdio.ts'),
      import('../lib/operations.ts'),
    ]);
    const allowedRepos = allowedReposNow(configDir, config);
    const shared = shareDatabase({
      db,
      config,
      allowedRepos,
      dataDir,
      configDir,
      cacheDir,
      syncEveryMs: SYNC_EVERY_MS,
    });
    const server = createServer({
      operations,
      version: this.config.version,
      engineFor: (signal, progress) => shared.engineFor(signal, progress),
      report: (error) => {
        if (environment.debug)
          this.host.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
      },
    });
    const { stdin, stdout, stderr } = process;
    await serveStdio(server, { stdin, stdout, stderr, signals: process, close: () => shared.close() });
    return { output: undefined, text: () => '' };
  }
}
