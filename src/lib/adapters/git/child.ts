import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { Failure } from '../../core/failure.ts';
import { ByteReader } from './byte-reader.ts';

const STDERR_LIMIT = 4096;

// What git says when an object that it needs is not there or is broken, as against a usage error or a crash.
const DAMAGE =
  /unable to (?:read|parse|unpack)|could not (?:read|parse)|missing|corrupt|bad (?:tree|object|blob)|not found|inflate|mismatch/i;

interface Ending {
  readonly code: number | null;
  readonly error: Error | null;
}

/** Runs git on one private git directory, with nothing inherited that could steer it; every child ends with the signal. */
export class GitRunner {
  readonly #directory: string;
  readonly #signal: AbortSignal;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #children = new Set<GitChild>();
  readonly #onAbort = (): void => {
    for (const child of this.#children) child.kill();
  };

  constructor(directory: string, signal: AbortSignal) {
    this.#directory = directory;
    this.#signal = signal;
    this.#environment = cleanEnvironment(directory);
    signal.addEventListener('abort', this.#onAbort);
  }

  /** Starts `git …` with pipes. Throws `interrupted` when the signal has been aborted. */
  start(args: readonly string[]): GitChild {
    this.throwIfAborted();
    const spawned = spawn('git', args, { cwd: this.#directory, env: this.#environment, windowsHide: true });
    const child = new GitChild(spawned, args[0] ?? '', this.#signal);
    this.#children.add(child);
    void child.ended.then(() => this.#children.delete(child));
    return child;
  }

  /** Runs a short command: its exit code and the first `limit` bytes of what it printed. Fails with `interrupted`. */
  async run(args: readonly string[], limit = 1 << 20): Promise<{ code: number; output: string }> {
    const child = this.start(args);
    child.closeInput();
    const output = await child.output.rest(limit);
    const ending = await child.ended;
    this.throwIfAborted();
    if (ending.code === null) throw await child.unexpectedEnd();
    return { code: ending.code, output: output.toString('utf8') };
  }

  throwIfAborted(): void {
    if (this.#signal.aborted) throw interruption(this.#signal);
  }

  /** Ends every child and waits until they are gone. */
  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort);
    await Promise.all([...this.#children].map((child) => child.stop()));
  }
}

/** One running git: requests go in by line, answers come out through {@link output}. */
export class GitChild {
  readonly output: ByteReader;
  readonly ended: Promise<Ending>;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #name: string;
  readonly #signal: AbortSignal;
  #complaint = '';
  #outbox = '';
  readonly #flush = (): void => {
    if (this.#outbox !== '' && this.#process.stdin.writable) this.#process.stdin.write(this.#outbox);
    this.#outbox = '';
  };

  constructor(spawned: ChildProcessWithoutNullStreams, name: string, signal: AbortSignal) {
    this.#process = spawned;
    this.#name = name;
    this.#signal = signal;
    this.output = new ByteReader(spawned.stdout);
    // A write to a process that has died is reported by how it died.
    spawned.stdin.on('error', () => undefined);
    spawned.stderr.setEncoding('latin1').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-STDERR_LIMIT);
    });
    this.ended = new Promise((resolve) => {
      spawned.once('error', (error) => {
        resolve({ code: null, error });
      });
      spawned.once('close', (code) => {
        resolve({ code, error: null });
      });
    });
  }

  /** Sends a request. Requests of one turn go out together: a system call each would cost more than the answers. */
  write(text: string): void {
    if (this.#outbox === '') process.nextTick(this.#flush);
    this.#outbox += text;
  }

  closeInput(): void {
    this.#flush();
    this.#process.stdin.end();
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Waits for the regular end after the last answer. Fails as {@link unexpectedEnd} when the exit code is not 0. */
  async finish(): Promise<void> {
    this.closeInput();
    const ending = await this.ended;
    if (ending.code !== 0) throw await this.unexpectedEnd();
  }

  /** Kills the process if it still runs, and waits until it is gone. */
  async stop(): Promise<void> {
    this.kill();
    this.#process.stdin.destroy();
    this.#process.stdout.destroy();
    this.#process.stderr.destroy();
    await this.ended;
  }

  /** Waits for the end of a process that stopped answering; true when an object that it needed is missing or broken. */
  async diedOfDamage(): Promise<boolean> {
    const ending = await this.ended;
    return !this.#signal.aborted && ending.code === 128 && DAMAGE.test(this.#complaint);
  }

  /** The failure that an end before the last answer means: `interrupted` after an abort, else `unreadable_input`. */
  async unexpectedEnd(): Promise<Failure> {
    const ending = await this.ended;
    if (this.#signal.aborted) return interruption(this.#signal);
    if (ending.error !== null) {
      return new Failure('unreadable_input', `git could not be started: ${ending.error.message}`, {
        hint: 'Install git 2.39 or newer and see that it is on the PATH.',
        cause: ending.error,
      });
    }
    const reason =
      firstComplaint(this.#complaint) ?? (ending.code === null ? 'it was killed' : `exit code ${String(ending.code)}`);
    return new Failure('unreadable_input', `git ${this.#name} could not read the repository: ${reason}`, {
      hint: 'Check it with `git fsck`.',
    });
  }
}

function interruption(signal: AbortSignal): Failure {
  const reason: unknown = signal.reason;
  if (reason instanceof Failure) return reason;
  return new Failure('interrupted', 'reading the repository was interrupted', { cause: reason });
}

function firstComplaint(text: string): string | undefined {
  const lines = text.split('\n');
  const line =
    lines.find((candidate) => candidate.startsWith('fatal: ')) ?? lines.find((candidate) => candidate !== '');
  return line
    ?.replace(/^(?:fatal|error): /, '')
    .replaceAll(/[^ -~]/g, '?')
    .slice(0, 200);
}

function cleanEnvironment(directory: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:GIT_|LC_|LANG)/i.test(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_DIR: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
  };
}
