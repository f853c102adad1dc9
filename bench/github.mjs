// Measures indexing from GitHub against the fake server of the tests, in this process: requests and wall time of a first
// import and of a run without change, and when the first result could be found. Prints figures; asserts nothing.
//
//   node bench/github.mjs [THREADS] [COMMENTS]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { benchEngine } from './engine.mjs';
import { round } from './measure.mjs';
import { importSource } from './source.mjs';
import { prose, seeded } from './words.mjs';

const LATENCY_MS = 50;
const PAGE = 100;
const threads = Number(process.argv[2] ?? 5000);
const comments = Number(process.argv[3] ?? 20_000);

const source = await importSource(
  'src/lib/adapters/entropy.ts',
  'src/lib/adapters/presence.ts',
  'src/lib/adapters/files.ts',
  'src/lib/adapters/git/git.ts',
  'src/lib/adapters/libsql/open.ts',
  'src/lib/operation/invoke.ts',
  'src/lib/operations.ts',
  'src/lib/retrieval/search.ts',
  'test/support/github-index.ts',
  'test/support/github/start.ts',
);
const { invoke, index, search } = source;
const say = (label, text) => process.stdout.write(`${label.padEnd(34)} ${text}\n`);
const directory = mkdtempSync(join(tmpdir(), 'gh-rag-bench-'));
let stop = () => undefined;

/** The time of the project goes by the hour; that of the program is that of the machine. */
const past = { ms: Date.UTC(2024, 0, 1), now: () => past.ms };
const gh = await source.startGitHub({ onTestFinished: (run) => (stop = run) }, { clock: past });

try {
  const pulls = fill(gh.repository('bench/project'));
  gh.settings.latencyMs = LATENCY_MS;
  gh.limits.set('core', { limit: 1e6, remaining: 1e6 });
  gh.limits.set('graphql', { limit: 1e6, remaining: 1e6 });
  const { database } = source.openLocal({
    file: join(directory, 'index.db'),
    migrations: fileURLToPath(new URL('../migrations', import.meta.url)),
    clock: { now: () => Date.now() },
  });
  const step = { advance: () => undefined, end: () => undefined };
  const engine = benchEngine(
    source,
    database,
    { now: () => Date.now() },
    {
      files: source.fileSystem(),
      git: source.gitProcess(),
      progress: { start: () => step, note: () => undefined, end: () => undefined },
    },
  );
  const theoretical = Math.ceil(threads / PAGE) + Math.ceil(comments / PAGE) + Math.ceil(pulls / 25);
  say('project', `${threads} threads (${pulls} pull requests), ${comments} comments, ${LATENCY_MS} ms latency`);
  await run('first import', engine, theoretical);
  await run('the next run', engine);
  await run('a run without change', engine);
  await database.close();
} finally {
  await stop();
  rmSync(directory, { recursive: true, force: true });
}

async function run(label, engine, theoretical) {
  gh.forget();
  const start = performance.now();
  let first;
  const { database } = engine;
  const found = async () => {
    const [[{ n }]] = await database.read([
      { sql: 'SELECT count(*) AS n FROM passages', args: [], decode: (row) => row },
    ]);
    if (n === 0) return;
    const { results } = await invoke(search, engine, { query: 'the', repo: 'bench/project' });
    if (results.length > 0) first ??= performance.now() - start;
  };
  const watched = {
    backend: database.backend,
    location: database.location,
    read: (queries) => database.read(queries),
    write: async (...given) => {
      const outcome = await database.write(...given);
      if (theoretical !== undefined && first === undefined) await found();
      return outcome;
    },
  };
  const parts = { database: watched, source: source.sourceFor(gh, directory) };
  const { targets } = await invoke(index, { ...engine, ...parts }, { targets: ['bench/project'] });
  const ms = performance.now() - start;
  const api = gh.requests.filter(({ route }) => route !== 'git').length;
  const [{ written, unchanged, failures }] = targets;
  if (failures.length > 0) throw new Error(JSON.stringify(failures));
  const pages = theoretical === undefined ? '' : ` (${round(api / theoretical, 2)} x ${theoretical} theoretical pages)`;
  const when = first === undefined ? '' : `, first result after ${round(first)} ms`;
  say(
    label,
    `${api} requests${pages}, ${gh.requests.length - api} by git, ${round(ms)} ms, ${written} written, ${unchanged} unchanged${when}`,
  );
}

/** Issues and pull requests with comments, one an hour; gives the number of pull requests. */
function fill(project) {
  const random = seeded(3);
  const text = prose(random);
  let pulls = 0;
  project.push('Start', { 'README.md': '# Project\n' });
  for (let at = 1; at <= threads; at += 1) {
    past.ms += 3_600_000;
    const fields = { title: `The ${text.sentence(7)}`, body: text.paragraphs(2, 5) };
    if (at % 3 === 0) pulls += 1;
    const { number } = at % 3 === 0 ? project.threads.openPull(fields) : project.threads.openIssue(fields);
    const until = Math.floor((at * comments) / threads);
    for (let made = Math.floor(((at - 1) * comments) / threads); made < until; made += 1) {
      past.ms += 60_000;
      project.comments.add(number, text.paragraphs(1, 4), 'grace');
    }
    if (at % 9 === 0) project.reviews.submit(number, { body: text.sentence(9), state: 'APPROVED' });
  }
  past.ms += 3_600_000;
  return pulls;
}
