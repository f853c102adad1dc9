import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type Ended, endOf, Program } from '../support/program.ts';
import { temporaryDirectory } from '../support/repository.ts';

/** The project that ships as an example. */
export const EXAMPLE = fileURLToPath(new URL('../../examples/acme-app.jsonl', import.meta.url));

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The built program in a home of its own: its own data, configuration, cache and database, and nothing of the user's. */
export class Sandbox {
  readonly program: Program;
  readonly home: string = temporaryDirectory();
  readonly database: string = join(this.home, 'index.db');
  #files = 0;
  readonly #others: Sandbox[] = [];

  private constructor(program: Program) {
    this.program = program;
    mkdirSync(join(this.home, 'work'));
  }

  static async build(replaced?: Readonly<Record<string, string>>): Promise<Sandbox> {
    return new Sandbox(await Program.build(replaced));
  }

  /** Another home of the same program; it goes with this one. */
  another(): Sandbox {
    const other = new Sandbox(this.program);
    this.#others.push(other);
    return other;
  }

  env(more: RunOptions['env'] = {}): Record<string, string> {
    // Compiled code is kept in the cache, which homes of one program may share.
    const xdg = ['DATA', 'CONFIG', 'CACHE', 'STATE'].map((kind): [string, string] => [
      `XDG_${kind}_HOME`,
      join(kind === 'CACHE' ? this.program.directory : this.home, kind.toLowerCase()),
    ]);
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      TMPDIR: this.home,
      GH_RAG_DB: this.database,
      GIT_CONFIG_GLOBAL: devNull,
      GIT_CONFIG_NOSYSTEM: '1',
      ...Object.fromEntries(xdg),
      ...more,
    };
  }

  start(args: readonly string[], { cwd = join(this.home, 'work'), env }: RunOptions = {}): ChildProcess {
    const argv = [join(this.program.directory, 'bin/run.js'), ...args];
    return spawn(process.execPath, argv, { cwd, env: this.env(env), stdio: ['ignore', 'pipe', 'pipe'] });
  }

  run(args: readonly string[], options?: RunOptions): Promise<Ended> {
    return endOf(this.start(args, options));
  }

  /** Standard output of a run that must succeed. */
  async ok(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, out, err } = await this.run(args, options);
    if (code !== 0) throw new Error(`gh-rag ${args.join(' ')} ended with ${String(code)}: ${err}${out}`);
    return out;
  }

  /** What `--json` prints of a run that must succeed. */
  async json<Output>(args: readonly string[], options?: RunOptions): Promise<Output> {
    return JSON.parse(await this.ok([...args, '--json'], options)) as Output;
  }

  /** Runs one line of a shell, in which `gh-rag` is the program; with the code of its last command. */
  shell(line: string, { cwd = join(this.home, 'work'), env }: RunOptions = {}): Promise<Ended> {
    const program = `${shellWord(process.execPath)} ${shellWord(join(this.program.directory, 'bin/run.js'))}`;
    const script = `gh_rag() { ${program} "$@"; }\n${line.replace(/\bgh-rag(?= )/g, 'gh_rag')}`;
    return endOf(spawn('sh', ['-c', script], { cwd, env: this.env(env), stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  /** Writes a file into the home and gives its path. */
  file(contents: string | Uint8Array, extension = 'jsonl'): string {
    this.#files += 1;
    const path = join(this.home, `file-${String(this.#files)}.${extension}`);
    writeFileSync(path, contents);
    return path;
  }

  /** An export file of records of acme/app. */
  export(records: readonly object[]): string {
    return this.file(records.map((record) => `${JSON.stringify({ repo: 'acme/app', ...record })}\n`).join(''));
  }

  /** The official MCP client, connected to a freshly started server. */
  async client(env?: RunOptions['env']): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    const args = [join(this.program.directory, 'bin/run.js'), 'serve', '--mcp'];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env: this.env(env), cwd: this.home, stderr: 'pipe' }),
    );
    return client;
  }

  remove(): void {
    for (const { home } of [this, ...this.#others]) rmSync(home, { recursive: true, force: true });
    this.program.remove();
  }
}

/** Structured content of a call; the text beside it must be the same. */
export async function call<Output>(client: Client, name: string, input: Record<string, unknown>): Promise<Output> {
  const { structuredContent, content } = await client.callTool({ name, arguments: input });
  const [first] = content as { text: string }[];
  if (first === undefined || first.text !== JSON.stringify(structuredContent))
    throw new Error('text and structure differ');
  return structuredContent as Output;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
