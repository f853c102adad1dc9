// Bundles src/ into dist/ and writes oclif.manifest.json. Usage: node scripts/build.mjs
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Plugin } from '@oclif/core/config';
import { build as esbuild } from 'esbuild';

// Native, or loaded only by the command that needs it, or (typescript) asked for by oclif in its own development mode.
const EXTERNAL = ['libsql', 'octokit', '@modelcontextprotocol/sdk/*', 'typescript', 'pnpapi'];

// A CommonJS module has no import.meta.
const MODULE_URL = 'ghRagModuleUrl__';
const BANNER = `const ${MODULE_URL}=require('node:url').pathToFileURL(__filename).href;`;

/**
 * oclif's modules require all of each other at the top, up to the spinners and the globbing of plugin development. Puts
 * each require off until its binding is used, which is a seventh of the time of a cold search. Safe because compiled
 * TypeScript reaches an import only as `name_1.member`.
 */
const LAZY_OCLIF = {
  name: 'lazy-oclif',
  setup(bundler) {
    bundler.onLoad({ filter: /@oclif[\\/]core[\\/]lib[\\/].+\.js$/ }, async ({ path }) => ({
      contents: requireLazily(await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};

const TOP_LEVEL_REQUIRE = /^const (\w+_\d+) = ((?:__import(?:Default|Star)\()?require\((?:"[^"]+"|'[^']+')\)\)?);$/gm;

function requireLazily(source) {
  const names = [];
  const deferred = source.replace(TOP_LEVEL_REQUIRE, (_, name, load) => {
    names.push(name);
    return `let ${name}_loaded; const ${name}_load = () => (${name}_loaded ??= ${load});`;
  });
  return names.reduce((code, name) => code.replace(new RegExp(`\\b${name}\\.`, 'g'), `(${name}_load()).`), deferred);
}

/**
 * Builds the program whose package.json is in `root`. Equal sources give equal files on every machine. Throws for a
 * command without a summary or with fewer than two examples.
 */
export async function build(root) {
  const outfile = join(root, 'dist', 'main.cjs');
  const { outputFiles } = await esbuild({
    absWorkingDir: root,
    stdin: { contents: entryOf(root), resolveDir: root, sourcefile: 'entry.js' },
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    external: EXTERNAL,
    plugins: [LAZY_OCLIF],
    define: { 'import.meta.url': MODULE_URL },
    banner: { js: BANNER },
    logLevel: 'warning',
    write: false,
  });
  rmSync(dirname(outfile), { recursive: true, force: true });
  mkdirSync(dirname(outfile), { recursive: true });
  for (const { path, text } of outputFiles)
    writeFileSync(path, text.replaceAll(/\bimport\("/g, 'require("../bin/import.cjs")("'));
  // The one that was built before, in this process.
  Reflect.deleteProperty(createRequire(import.meta.url).cache, outfile);
  writeFileSync(join(root, 'oclif.manifest.json'), `${JSON.stringify(await manifestOf(root), null, 2)}\n`);
}

/**
 * One file, so that its compiled code can be kept (bin/load.cjs) and a start opens few files. A module is evaluated when
 * it is first asked for: a command loads what it imports.
 */
function entryOf(root) {
  const commands = filesUnder(join(root, 'src/commands'), /\.tsx?$/).map((path) => {
    const file = relative(root, path).split(sep).join('/');
    const id = file
      .replace(/^src\/commands\//, '')
      .replace(/(?:\/index)?\.tsx?$/, '')
      .replaceAll('/', ':');
    return `get ${JSON.stringify(id)}() { return require(${JSON.stringify(`./${file}`)}).default; }`;
  });
  return `export { main } from './src/lib/cli/main.ts';\nexport const COMMANDS = {\n${commands.join(',\n')}\n};\n`;
}

/** What oclif would otherwise find out at every start by loading every command. */
async function manifestOf(root) {
  const plugin = new Plugin({ root, isRoot: true, ignoreManifest: true, errorOnManifestCreate: true });
  await plugin.load();
  for (const [id, { summary, examples }] of Object.entries(plugin.manifest.commands)) {
    if (!summary) throw new Error(`the command ${id} has no summary`);
    if (!(examples?.length >= 2)) throw new Error(`the command ${id} has fewer than two examples`);
  }
  const manifest = JSON.parse(JSON.stringify(plugin.manifest), (_, value) => inOrder(value));
  if (JSON.stringify(manifest).includes(JSON.stringify(root).slice(1, -1))) {
    throw new Error('the manifest names a directory of this machine');
  }
  return manifest;
}

// Flags and args keep their order, which is that of the help; commands come as the file system lists them.
function inOrder(value) {
  if (typeof value !== 'object' || value === null || !('commands' in value)) return value;
  const commands = Object.entries(value.commands).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...value, commands: Object.fromEntries(commands) };
}

function filesUnder(directory, pattern) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => pattern.test(path) && statSync(path).isFile())
    .sort();
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await build(fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, ''));
}
