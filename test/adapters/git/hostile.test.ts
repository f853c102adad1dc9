import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { TestRepository, temporaryDirectory } from '../../support/repository.ts';
import { type History, historyOf, type Snapshot, snapshot } from './reading.ts';

interface Trap {
  readonly name: string;
  /** Makes the copy at `repository` hostile; running `canary` would leave a file. */
  readonly set: (repository: TestRepository, canary: string) => void;
  /** A git command that falls into the trap, to show that it is one: it runs the canary or prints other than before. */
  readonly springs?: readonly string[];
}

const config =
  (...settings: readonly [key: string, value: string][]): Trap['set'] =>
  (repository, canary) => {
    for (const [key, value] of settings) repository.git('config', key, value.replace('CANARY', canary));
  };

const attributes =
  (line: string, ...settings: readonly [key: string, value: string][]): Trap['set'] =>
  (repository, canary) => {
    config(...settings)(repository, canary);
    mkdirSync(join(repository.path, '.git/info'), { recursive: true });
    writeFileSync(join(repository.path, '.git/info/attributes'), `${line}\n`);
  };

const TRAPS: readonly Trap[] = [
  { name: 'diff.external', set: config(['diff.external', 'CANARY']), springs: ['diff', 'HEAD~3', 'HEAD'] },
  { name: 'textconv', set: attributes('* diff=x', ['diff.x.textconv', 'CANARY']), springs: ['log', '-p'] },
  {
    name: 'diff driver command',
    set: attributes('* diff=x', ['diff.x.command', 'CANARY']),
    springs: ['diff', 'HEAD~3'],
  },
  {
    name: 'funcname driver',
    set: attributes('* diff=x', ['diff.x.xfuncname', '^(line 1.*)$']),
    springs: ['log', '-p'],
  },
  { name: 'binary attribute', set: attributes('* -diff'), springs: ['log', '-p'] },
  { name: 'binary macro', set: attributes('* binary'), springs: ['log', '-p'] },
  { name: 'text attribute', set: attributes('*.bin diff'), springs: ['log', '-p'] },
  {
    name: 'filter',
    set: attributes(
      '* filter=x',
      ['filter.x.clean', 'CANARY'],
      ['filter.x.smudge', 'CANARY'],
      ['filter.x.process', 'CANARY'],
    ),
  },
  { name: 'core.fsmonitor', set: config(['core.fsmonitor', 'CANARY']), springs: ['status'] },
  {
    name: 'core.pager',
    set: config(['core.pager', 'CANARY'], ['pager.log', 'CANARY']),
  },
  { name: 'color.ui', set: config(['color.ui', 'always'], ['color.diff', 'always']), springs: ['log', '-p'] },
  { name: 'diff.noprefix', set: config(['diff.noprefix', 'true']), springs: ['log', '-p'] },
  { name: 'diff.mnemonicPrefix', set: config(['diff.mnemonicPrefix', 'true']), springs: ['diff', 'HEAD~3'] },
  { name: 'diff.context', set: config(['diff.context', '0'], ['diff.interHunkContext', '9']), springs: ['log', '-p'] },
  { name: 'diff.algorithm', set: config(['diff.algorithm', 'patience'], ['diff.indentHeuristic', 'false']) },
  { name: 'diff.renames', set: config(['diff.renames', 'false']), springs: ['log', '-p'] },
  { name: 'diff.suppressBlankEmpty', set: config(['diff.suppressBlankEmpty', 'true']), springs: ['log', '-p'] },
  { name: 'diff.ignoreSubmodules', set: config(['diff.ignoreSubmodules', 'all'], ['diff.submodule', 'log']) },
  { name: 'core.quotePath', set: config(['core.quotePath', 'false']), springs: ['log', '-p'] },
  { name: 'core.bigFileThreshold', set: config(['core.bigFileThreshold', '1']), springs: ['log', '-p'] },
  { name: 'core.abbrev', set: config(['core.abbrev', '4']), springs: ['log', '-p'] },
  {
    name: 'log.showSignature',
    set: config(['log.showSignature', 'true'], ['gpg.program', 'CANARY']),
    springs: ['log', '-p'],
  },
  {
    name: 'log.date',
    set: config(['log.date', 'relative'], ['log.decorate', 'full'], ['log.mailmap', 'true']),
    springs: ['log'],
  },
  { name: 'log.diffMerges', set: config(['log.diffMerges', 'first-parent']), springs: ['log', '-m', '-p'] },
  { name: 'format.pretty', set: config(['format.pretty', 'oneline']), springs: ['log'] },
  { name: 'i18n.logOutputEncoding', set: config(['i18n.logOutputEncoding', 'UTF-16']), springs: ['log'] },
  {
    name: 'core.sshCommand',
    set: config(['core.sshCommand', 'CANARY'], ['remote.origin.url', 'ssh://git@example.org/a/b']),
    springs: ['fetch', 'origin'],
  },
  { name: 'alias', set: config(['alias.rev-list', '!CANARY'], ['alias.canary', '!CANARY']), springs: ['canary'] },
  { name: 'core.worktree', set: config(['core.worktree', '/nonexistent']), springs: ['status'] },
  { name: 'core.bare', set: config(['core.bare', 'true']), springs: ['status'] },
  {
    name: 'core.hooksPath',
    set: (repository, canary) => {
      const hooks = join(repository.path, 'hooks');
      mkdirSync(hooks);
      for (const name of ['post-checkout', 'post-index-change', 'reference-transaction']) {
        writeFileSync(join(hooks, name), `#!/bin/sh\n${canary}\n`);
        chmodSync(join(hooks, name), 0o755);
      }
      repository.git('config', 'core.hooksPath', hooks);
    },
    springs: ['checkout', '--quiet', 'main'],
  },
  {
    name: 'include.path',
    set: (repository, canary) => {
      writeFileSync(join(repository.path, '.git/more'), `[diff]\n\texternal = ${canary}\n[core]\n\tabbrev = 4\n`);
      config(['include.path', 'more'], ['includeIf.gitdir:/.path', 'more'])(repository, canary);
    },
    springs: ['diff', 'HEAD~3', 'HEAD'],
  },
  {
    name: 'include.path of a pipe that never answers',
    set: (repository) => {
      execFileSync('mkfifo', [join(repository.path, '.git/pipe')]);
      appendFileSync(join(repository.path, '.git/config'), '[include]\n\tpath = pipe\n');
    },
  },
  {
    name: 'replacement of a commit and of a blob',
    set: (repository) => {
      repository.git('replace', 'HEAD:b.txt', 'HEAD:c.txt');
      repository.git('replace', 'HEAD', 'HEAD~2');
    },
    springs: ['log', '-p'],
  },
  {
    name: 'packed replacement',
    set: (repository) => {
      repository.git('replace', 'HEAD', 'HEAD~2');
      repository.git('pack-refs', '--all');
    },
    springs: ['log', '-p'],
  },
  {
    name: 'grafts',
    set: (repository) => {
      mkdirSync(join(repository.path, '.git/info'), { recursive: true });
      writeFileSync(join(repository.path, '.git/info/grafts'), `${repository.git('rev-parse', 'HEAD')}\n`);
    },
    springs: ['log', '-p'],
  },
  {
    name: 'attributes in the work tree',
    set: (repository) => {
      writeFileSync(join(repository.path, '.gitattributes'), '* -diff\n');
    },
    springs: ['log', '-p'],
  },
  {
    name: 'order file',
    set: (repository) => {
      writeFileSync(join(repository.path, 'order'), 'z*\n');
      repository.git('config', 'diff.orderFile', join(repository.path, 'order'));
    },
    springs: ['log', '-p'],
  },
];

let directory: string;
let clean: TestRepository;
let expected: Snapshot;
let expectedHistory: History;
let canary: string;
let sprung: string;
let copies = 0;

beforeAll(async () => {
  directory = temporaryDirectory();
  clean = TestRepository.init();
  const lines = Array.from({ length: 40 }, (_, number) => `line ${String(number)}`);
  const text = (changed: string): string => lines.map((line, at) => (at % 12 === 5 ? changed : line)).join('\n');
  clean.commit('first\n', {
    'a.txt': text('one'),
    'b.txt': 'b\n\nb\n',
    'z.txt': 'z\n',
    'x.bin': Buffer.from('a\0b\n'),
  });
  clean.commit('second\n', {
    'a.txt': text('two'),
    'b.txt': 'b\n\nc\n',
    'z.txt': 'y\n',
    'x.bin': Buffer.from('a\0c\n'),
  });
  clean.git('checkout', '--quiet', '-b', 'side');
  clean.commit('side\n', { 'b.txt': 'side\n', 'é\t.txt': 'é\n' });
  clean.git('checkout', '--quiet', 'main');
  clean.commit('renamed\n', { 'a.txt': null, 'c.txt': text('three'), 'b.txt': 'main\n' });
  clean.git('merge', '--quiet', '--no-commit', '-s', 'ours', 'side');
  clean.commit('merged\n', { 'b.txt': 'both\n' });
  clean.git('reset', '--quiet', '--soft', clean.object('commit', commitText('signed', SIGNATURE)));
  clean.git('tag', '--annotate', '--message=one', 'v1', 'HEAD~1');
  clean.git('tag', 'light');
  clean.git('repack', '-adq');
  expected = await snapshot(clean);
  expectedHistory = await historyOf(clean);
});

beforeEach(() => {
  sprung = join(directory, `sprung-${String((copies += 1))}`);
  canary = join(directory, `canary-${String(copies)}`);
  writeFileSync(canary, `#!/bin/sh\ntouch '${sprung}'\n`);
  chmodSync(canary, 0o755);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

afterAll(() => {
  clean.remove();
  rmSync(directory, { recursive: true, force: true });
});

const SIGNATURE = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n';

function commitText(message: string, header: string): string {
  const who = `Ada Example <ada@example.org> ${String(clean.now / 1000)} +0000`;
  const tree = clean.git('rev-parse', 'HEAD^{tree}');
  return `tree ${tree}\nparent ${clean.git('rev-parse', 'HEAD')}\nauthor ${who}\ncommitter ${who}\n${header}\n${message}\n`;
}

function copyOfClean(): TestRepository {
  const path = join(directory, `copy-${String(copies)}`);
  cpSync(clean.path, path, { recursive: true });
  return new TestRepository(path);
}

const printed = new Map<string, string>();

/** What a command prints in the clean repository. */
function usual(args: readonly string[]): string {
  const output = printed.get(args.join(' ')) ?? attempt(clean, args);
  printed.set(args.join(' '), output);
  return output;
}

/** What a command prints; its failure counts as other output. */
function attempt(repository: TestRepository, args: readonly string[], env: Record<string, string> = {}): string {
  try {
    return repository.gitWith({ env }, ...args);
  } catch {
    return 'failed';
  }
}

describe('a hostile repository', () => {
  it('is compared with something that has a history', () => {
    expect(expected.commits.map((commit) => commit.message)).toEqual([
      'signed\n',
      'merged\n',
      'renamed\n',
      'side\n',
      'second\n',
      'first\n',
    ]);
    expect(expected.commits[1]?.files.map((file) => file.path)).toEqual(['b.txt']);
    expect(expected.tags.map((tag) => tag.name)).toEqual(['light', 'v1']);
  });

  it.each(TRAPS)('neither runs nor changes anything: $name', async ({ set, springs }) => {
    const copy = copyOfClean();
    set(copy, canary);
    if (springs !== undefined) {
      const before = usual(springs);
      const after = attempt(copy, springs);
      expect(existsSync(sprung) || before !== after).toBe(true);
      rmSync(sprung, { force: true });
    }
    rmSync(sprung, { force: true });
    expect(await historyOf(copy)).toEqual(expectedHistory);
    expect(existsSync(sprung)).toBe(false);
  });

  it('changes nothing else that can be read, with several of these together', async () => {
    const names = [
      'diff.external',
      'textconv',
      'color.ui',
      'core.abbrev',
      'log.showSignature',
      'packed replacement',
      'grafts',
    ];
    const chosen = TRAPS.filter((trap) => names.includes(trap.name));
    expect(chosen).toHaveLength(names.length);
    const copy = copyOfClean();
    for (const { set } of chosen) set(copy, canary);
    rmSync(sprung, { force: true });
    expect(await snapshot(copy)).toEqual(expected);
    expect(existsSync(sprung)).toBe(false);
  });

  it('leaves no trace in it', async () => {
    const copy = copyOfClean();
    const listing = (): string => execFileSync('find', [copy.path, '-printf', '%p %s %T@ %l\n']).toString();
    const before = listing();
    await snapshot(copy);
    expect(listing()).toBe(before);
  });

  it.runIf(process.getuid?.() === 0)('may belong to another user', async () => {
    const copy = copyOfClean();
    execFileSync('chown', ['-R', '12345', copy.path]);
    expect(attempt(copy, ['log'])).toBe('failed');
    expect(await historyOf(copy)).toEqual(expectedHistory);
  });
});

describe('a hostile environment', () => {
  const variables: [string, Record<string, string>, readonly string[]][] = [
    ['GIT_DIR', { GIT_DIR: '/nonexistent' }, ['log']],
    ['GIT_INDEX_FILE', { GIT_INDEX_FILE: '/nonexistent', GIT_WORK_TREE: '/nonexistent' }, ['status']],
    ['GIT_OBJECT_DIRECTORY', { GIT_OBJECT_DIRECTORY: '/nonexistent' }, ['log']],
    ['GIT_COMMON_DIR', { GIT_COMMON_DIR: '/nonexistent' }, ['log']],
    ['GIT_NAMESPACE', { GIT_NAMESPACE: 'x', GIT_CEILING_DIRECTORIES: '/' }, []],
    ['GIT_EXTERNAL_DIFF', { GIT_EXTERNAL_DIFF: 'CANARY' }, ['diff', 'HEAD~3', 'HEAD']],
    ['GIT_PAGER', { GIT_PAGER: 'CANARY', PAGER: 'CANARY' }, []],
    ['GIT_DIFF_OPTS', { GIT_DIFF_OPTS: '-u0' }, ['log', '-p']],
    [
      'GIT_CONFIG_COUNT',
      { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'diff.external', GIT_CONFIG_VALUE_0: 'CANARY' },
      ['diff', 'HEAD~3', 'HEAD'],
    ],
    ['GIT_CONFIG_PARAMETERS', { GIT_CONFIG_PARAMETERS: "'diff.noprefix'='true'" }, ['log', '-p']],
    ['GIT_SHALLOW_FILE', { GIT_SHALLOW_FILE: 'SHALLOW' }, ['log']],
    ['GIT_GRAFT_FILE', { GIT_GRAFT_FILE: 'SHALLOW' }, ['log']],
    ['GIT_LITERAL_PATHSPECS', { GIT_ICASE_PATHSPECS: '1', GIT_GLOB_PATHSPECS: '1' }, []],
    ['GIT_TRACE', { GIT_TRACE: '1', GIT_TRACE2_EVENT: '1' }, []],
  ];

  it.each(variables)('neither runs nor changes anything: %s', async (_, env, springs) => {
    const shallow = join(directory, 'shallow');
    writeFileSync(shallow, `${clean.git('rev-parse', 'HEAD')}\n`);
    const entries = Object.entries(env).map(
      ([name, value]) => [name, value.replace('CANARY', canary).replace('SHALLOW', shallow)] as const,
    );
    if (springs.length > 0) {
      const after = attempt(clean, springs, Object.fromEntries(entries));
      expect(existsSync(sprung) || usual(springs) !== after).toBe(true);
      rmSync(sprung, { force: true });
    }
    for (const [name, value] of entries) vi.stubEnv(name, value);
    expect(await historyOf(clean)).toEqual(expectedHistory);
    expect(existsSync(sprung)).toBe(false);
  });

  it('does not read the configuration of the user', async () => {
    const home = join(directory, 'home');
    mkdirSync(join(home, 'git'), { recursive: true });
    writeFileSync(join(home, 'git/attributes'), '* -diff\n');
    for (const path of ['.gitconfig', 'git/config']) {
      writeFileSync(join(home, path), `[diff]\n\texternal = ${canary}\n\tnoprefix = true\n[core]\n\tabbrev = 4\n`);
    }
    vi.stubEnv('HOME', home);
    vi.stubEnv('XDG_CONFIG_HOME', home);
    expect(await historyOf(clean)).toEqual(expectedHistory);
    expect(existsSync(sprung)).toBe(false);
  });
});
