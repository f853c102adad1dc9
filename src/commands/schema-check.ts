import { schemaCheck } from '../lib/admin/schema-check.ts';
import { type Answer, BaseCommand, type EngineOptions, type OpenEngine } from '../lib/cli/base-command.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderDrift } from '../lib/cli/render-admin.ts';
import { Failure } from '../lib/core/failure.ts';
import { artifactFiles } from '../lib/operation/artifact.ts';

const shape = commandShape(schemaCheck.input);

export default class SchemaCheck extends BaseCommand {
  static override summary = 'Find drift between contracts, artifacts, the MCP server and the database.';
  static override description =
    'Compares, field by field, the tool contracts in code with the artifacts in schemas/ and with tools/list of a freshly ' +
    'started server; with --database also the schema of the database with the migrations. Exits with 1 on drift.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'Check in CI', command: '<%= config.bin %> <%= command.id %> --json' },
    { description: 'Check the database, too', command: '<%= config.bin %> <%= command.id %> --database' },
  ];
  static override args = shape.args;
  static override flags = shape.flags;

  protected override async answer(): Promise<Answer> {
    const input = await this.parseInput(shape);
    const { flags } = await this.parseFlags();
    // Who names a database wants it looked at.
    const named = typeof flags.db === 'string' || this.host.environment.database !== undefined;
    const output = await this.invoke(schemaCheck, { ...input, ...(named && { database: true }) });
    const count = output.differences.length;
    return {
      output,
      text: (terminal) => renderDrift(output, terminal),
      failure: output.drift
        ? new Failure('drift', `${String(count)} ${count === 1 ? 'difference' : 'differences'} found`, {
            hint: 'If the change was meant, run gh-rag schema-check --write and commit the artifacts.',
          })
        : undefined,
    };
  }

  protected override async composeEngine(options: EngineOptions): Promise<OpenEngine> {
    const [{ composeEngine }, { readArtifact, serverCommand, writeArtifact }, { liveTools }, { operations }] =
      await Promise.all([
        import('../lib/adapters/compose.ts'),
        import('../lib/adapters/artifacts.ts'),
        import('../lib/mcp/live-tools.ts'),
        import('../lib/operations.ts'),
      ]);
    const contracts = {
      contracts: () => artifactFiles(operations),
      readArtifact,
      writeArtifact,
      liveTools: (signal: AbortSignal) => liveTools(serverCommand(), signal),
    };
    return composeEngine({ ...options, contracts });
  }
}
