// The first five minutes: indexes this repository's own history and the example export into a database of its own, and
// asks it one question. `npm run quickstart` installs and builds before.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join('bin', 'run.js');
const database = join(root, '.gh-rag', 'quickstart.db');
const question = 'why did we drop the v1 cache';
mkdirSync(dirname(database), { recursive: true });

if (isGitRepository()) {
  say(`This repository: its documentation and its history`);
  run('index', '.', ...slugFlag());
} else {
  say('This folder is no git repository (a downloaded archive?), so only the example is indexed.');
}
say('The example: an export of the invented project acme/app');
run('index', join('examples', 'acme-app.jsonl'));
say(`$ gh-rag search "${question}" -R acme/app`);
run('search', question, '-R', 'acme/app', '--top-k', '3');

process.stdout.write(`
Next, from this folder:

  export GH_RAG_DB="file:${database}"
  node bin/run.js search "PriceMismatchError" -R acme/app
  node bin/run.js search "rename config key" -R acme/app --type pull_request --type diff
  node bin/run.js show acme/app#7
  node bin/run.js eval examples/acme-app.gold.jsonl
  node bin/run.js index /path/to/another/repository
  node bin/run.js --help

"npm link" puts gh-rag on your PATH. README.md goes on from here.
`);

function run(...args) {
  const result = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, GH_RAG_DB: `file:${database}` },
  });
  if (result.status !== 0) {
    process.stderr.write(`quickstart: "gh-rag ${args.join(' ')}" ended with ${result.status ?? result.signal}\n`);
    process.exit(result.status ?? 1);
  }
}

function say(line) {
  process.stdout.write(`\n${line}\n`);
}

function isGitRepository() {
  return git('rev-parse', '--is-inside-work-tree') === 'true' && git('rev-parse', '--verify', 'HEAD') !== '';
}

/** A clone from elsewhere than GitHub has no owner/name of its own: it gets one here. */
function slugFlag() {
  return /github\.com[/:]/.test(git('config', '--get', 'remote.origin.url')) ? [] : ['--repo', 'local/gh-rag'];
}

function git(...args) {
  const result = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim() : '';
}
