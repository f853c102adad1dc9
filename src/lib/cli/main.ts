import { Config } from '@oclif/core/config';
import { run } from '@oclif/core/run';
import * as z from 'zod';
import { type Failure, toFailure } from '../core/failure.ts';
import { EXIT_CODES, EXIT_DONE } from './exit-codes.ts';
import { processHost } from './host.ts';
import { failureObject, failureText, printableJson } from './report.ts';
import { hasSwitch } from './switches.ts';
import { terminalOf } from './terminal.ts';
import { unknownCommand, usageFailure } from './usage.ts';

/**
 * Runs one command line and returns the exit code. `root` is the directory of package.json and oclif.manifest.json.
 * Commands report their own failures; what is left to report here is a command that was not found or could not load.
 */
export async function main(root: string, argv: readonly string[]): Promise<number> {
  // Compiling each schema costs a single command more than it saves.
  z.config({ jitless: argv[0] !== 'serve' });
  ignoreClosedPipes();
  const line = helpCommandAsFlag(argv);
  try {
    const code = await run(line, { root, userPlugins: false, devPlugins: false });
    return typeof code === 'number' ? code : EXIT_DONE;
  } catch (error) {
    if (exitOf(error) === 0) return EXIT_DONE;
    return report(await failureOf(error, root, line), line);
  }
}

/** `head` closes standard output when it has seen enough: no error of ours. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** `gh-rag help search` is what people type. */
function helpCommandAsFlag(argv: readonly string[]): string[] {
  return argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
}

async function failureOf(error: unknown, root: string, argv: readonly string[]): Promise<Failure> {
  if (error instanceof Error && /^command .+ not found\.?$/is.test(error.message)) {
    const config = await Config.load({ root });
    return unknownCommand(argv[0] ?? '', config.commandIDs, config.bin);
  }
  return usageFailure(error, { command: 'gh-rag', flags: [], args: [] }) ?? toFailure(error);
}

function report(failure: Failure, argv: readonly string[]): number {
  const { stdout, stderr, environment } = processHost();
  if (hasSwitch(argv, '--json')) stdout.write(printableJson(failureObject(failure), stdout.isTTY));
  else stderr.write(failureText(failure, terminalOf(environment, stderr).style, environment.debug));
  return EXIT_CODES[failure.code];
}

function exitOf(error: unknown): unknown {
  if (!(error instanceof Error) || !('oclif' in error)) return undefined;
  const { oclif } = error;
  return typeof oclif === 'object' && oclif !== null && 'exit' in oclif ? oclif.exit : undefined;
}
