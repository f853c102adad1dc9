import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '@oclif/core/config';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import DbCopy from '../../src/commands/db/copy.ts';
import Search from '../../src/commands/search.ts';
import { databasesBy } from '../../src/lib/adapters/databases.ts';
import { openLocal } from '../../src/lib/adapters/libsql/open.ts';
import type { DbCopyOutput } from '../../src/lib/admin/db-copy-contract.ts';
import { formatMark, writeMark } from '../../src/lib/admin/db-copy-mark.ts';
import type { EngineOptions, OpenEngine } from '../../src/lib/cli/base-command.ts';
import type { Host } from '../../src/lib/cli/host.ts';
import { renderDbCopy } from '../../src/lib/cli/render-db-copy.ts';
import { terminalOf } from '../../src/lib/cli/terminal.ts';
import { MIGRATIONS, TestClock, testDatabase, type TestDatabase } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';
import { issue, TestProject } from '../support/project.ts';
import { temporaryDirectory } from '../support/repository.ts';
import { configIn, TestHost } from './example.ts';

let config: Config;
let directory: string;
let source: TestDatabase;
let host: TestHost;

beforeEach(async () => {
  directory = temporaryDirectory();
  config = await configIn(directory);
  source = testDatabase({ backend: 'local' });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await source.remove();
  rmSync(directory, { recursive: true, force: true });
});

/** The command over local files only. */
class LocalCopy extends DbCopy {
  static override id = 'db:copy';
  // oclif looks for them in the class itself.
  static override args = DbCopy.args;
  static override flags = DbCopy.flags;

  protected override createHost(): Host {
    return host;
  }

  protected override composeEngine({ progress, signal }: EngineOptions): Promise<OpenEngine> {
    const databases = databasesBy((location) => {
      if (location.kind === 'server') throw new Error('no server here');
      return openLocal({ file: location.path, migrations: MIGRATIONS, clock: new TestClock() });
    });
    return Promise.resolve({
      engine: testEngine(source, { progress, signal, databases }),
      close: () => Promise.resolve(),
    });
  }
}

/** A search of the source. */
class LocalSearch extends Search {
  static override id = 'search';
  static override args = Search.args;
  static override flags = Search.flags;

  protected override createHost(): Host {
    return host;
  }

  protected override composeEngine({ progress, signal }: EngineOptions): Promise<OpenEngine> {
    return Promise.resolve({ engine: testEngine(source, { progress, signal }), close: () => Promise.resolve() });
  }
}

it('that is not finished is told below every search in it, but not to programs', async () => {
  const searched = async (...argv: string[]) => {
    host = new TestHost();
    expect(await LocalSearch.run(['anything', '--all-repos', ...argv], config)).toBe(0);
    return host.err;
  };
  expect(await searched()).not.toContain('copy');
  const mark = formatMark({ origin: 'local:x', table: 'repos', after: null, rows: 0 });
  await source.database.write([writeMark(mark, 0)]);
  expect(await searched()).toContain('\nThis database is an unfinished copy, a part of its source: ');
  expect(await searched('--json')).toBe('');
});

async function run(...argv: string[]) {
  host = new TestHost();
  const code = await LocalCopy.run(argv, config);
  return { code, out: host.out, err: host.err };
}

async function fill(): Promise<void> {
  const project = await TestProject.of([issue(1), issue(2)]);
  await project.search({ query: 'stalls' });
  host = new TestHost();
  await LocalCopy.run([project.test.file, source.file, '--quiet'], config);
  await project.test.remove();
}

describe('gh-rag db copy', () => {
  it('tells the tables, the digest, and each step on standard error', async () => {
    await fill();
    const target = join(directory, 'copy.db');
    const { code, out, err } = await run(source.file, target);
    expect(code).toBe(0);
    expect(out).toMatch(/^from .+\nto {3}.+copy\.db\n/);
    expect(out).toMatch(/\ndocuments +2 {2}[0-9a-f]{16}\n/);
    expect(out).toMatch(/\ndigest [0-9a-f]{64}\nCopied and verified: both sides are equal\.\n$/);
    expect(err).toContain('documents: 2 ');
    expect(err).toContain('verify traces');
  });

  it('prints the whole output under --json', async () => {
    await fill();
    const target = join(directory, 'copy.db');
    const { code, out } = await run(source.file, target, '--json');
    const output = JSON.parse(out) as DbCopyOutput;
    expect({ code, ...output }).toMatchObject({ code: 0, target, verified: true, resumed: false });
    expect(output.tables.find(({ table }) => table === 'traces')).toMatchObject({ rows: 1 });
  });

  it('says which argument is wrong', async () => {
    await fill();
    const missing = join(directory, 'missing.db');
    expect(await run(missing, join(directory, 'copy.db'))).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/SOURCE: there is no gh-rag database in this place\n.*Check the path or the URL/),
    });
    expect(await run(source.file, source.file)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/TARGET: is the source itself, or a complete copy of it\n/),
    });
    expect(await run(source.file, 'ftp://host/x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('TARGET: a database has no URL that begins with ftp://'),
    });
    expect(await run(source.file)).toMatchObject({ code: 2, err: expect.stringMatching(/target/i) });
  });

  it('is interrupted by Ctrl-C, and says how to go on', async () => {
    await fill();
    host = new TestHost();
    const running = LocalCopy.run([source.file, join(directory, 'copy.db')], config);
    host.stderr.write = (text) => {
      host.err += text;
      if (text.includes('documents')) host.interrupt();
    };
    expect(await running).toBe(130);
    expect(host.err).toContain('stopped; everything up to the last batch is copied');
    expect(host.err).toContain('Run the same command again to go on from there.');
    expect(await run(source.file, join(directory, 'copy.db'))).toMatchObject({
      code: 0,
      out: expect.stringContaining('(went on with an earlier copy)'),
    });
  });
});

it('shows nothing of a location that a terminal would obey', () => {
  const output: DbCopyOutput = {
    source: 'a\u001B[2J.db',
    target: 'b\nc.db',
    resumed: false,
    copied: 0,
    tables: [],
    digest: '0',
    verified: true,
  };
  const text = renderDbCopy(output, terminalOf(new TestHost().environment, new TestHost().stdout));
  expect(text).not.toContain('\u001B');
  expect(text.split('\n')).toHaveLength(5);
});
