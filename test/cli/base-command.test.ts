import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '@oclif/core/config';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Doctor from '../../src/commands/doctor.ts';
import Eval from '../../src/commands/eval.ts';
import type { Answer } from '../../src/lib/cli/base-command.ts';
import { Failure } from '../../src/lib/core/failure.ts';
import { temporaryDirectory } from '../support/repository.ts';
import { configIn, Measure, measure, measureShape, TestHost } from './example.ts';

let config: Config;
let directory: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  config = await configIn(directory);
  Measure.opened = [];
  Measure.closed = 0;
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

async function run(argv: string[], options: ConstructorParameters<typeof TestHost>[0] = {}, command = Measure) {
  const host = new TestHost(options);
  Measure.nextHost = host;
  const code = await command.run(argv, config);
  expect(host.listening).toBe(0);
  expect(Measure.closed).toBe(Measure.opened.length);
  return { code, out: host.out, err: host.err };
}

describe('an answer', () => {
  it('is text on standard output, with a database opened and closed', async () => {
    expect(await run(['two', 'words'])).toEqual({ code: 0, out: '9 characters\n', err: '' });
    expect(Measure.opened).toHaveLength(1);
    expect(readdirSync(config.dataDir)).toContain('gh-rag.db');
  });

  it('has colour on a terminal only, unless the environment decides', async () => {
    const bold = '\u001B[1m1\u001B[22m characters\n';
    expect((await run(['a'], { tty: true })).out).toBe(bold);
    expect((await run(['a'], { tty: true, environment: { NO_COLOR: '1' } })).out).toBe('1 characters\n');
    expect((await run(['a'], { environment: { CLICOLOR_FORCE: '1' } })).out).toBe(bold);
  });

  it('is the exact output of the operation under --json', async () => {
    const { code, out, err } = await run(['x', '--json', '--top-k', '3', '-R', 'a/b', '--no-rerank']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const input = { query: 'x', top_k: 3, repo: ['a/b'], sort: 'size', rerank: false, include_content: false };
    expect(JSON.parse(out)).toEqual({ length: 1, one: 1, input });
    expect(out.split('\n')).toHaveLength(2);
  });

  it('cannot steer a terminal under --json: what nobody sees is left out, as in an answer over MCP', async () => {
    const { out } = await run(['--json', '\u009B31m\u202Ee\u200Bvil\u2028'], { tty: true });
    expect(out).not.toMatch(/[\u007F-\u009F\u200B\u202E\u2028]/);
    expect(JSON.parse(out)).toMatchObject({ input: { query: '31mevil' } });
  });

  it('comes with remarks, and on a terminal with hints on what to type next', async () => {
    class Hinting extends Measure {
      protected override async answer(): Promise<Answer> {
        await this.parseFlags();
        return { output: {}, text: () => 'done\n', notes: ['a remark'], hints: ['a hint'] };
      }
    }
    const plain = { NO_COLOR: '1' };
    expect((await run([], { tty: true, environment: plain }, Hinting)).err).toBe('a remark\na hint\n');
    expect((await run(['--quiet'], { tty: true, environment: plain }, Hinting)).err).toBe('a remark\n');
    expect((await run([], {}, Hinting)).err).toBe('a remark\n');
    expect((await run(['--json'], { tty: true }, Hinting)).err).toBe('');
  });

  it('may come with a failure, which goes to standard error and decides the exit code', async () => {
    class Partial extends Measure {
      protected override async answer(): Promise<Answer> {
        await this.parseFlags();
        const failure = new Failure('partial_input', '2 lines were skipped', { hint: 'Repair them.' });
        return { output: { skipped: 2 }, text: () => 'done\n', notes: ['in this directory'], failure };
      }
    }
    const failed = 'error: 2 lines were skipped\nhint: Repair them.\n';
    expect(await run([], {}, Partial)).toEqual({ code: 1, out: 'done\n', err: `in this directory\n${failed}` });
    expect(await run(['--json'], {}, Partial)).toEqual({ code: 1, out: '{"skipped":2}\n', err: failed });
  });
});

describe('where the database is', () => {
  const chosen = async (argv: string[], environment: Record<string, string>) => {
    await run(argv, { environment });
    return Measure.opened.at(-1)?.db;
  };

  it('is the flag, else GH_RAG_DB, else the configuration, else left to the default', async () => {
    const at = (name: string) => join(directory, name);
    expect(await chosen([], {})).toBeUndefined();
    writeFileSync(join(config.configDir, 'config.json'), JSON.stringify({ db: at('configured.db') }));
    expect(await chosen([], {})).toBe(at('configured.db'));
    expect(await chosen([], { GH_RAG_DB: at('environment.db') })).toBe(at('environment.db'));
    expect(await chosen(['--db', at('flag.db')], { GH_RAG_DB: at('environment.db') })).toBe(at('flag.db'));
    expect(existsSync(at('flag.db'))).toBe(true);
  });

  it('is not guessed from a broken configuration', async () => {
    const file = join(config.configDir, 'config.json');
    writeFileSync(file, '{"db": 7}');
    const { code, out, err } = await run([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^error: the configuration .*config\.json is wrong: db must be a text, not 7\nhint: .*\n$/);
    expect(err).toContain(file);
  });
});

describe('wrong usage', () => {
  it.each([
    [['--top-k', '99'], '--top-k: must be at most 50 (given: 99)', 'See gh-rag measure --help.'],
    [['--top-k', 'many'], '--top-k: must be of type number (given: many)', 'See gh-rag measure --help.'],
    [['--top-k', '2.5'], /^--top-k: must be .* \(given: 2\.5\)$/, 'See gh-rag measure --help.'],
    [['--type', 'isue'], '--type: must be one of issue, doc, diff (given: isue)', 'Did you mean issue?'],
    [['--sort'], '--sort: expects one of size, name', 'See gh-rag measure --help.'],
    [['--ratio'], '--ratio: expects a value', 'See gh-rag measure --help.'],
    [['--ratio', '1', '--ratio', '0'], '--ratio: can be given only once', 'See gh-rag measure --help.'],
    [['--topk=5'], 'unknown flag --topk', 'Did you mean --top-k?'],
    [['--no-rerunk'], 'unknown flag --no-rerunk', 'Did you mean --no-rerank?'],
    [['--jsno'], 'unknown flag --jsno', 'Did you mean --json?'],
    [['-x'], 'unknown flag -x', 'See gh-rag measure --help.'],
    [['--no-cache why it broke'], 'unknown flag --no-cache', 'Put -- before text that starts with a dash.'],
  ])('%j is answered in two lines', async (argv, message, hint) => {
    const { code, out, err } = await run(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    const [first = '', second = '', ...rest] = err.split('\n');
    expect(first.slice('error: '.length)).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
    expect([second, rest]).toEqual([`hint: ${hint}`, ['']]);
    expect(Measure.opened, 'a usage error opens no database').toEqual([]);
  });

  it('is JSON on standard output under --json', async () => {
    const { code, out, err } = await run(['--topk', '5', '--json']);
    expect({ code, err }).toEqual({ code: 2, err: '' });
    expect(JSON.parse(out)).toEqual({
      error: { code: 'invalid_input', message: 'unknown flag --topk', hint: 'Did you mean --top-k?' },
    });
    expect((await run(['--', '--json', 'x'])).out).toBe('8 characters\n');
  });

  it('never repeats a query or a handle', async () => {
    const query = 'a secret that is far longer than the forty characters allowed';
    expect((await run([query])).err).toBe(
      'error: QUERY: must be at most 40 characters long\nhint: See gh-rag measure --help.\n',
    );
    expect((await run(['--cursor', 'eyJsecret'])).err).toMatch(/^error: --cursor: must be at most 5 characters long\n/);
  });
});

describe('a failure', () => {
  it.each([
    ['not_found', 1],
    ['stage_order', 3],
    ['principal_required', 4],
  ])('%s exits with %i', async (code, exit) => {
    expect(await run(['--fail', code])).toEqual({
      code: exit,
      out: '',
      err: 'error: it cannot be done\nhint: Do something else.\n',
    });
    expect(JSON.parse((await run(['--fail', code, '--json'])).out)).toEqual({
      error: { code, message: 'it cannot be done', hint: 'Do something else.' },
    });
  });

  it('exits with 5 when the database cannot be opened, saying which', async () => {
    writeFileSync(join(directory, 'notes.txt'), 'this is no database, whatever its name may say'.repeat(50));
    const { code, err } = await run(['--db', join(directory, 'notes.txt')]);
    expect(code).toBe(5);
    expect(err).toContain('notes.txt');
  });

  it('shows a stack only with DEBUG', async () => {
    const quiet = await run(['--fail', 'crash']);
    expect(quiet.code).toBe(1);
    expect(quiet.err).toMatch(/^error: unexpected error: no such luck\nhint: DEBUG=1 .*\n$/);
    const loud = await run(['--fail', 'crash'], { environment: { DEBUG: '1' } });
    expect(loud.err).toContain('RangeError: no such luck\n    at ');
    expect((await run(['--fail', 'crash'], { environment: { DEBUG: '0' } })).err).toBe(quiet.err);
  });
});

describe('Ctrl-C', () => {
  class Slow extends Measure {
    static override interruptHint: string | undefined = 'Run it again to go on.';

    protected override async answer(): Promise<Answer> {
      await this.parseInput(measureShape);
      const engine = await this.engine();
      engine.progress.start('steps', 10).advance(4);
      const aborted = new Promise((_, reject) => {
        engine.signal.addEventListener('abort', () => {
          reject(new Error('the work was stopped half way'));
        });
      });
      Measure.nextHost.interrupt();
      return { output: await aborted, text: () => '' };
    }
  }

  it('aborts the work, closes the database, says how to go on and exits with 130', async () => {
    const { code, out, err } = await run([], { environment: {} }, Slow);
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toBe('steps: 4 in <1 s\nerror: interrupted\nhint: Run it again to go on.\n');
    expect((await run(['--quiet'], {}, Slow)).err).toBe('error: interrupted\nhint: Run it again to go on.\n');
  });

  it('says nothing on what was stored where a command writes nothing', async () => {
    class Reading extends Slow {
      static override interruptHint = undefined;
    }
    expect((await run(['--quiet'], {}, Reading)).err).toBe('error: interrupted\n');
    expect([Eval, Doctor].map(({ interruptHint }) => interruptHint)).toEqual([undefined, undefined]);
  });

  it('leaves no progress line behind on a terminal', async () => {
    const { err } = await run([], { tty: true, environment: { NO_COLOR: '1' } }, Slow);
    expect(err).toMatch(/\r\u001B\[2Kerror: interrupted\nhint: .*\n$/);
  });
});

it('declares the operation once: input and flags are the same words', () => {
  const fields = Object.keys(measure.input.shape).filter((name) => name !== 'inner');
  expect([...measureShape.bindings.keys()].sort()).toEqual(fields.sort());
});
