import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/repository.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const cli = (file: string) => JSON.stringify(join(repository, 'src/lib/cli', file));

/** A command that says a text, and one that waits for Ctrl-C. */
const COMMANDS = {
  say: `
    import * as z from 'zod';
    import { BaseCommand } from ${cli('base-command.ts')};
    import { commandShape, flagName } from ${cli('flags.ts')};
    const input = z.strictObject({ word: z.string(), times: z.int().min(1).max(1000000).default(1).describe('How often.') });
    const shape = commandShape(input, { positional: [{ field: 'word' }] });
    export default class Say extends BaseCommand {
      static override summary = 'Say a word.';
      static override examples = ['<%= config.bin %> say hello', '<%= config.bin %> say hello --times 3'];
      static override args = shape.args;
      static override flags = shape.flags;
      async answer() {
        const { word, times } = input.parse(await this.parseInput(shape));
        return { output: { word, times }, text: () => (word + '\\n').repeat(times) };
      }
    }`,
  wait: `
    import { BaseCommand } from ${cli('base-command.ts')};
    export default class Wait extends BaseCommand {
      static override summary = 'Wait for ever.';
      static override examples = ['<%= config.bin %> wait', '<%= config.bin %> wait --quiet'];
      async answer() {
        await this.parseFlags();
        const open = setInterval(() => undefined, 1000);
        const aborted = new Promise((_, reject) => this.signal.addEventListener('abort', () => reject(this.signal.reason)));
        process.stdout.write('waiting\\n');
        try { return { output: await aborted, text: () => '' }; } finally { clearInterval(open); }
      }
    }`,
};

let root: string;
let build: (root: string) => Promise<void>;

beforeAll(async () => {
  root = temporaryDirectory();
  for (const folder of ['bin', 'src/commands', 'src/lib/cli']) mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'), 'junction');
  for (const file of ['bin/run.js', 'bin/load.cjs']) copyFileSync(join(repository, file), join(root, file));
  const commands = { strategy: 'explicit', target: './dist/main.cjs', identifier: 'COMMANDS' };
  const oclif = { bin: 'gh-rag', dirname: 'gh-rag', commands, topicSeparator: ' ' };
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ name: 'gh-rag', version: '1.2.3', type: 'module', oclif }),
  );
  writeFileSync(join(root, 'src/lib/cli/main.ts'), `export { main } from ${cli('main.ts')};`);
  for (const [name, source] of Object.entries(COMMANDS)) writeFileSync(join(root, `src/commands/${name}.ts`), source);
  const script = new URL('../../scripts/build.mjs', import.meta.url).href;
  ({ build } = (await import(script)) as { build: typeof build });
  await build(root);
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function start(argv: string[], command = [process.execPath, join(root, 'bin/run.js')]): ChildProcess {
  const [program = '', ...rest] = command;
  const env = { PATH: process.env.PATH, HOME: root, XDG_CACHE_HOME: join(root, 'cache') };
  return spawn(program, [...rest, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function outputOf(child: ChildProcess) {
  if (child.stdout === null || child.stderr === null) throw new Error('the child has no pipes');
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, out, err };
}

const run = (...argv: string[]) => outputOf(start(argv));

describe('the built program', () => {
  it('runs a command and says its version', async () => {
    const [said, version] = await Promise.all([run('say', 'hello', '--times', '2'), run('--version')]);
    expect(said).toEqual({ code: 0, out: 'hello\nhello\n', err: '' });
    expect(version.out).toMatch(/^gh-rag\/1\.2\.3 /);
  });

  it('runs as a gh extension, also through a link', async () => {
    copyFileSync(join(repository, 'gh-rag'), join(root, 'gh-rag'));
    symlinkSync(join('..', 'gh-rag'), join(root, 'bin', 'linked'));
    expect(await outputOf(start(['say', 'two words'], ['sh', join(root, 'bin', 'linked')]))).toEqual({
      code: 0,
      out: 'two words\n',
      err: '',
    });
  });

  it('shows help for --help, help and no command at all', async () => {
    const [help, asked, all] = await Promise.all([run('say', '--help'), run('help', 'say'), run()]);
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help.out).toContain('$ gh-rag say hello --times 3');
    expect(help.out).toMatch(/--times=<1\.\.1000000> +\[default: 1\] How often\./);
    expect(asked).toEqual(help);
    expect(all.out).toContain('Say a word.');
  });

  it('suggests a command for a mistyped one, also in JSON', async () => {
    const message = 'unknown command siy';
    const hint = 'Did you mean gh-rag say?';
    const answer = { code: 2, out: '', err: `error: ${message}\nhint: ${hint}\n` };
    const [plain, help, json, far] = await Promise.all([
      run('siy', 'hello'),
      run('siy', '--help'),
      run('siy', '--json'),
      run('frobnicate'),
    ]);
    expect(plain).toEqual(answer);
    expect(help).toEqual(answer);
    expect(JSON.parse(json.out)).toEqual({ error: { code: 'invalid_input', message, hint } });
    expect(far.err).toContain('hint: See gh-rag --help for the commands.\n');
  });

  it('answers wrong usage with code 2', async () => {
    const [missing, extra] = await Promise.all([run('say'), run('say', 'a', 'b')]);
    expect(missing).toEqual({
      code: 2,
      out: '',
      err: 'error: WORD: is required\nhint: See gh-rag say --help.\n',
    });
    expect(extra.err).toMatch(/^error: unexpected argument: this command takes WORD\n/);
  });

  it('ends quietly when nobody reads any more', async () => {
    const child = start(['say', 'a long line of text', '--times', '1000000']);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const [err, [code]] = await Promise.all([child.stderr === null ? '' : text(child.stderr), once(child, 'close')]);
    expect({ code: code as unknown, err }).toEqual({ code: 0, err: '' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with 130 on %s', async (signal) => {
    const child = start(['wait']);
    child.stdout?.once('data', () => child.kill(signal));
    expect(await outputOf(child)).toEqual({
      code: 130,
      out: 'waiting\n',
      err: 'error: interrupted\n',
    });
  });
});

describe('the build', () => {
  const manifest = () => readFileSync(join(root, 'oclif.manifest.json'), 'utf8');

  it('names commands in order and nothing of this machine', () => {
    expect(Object.keys((JSON.parse(manifest()) as { commands: object }).commands)).toEqual(['say', 'wait']);
    expect(manifest()).not.toContain(root);
    expect(manifest()).not.toContain(repository);
  });

  it('leaves nothing behind of a command that is gone', async () => {
    const before = manifest();
    writeFileSync(join(root, 'src/commands/gone.ts'), COMMANDS.wait);
    await build(root);
    expect(manifest()).toContain('"gone"');
    rmSync(join(root, 'src/commands/gone.ts'));
    await build(root);
    expect(manifest()).toBe(before);
    expect(readdirSync(join(root, 'dist'))).toEqual(['main.cjs']);
  });

  it('refuses a command without two examples', async () => {
    writeFileSync(join(root, 'src/commands/bare.ts'), COMMANDS.wait.replace(/, '[^']+ --quiet'/, ''));
    await expect(build(root)).rejects.toThrow('the command bare has fewer than two examples');
  });
});
