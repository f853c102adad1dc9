import { Command } from '@oclif/core/command';
import * as Flags from '@oclif/core/flags';
import type * as z from 'zod';
import { chooseDatabase, type ConfigFile, readConfigFile } from '../adapters/config.ts';
import { Failure } from '../core/failure.ts';
import type { Contracts } from '../engine/contracts.ts';
import type { Engine } from '../engine/engine.ts';
import type { Progress } from '../engine/progress.ts';
import { invoke, parseInput } from '../operation/invoke.ts';
import type { Operation } from '../operation/operation.ts';
import { commandFailure, flagNames } from './command-failure.ts';
import { EXIT_CODES, EXIT_DONE } from './exit-codes.ts';
import { type CommandShape, toInput } from './flags.ts';
import { type Host, processHost } from './host.ts';
import { terminalProgress } from './progress.ts';
import { failureObject, failureText, printableJson } from './report.ts';
import { hasSwitch } from './switches.ts';
import { type Terminal, terminalOf } from './terminal.ts';

/** What a command answers. */
export interface Answer {
  /** The object that --json prints: an operation's exact output. */
  readonly output: unknown;
  /** The same for a person: the text of standard output, ending in a newline unless empty. */
  readonly text: (terminal: Terminal) => string;
  /** Remarks that belong to the answer and are none of it: lines for standard error, below the text. */
  readonly notes?: readonly string[];
  /** What to type next: lines for standard error, below the remarks, where a person reads it on a terminal. */
  readonly hints?: readonly string[];
  /** Set where there is an answer and it is no success: drift was found, lines were skipped. */
  readonly failure?: Failure | undefined;
  /** Whether a terminal may show the text through PAGER. */
  readonly paged?: boolean;
}

/** An engine and how to let go of it. */
export interface OpenEngine {
  readonly engine: Engine;
  readonly close: () => Promise<void>;
}

export interface EngineOptions {
  readonly db: string | undefined;
  readonly busyTimeoutMs?: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly dataDir: string;
  readonly configDir: string;
  readonly cacheDir: string;
  readonly config: ConfigFile;
  readonly contracts?: Contracts | undefined;
}

type Example = Command.Example;

/**
 * The base of every command. A subclass parses its input, asks the engine and returns an {@link Answer}; here are the
 * global flags, printing, interruption, failures and exit codes. `run` never throws: it returns the exit code.
 */
export abstract class BaseCommand extends Command {
  /** Help is product: at least two per command; every one is run by a test. */
  declare static examples: [Example, Example, ...Example[]];

  static override baseFlags = {
    db: Flags.string({
      summary: 'Database file or URL; otherwise GH_RAG_DB, the configuration, a file in the data directory.',
      helpGroup: 'GLOBAL',
      helpValue: '<path or url>',
    }),
    json: Flags.boolean({ summary: 'Print the answer as JSON.', helpGroup: 'GLOBAL' }),
    quiet: Flags.boolean({ summary: 'Print no progress and no hints.', helpGroup: 'GLOBAL' }),
  };

  /** Whether its answer comes from the feedback memory, or goes into it. */
  static usesMemory = false;

  /** What Ctrl-C says on how to go on; undefined for a command that writes nothing on its way, which has nothing to say. */
  static interruptHint: string | undefined = undefined;

  protected readonly host: Host = this.createHost();
  readonly #controller = new AbortController();
  readonly #progress: Progress = this.#createProgress();
  #given: { shape: CommandShape; input: Readonly<Record<string, unknown>> } | undefined;
  #database: string | undefined;
  #open: Promise<OpenEngine> | undefined;

  /** Does the command's work. Whatever it throws becomes a failure of the command. */
  protected abstract answer(): Promise<Answer>;

  override async run(): Promise<number> {
    const stopListening = this.host.onInterrupt(() => {
      this.#controller.abort(new Failure('interrupted', 'interrupted'));
    });
    try {
      return await this.#answerAndClose();
    } catch (error) {
      return this.#report(this.#failureOf(error));
    } finally {
      stopListening();
    }
  }

  /** Aborted by Ctrl-C. */
  protected get signal(): AbortSignal {
    return this.#controller.signal;
  }

  protected get progress(): Progress {
    return this.#progress;
  }

  /** What --db names; undefined without it, and until the command line is parsed. */
  protected get givenDatabase(): string | undefined {
    return this.#database;
  }

  /** Parses the command line into the raw input of an operation. Call it, or `parseFlags`, before anything else. */
  protected async parseInput(shape: CommandShape): Promise<Record<string, unknown>> {
    const parsed = await this.parseFlags();
    const input = toInput(shape, parsed);
    this.#given = { shape, input };
    return input;
  }

  /** Parses the command line: args and flags as oclif gives them. */
  protected async parseFlags() {
    // Otherwise oclif warns in development that a command line which did not parse was never parsed.
    this.parsed = true;
    const parsed = await this.parse(this.ctor);
    const { db } = parsed.flags as { db?: string };
    this.#database = db;
    return parsed;
  }

  /** The engine over the chosen database; opened at the first call and closed with the command. */
  protected async engine(): Promise<Engine> {
    this.#open ??= this.#openEngine();
    return (await this.#open).engine;
  }

  /** Runs an operation. Its input is checked before a database is opened. */
  protected async invoke<Input extends z.ZodType, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: Readonly<Record<string, unknown>>,
  ): Promise<z.output<Output>> {
    parseInput(operation.input, input);
    return invoke(operation, await this.engine(), input);
  }

  /** Where contracts are written down: for the one command that compares them. */
  protected contracts(): Contracts | undefined {
    return undefined;
  }

  /** The process; a test puts its own in place. */
  protected createHost(): Host {
    return processHost();
  }

  /** Puts the engine together; a test puts its own in place. */
  protected async composeEngine(options: EngineOptions): Promise<OpenEngine> {
    // Imported here, so that --help and a usage error load no database driver.
    const { composeEngine } = await import('../adapters/compose.ts');
    return composeEngine(options);
  }

  async #openEngine(): Promise<OpenEngine> {
    const { dataDir, configDir, cacheDir } = this.config;
    const config = await readConfigFile(configDir);
    const db = chooseDatabase(this.#database, this.host.environment, config);
    return this.composeEngine({
      db,
      config,
      progress: this.#progress,
      signal: this.signal,
      dataDir,
      configDir,
      cacheDir,
      contracts: this.contracts(),
    });
  }

  async #answerAndClose(): Promise<number> {
    try {
      const answer = await this.answer();
      this.#progress.end();
      await this.#print(answer, await this.#memoryNotes());
      return answer.failure === undefined ? EXIT_DONE : this.#reportBeside(answer.failure);
    } finally {
      this.#progress.end();
      await this.#close();
    }
  }

  async #close(): Promise<void> {
    // An engine that did not open was reported where it was asked for.
    const open = await this.#open?.catch(() => undefined);
    await open?.close();
  }

  /** Not for programs, which `status` tells the same. The answer stands, whatever becomes of a remark on it. */
  async #memoryNotes(): Promise<string[]> {
    const open = await this.#open;
    if (open === undefined || this.#json || this.#quiet || !(this.ctor as typeof BaseCommand).usesMemory) return [];
    const { memoryNotes } = await import('./memory-notes.ts');
    return memoryNotes(open.engine).catch(() => []);
  }

  async #print(answer: Answer, remarks: readonly string[]): Promise<void> {
    const { stdout, stderr, environment } = this.host;
    if (this.#json) {
      stdout.write(printableJson(answer.output, stdout.isTTY));
      return;
    }
    const text = answer.text(terminalOf(environment, stdout));
    if (!(answer.paged === true && (await this.#page(text)))) stdout.write(text);
    const { style } = terminalOf(environment, stderr);
    const hints = stderr.isTTY && stdout.isTTY && !this.#quiet ? (answer.hints ?? []) : [];
    for (const line of [...(answer.notes ?? []), ...remarks, ...hints]) stderr.write(`${style.dim(line)}\n`);
  }

  async #page(text: string): Promise<boolean> {
    const { stdout, environment } = this.host;
    const pager = environment.pager?.trim();
    if (!stdout.isTTY || pager === undefined || pager === '' || pager === 'cat') return false;
    const { showInPager } = await import('../adapters/pager.ts');
    return showInPager(pager, text);
  }

  #failureOf(error: unknown): Failure {
    const { args, flags } = this.ctor;
    return commandFailure(error, {
      command: this.#name,
      args: Object.keys(args),
      flags: flagNames({ ...BaseCommand.baseFlags, ...flags }),
      interrupted: this.signal.aborted,
      interruptHint: (this.ctor as typeof BaseCommand).interruptHint,
      given: this.#given,
    });
  }

  /** A failure instead of an answer. */
  #report(failure: Failure): number {
    const { stdout } = this.host;
    if (this.#json) stdout.write(printableJson(failureObject(failure), stdout.isTTY));
    else this.#reportBeside(failure);
    return EXIT_CODES[failure.code];
  }

  /** A failure that comes with an answer, which standard output already has. */
  #reportBeside(failure: Failure): number {
    const { stderr, environment } = this.host;
    stderr.write(failureText(failure, terminalOf(environment, stderr).style, environment.debug));
    return EXIT_CODES[failure.code];
  }

  /** Read from the arguments themselves: a command line that does not parse is answered in JSON too. */
  get #json(): boolean {
    return hasSwitch(this.argv, '--json');
  }

  get #quiet(): boolean {
    return hasSwitch(this.argv, '--quiet');
  }

  get #name(): string {
    return `${this.config.bin} ${(this.id ?? '').replaceAll(':', ' ')}`.trim();
  }

  #createProgress(): Progress {
    const { stderr, clock } = this.host;
    return terminalProgress({
      write: (text) => {
        stderr.write(text);
      },
      clock,
      mode: this.#quiet ? 'quiet' : stderr.isTTY ? 'line' : 'steps',
      columns: () => stderr.columns,
    });
  }
}
