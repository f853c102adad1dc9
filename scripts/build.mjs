// Bundles src/ into dist/ and writes oclif.manifest.json. Usage: node scripts/build.mjs
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Plugin } from '@oclif/core/config';
import { build as esbuild } from 'esbuild';

// Native, or loaded only by the command that needs it, or (typescript) asked for by oclif in its own development mode.
const EXTERNAL = [
  'libsql',
  '@modelcontextprotocol/sdk/*',
  'typescript',
  'pnpapi',
];

// CommonJS dependencies call require; an ES module has none. The alias keeps clear of every name in the bundle.
const BANNER =
  "import{createRequire as ghRagCreateRequire__}from'node:module';const require=ghRagCreateRequire__(import.meta.url);";

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
  const dist = join(root, 'dist');
  const { outputFiles } = await esbuild({
    absWorkingDir: root,
    entryPoints: [...filesUnder(join(root, 'src/commands'), /\.tsx?$/), join(root, 'src/lib/cli/main.ts')],
    outbase: join(root, 'src'),
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    external: EXTERNAL,
    plugins: [LAZY_OCLIF],
    banner: { js: BANNER },
    logLevel: 'warning',
    write: false,
  });
  const written = new Set(outputFiles.map(({ path }) => path));
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  for (const path of filesUnder(dist, /\.js$/)) if (!written.has(path)) rmSync(path);
  writeFileSync(join(root, 'oclif.manifest.json'), `${JSON.stringify(await manifestOf(root), null, 2)}\n`);
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
