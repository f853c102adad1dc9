import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '@oclif/core/config';
import { vi } from 'vitest';
import * as z from 'zod';
import { readEnvironment } from '../../src/lib/adapters/config.ts';
import { type Answer, BaseCommand, type EngineOptions, type OpenEngine } from '../../src/lib/cli/base-command.ts';
import { commandShape } from '../../src/lib/cli/flags.ts';
import type { Host } from '../../src/lib/cli/host.ts';
import { Failure } from '../../src/lib/core/failure.ts';
import { query } from '../../src/lib/engine/database.ts';
import { defineOperation } from '../../src/lib/operation/operation.ts';
import { TestClock } from '../support/database.ts';

const oneOrMany = <Item extends z.ZodType>(item: Item) => z.union([item, z.array(item).min(1).max(5)]);

/** Has every form of field that a command line can express. */
export const measure = defineOperation({
  name: 'measure',
  title: 'Measure',
  description: 'Measures a text.',
  input: z.strictObject({
    query: z.string().max(40).optional().describe('The text.'),
    top_k: z.int().min(1).max(50).default(10).describe('How many.'),
    ratio: z.number().min(0).max(1).optional(),
    sort: z.enum(['size', 'name']).default('size').describe('The order.'),
    repo: oneOrMany(z.string().min(1)).optional(),
    type: oneOrMany(z.enum(['issue', 'doc', 'diff'])).optional(),
    size: z.array(z.int()).optional(),
    level: z.literal([1, 2]).optional(),
    note: z.string().nullable().optional(),
    rerank: z.boolean().default(true),
    include_content: z.boolean().default(false),
    cursor: z.string().max(5).optional(),
    fail: z.enum(['not_found', 'stage_order', 'principal_required', 'crash']).optional(),
    inner: z.object({ deep: z.string() }).optional(),
  }),
  output: z.object({ length: z.int(), one: z.int(), input: z.record(z.string(), z.unknown()) }),
  effect: 'read',
  openWorld: false,
  faces: ['cli'],
  async handler(engine, input) {
    if (input.fail === 'crash') throw new RangeError('no such luck');
    if (input.fail !== undefined) throw new Failure(input.fail, 'it cannot be done', { hint: 'Do something else.' });
    const [rows] = await engine.database.read([query('SELECT 1 AS one', [], (row) => Number(row.one))]);
    return { length: (input.query ?? '').length, one: rows[0] ?? 0, input };
  },
});

export const measureShape = commandShape(measure.input, {
  positional: [{ field: 'query', joined: true }],
  chars: { repo: 'R' },
  hidden: ['fail'],
  omit: ['inner'],
});

/** A process of the test's own: what was written, who it pretends to be, and a Ctrl-C key. */
export class TestHost implements Host {
  out = '';
  err = '';
  readonly clock = new TestClock();
  readonly environment;
  readonly stdout;
  readonly stderr;
  #listeners = new Set<() => void>();

  constructor(options: { environment?: Record<string, string>; tty?: boolean } = {}) {
    const { environment = {}, tty = false } = options;
    this.environment = readEnvironment(environment);
    const columns = tty ? 80 : undefined;
    this.stdout = { isTTY: tty, columns, write: (text: string) => void (this.out += text) };
    this.stderr = { isTTY: tty, columns, write: (text: string) => void (this.err += text) };
  }

  onInterrupt(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  interrupt(): void {
    for (const listener of this.#listeners) listener();
  }

  get listening(): number {
    return this.#listeners.size;
  }
}

/** The command of {@link measure}; runs in this process over a real database in the directories of its config. */
export class Measure extends BaseCommand {
  static override id = 'measure';
  static override summary = 'Measure a text.';
  static override examples: typeof BaseCommand.examples = [
    '<%= config.bin %> measure',
    '<%= config.bin %> measure a b',
  ];
  static override args = measureShape.args;
  static override flags = measureShape.flags;

  static nextHost = new TestHost();
  static opened: EngineOptions[] = [];
  static closed = 0;

  protected override createHost(): Host {
    return Measure.nextHost;
  }

  protected override async composeEngine(options: EngineOptions): Promise<OpenEngine> {
    Measure.opened.push(options);
    const { engine, close } = await super.composeEngine(options);
    return {
      engine,
      close: async () => {
        Measure.closed += 1;
        await close();
      },
    };
  }

  protected override async answer(): Promise<Answer> {
    const output = await this.invoke(measure, await this.parseInput(measureShape));
    return { output, text: ({ style }) => `${style.bold(String(output.length))} characters\n` };
  }
}

/** An oclif configuration whose directories all lie in `directory`, until `vi.unstubAllEnvs`. */
export async function configIn(directory: string): Promise<Config> {
  const root = join(directory, 'program');
  mkdirSync(root, { recursive: true });
  const pjson = { name: 'gh-rag', version: '1.0.0', oclif: { bin: 'gh-rag', dirname: 'gh-rag' } };
  writeFileSync(join(root, 'package.json'), JSON.stringify(pjson));
  for (const kind of ['data', 'config', 'cache']) vi.stubEnv(`XDG_${kind.toUpperCase()}_HOME`, join(directory, kind));
  const config = await Config.load({ root, userPlugins: false, devPlugins: false });
  mkdirSync(config.configDir, { recursive: true });
  return config;
}
