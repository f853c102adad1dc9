import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const setup = resolve(import.meta.dirname, '../../scripts/setup.mjs');
const lock = {
  packages: {
    '': { name: 'small' },
    'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' },
    'node_modules/elsewhere': { version: '1.0.0', integrity: 'sha512-elsewhere', optional: true },
  },
};
const installed = { packages: { 'node_modules/one': lock.packages['node_modules/one'] } };

// Stand-ins for npm and the build: each appends a line to a file and leaves what the real one leaves.
const NPM = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('did', process.argv.slice(2, 4).join(' ') + '\\n');
mkdirSync('node_modules/one', { recursive: true });
writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify(installed))});`;
const BUILD = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('did', 'build\\n');
mkdirSync('dist', { recursive: true });
for (const path of ['dist/main.js', 'oclif.manifest.json']) writeFileSync(path, '');`;

describe('scripts/setup.mjs', () => {
  let folder = '';
  const write = (path: string, text: string): void => {
    mkdirSync(resolve(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
    // Long before any build, as in a clone made a while ago.
    utimesSync(join(folder, path), 1000, 1000);
  };
  const start = () =>
    spawnSync(process.execPath, [join(folder, 'scripts/setup.mjs')], {
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: join(folder, 'tools/npm-cli.js') },
    });
  /** Runs the script and says what it did. */
  const run = (): string[] => {
    rmSync(join(folder, 'did'), { force: true });
    const result = start();
    expect(result.stdout).toBe('');
    expect(result.status, result.stderr).toBe(0);
    const did = join(folder, 'did');
    return existsSync(did) ? readFileSync(did, 'utf8').trimEnd().split('\n') : [];
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gh-rag-setup-'));
    write('package.json', '{ "type": "module" }');
    write('package-lock.json', JSON.stringify(lock));
    write('tsconfig.json', '{}');
    write('src/main.ts', '');
    write('src/other.ts', '');
    write('tools/npm-cli.js', NPM);
    write('scripts/build.mjs', BUILD);
    copyFileSync(setup, join(folder, 'scripts/setup.mjs'));
    utimesSync(join(folder, 'src'), 1000, 1000);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('installs and builds a fresh clone once', () => {
    expect(run()).toEqual(['ci --include=dev', 'build']);
    expect(run()).toEqual([]);
  });

  it('installs again when a package has another version, is gone, or is not wanted', () => {
    run();
    const change = (packages: object): string[] => {
      writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
      return run();
    };
    const install = ['ci --include=dev'];
    expect(change({ 'node_modules/one': { version: '0.9.0', integrity: 'sha512-old' } })).toEqual(install);
    expect(change({})).toEqual(install);
    expect(change({ ...installed.packages, 'node_modules/two': { version: '1.0.0' } })).toEqual(install);
    rmSync(join(folder, 'node_modules/one'), { recursive: true });
    expect(run()).toEqual(install);
    expect(run()).toEqual([]);
  });

  it('builds again when a source was changed or deleted', () => {
    run();
    const later = Date.now() / 1000 + 10;
    utimesSync(join(folder, 'src/main.ts'), later, later);
    expect(run()).toEqual(['build']);
    utimesSync(join(folder, 'src/main.ts'), 1000, 1000);
    expect(run()).toEqual([]);
    rmSync(join(folder, 'src/other.ts'));
    expect(run()).toEqual(['build']);
  });

  it('says what failed and fails', () => {
    write('scripts/build.mjs', 'process.exit(3)');
    const result = start();
    expect(result.status).toBe(1);
    expect(result.stderr).toContain('Building failed: exit code 3');
  });
});
