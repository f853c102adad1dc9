// Brings a clone to where the tests and the program can run: installs what package-lock.json says when node_modules is
// missing or differs, and builds when dist is missing or older than the sources. Does nothing when all is in place.
// Uses Node alone, since it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

requireNode([20, 12]);
if (!isInstalled()) {
  // Development packages too, whatever NODE_ENV or the npm configuration say: the build needs them.
  step('Installing packages (npm ci)', ...npm('ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'));
}
if (!isBuilt()) step('Building', process.execPath, ['scripts/build.mjs']);

/** Whether node_modules holds exactly what package-lock.json names; packages for other platforms may be absent. */
function isInstalled() {
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const wanted = packagesOf(join(root, 'package-lock.json')) ?? {};
  return (
    Object.entries(wanted).every(([path, entry]) => {
      const found = installed[path];
      if (path === '') return true;
      if (found === undefined) return entry.optional === true || entry.devOptional === true;
      return found.version === entry.version && found.integrity === entry.integrity && existsSync(join(root, path));
    }) && Object.keys(installed).every((path) => wanted[path] !== undefined)
  );
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Whether every file of the build is newer than every file it is made from. */
function isBuilt() {
  const products = ['dist', 'oclif.manifest.json'].map((path) => join(root, path));
  if (!products.every(existsSync)) return false;
  const sources = ['src', 'scripts/build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'];
  const made = products.flatMap((path) => [...files(path)]);
  const newestSource = Math.max(...sources.flatMap((path) => times(join(root, path))));
  return made.length > 1 && Math.min(...made.map((path) => statSync(path).mtimeMs)) > newestSource;
}

/** Times of a file, or of everything in a folder and of the folders themselves: a deletion changes only the folder. */
function times(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return [stat.mtimeMs];
  return [stat.mtimeMs, ...readdirSync(path).flatMap((name) => times(join(path, name)))];
}

function* files(path) {
  if (!statSync(path).isDirectory()) yield path;
  else for (const name of readdirSync(path)) yield* files(join(path, name));
}

/** The npm that runs this script, else the one on the PATH. */
function npm(...args) {
  const running = process.env.npm_execpath;
  if (running !== undefined && basename(running) === 'npm-cli.js') return [process.execPath, [running, ...args]];
  return ['npm', args];
}

function step(title, command, args) {
  process.stderr.write(`${title}…\n`);
  const started = performance.now();
  // stdout goes to stderr: the answer of whatever runs next is the only thing on stdout.
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (result.status !== 0) {
    process.stderr.write(
      `${title} failed: ${result.error?.message ?? `exit code ${result.status ?? result.signal}`}\n`,
    );
    process.exit(1);
  }
  process.stderr.write(`${title}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

function requireNode([major, minor]) {
  const [hasMajor, hasMinor] = process.versions.node.split('.').map(Number);
  if (hasMajor > major || (hasMajor === major && hasMinor >= minor)) return;
  process.stderr.write(`gh-rag needs Node ${major}.${minor} or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}
