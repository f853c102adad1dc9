// Measures what README and docs claim, on the built program, with data made here. Prints figures and ratios; asserts
// nothing: machines differ. `node bench/run.mjs [PART...]` runs only the named parts: index, cold, warm, vectors.
// GH_RAG_BENCH_EXPORT names a real export to index beside the made one.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import Libsql from 'libsql';
import { makeExport } from './make-export.mjs';
import { makeRepository } from './make-repository.mjs';
import { cleanEnvironment, inTurns, median, percentile, round, timed, withPeakMemory } from './measure.mjs';
import { prose, seeded } from './words.mjs';

const PROGRAM = fileURLToPath(new URL('../bin/run.js', import.meta.url));
const wanted = new Set(process.argv.slice(2));
const runs = (part) => wanted.size === 0 || wanted.has(part);
const directory = mkdtempSync(join(tmpdir(), 'gh-rag-bench-'));
const environment = (db) => cleanEnvironment({ GH_RAG_DB: db, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory });
const say = (label, text) => process.stdout.write(`${label.padEnd(34)} ${text}\n`);

try {
  const small = join(directory, 'small.db');
  const exported = join(directory, 'export.jsonl');
  await makeExport(exported, { threads: 1430, comments: 6 });
  if (runs('index')) {
    await index('export, 10k records', small, [exported]);
    const real = process.env.GH_RAG_BENCH_EXPORT;
    if (real !== undefined) await index('export named by environment', join(directory, 'real.db'), [real]);
    const repository = join(directory, 'repository');
    await makeRepository(repository, { commits: 5000 });
    await index('git, 5k commits', join(directory, 'git.db'), [repository, '--repo', 'bench/repository']);
  } else {
    timed(process.execPath, [PROGRAM, 'index', exported], environment(small));
  }
  if (runs('cold')) cold(small);
  if (runs('warm')) await warm('warm, 10k documents', small);
  if (runs('warm') || runs('vectors')) {
    const large = join(directory, 'large.db');
    await vectors(large);
    if (runs('warm')) await warm('warm, 100k passages', large);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Throughput and memory of a first run, and the time of a run without change. */
async function index(label, db, args) {
  const env = environment(db);
  const { ms, peak, output } = await withPeakMemory(process.execPath, [PROGRAM, 'index', ...args, '--json'], env);
  const written = JSON.parse(output).targets.reduce((sum, target) => sum + target.written, 0);
  const again = Array.from({ length: 5 }, () => timed(process.execPath, [PROGRAM, 'index', ...args], env));
  say(label, `${written} documents in ${round(ms)} ms: ${round((written / ms) * 1000)}/s, peak ${round(peak)} MB`);
  say(`${label}, no change`, `${round(median(again))} ms`);
}

/** A search from process start to exit, beside Node doing nothing. */
function cold(db) {
  const env = environment(db);
  const [searches, nothing] = inTurns(
    15,
    () => timed(process.execPath, [PROGRAM, 'search', 'why does the sync stall', '--all-repos'], env),
    () => timed(process.execPath, ['-e', '0'], env),
  );
  const ratio = round(median(searches) / median(nothing), 1);
  say(
    'cold search',
    `${round(median(searches))} ms (best ${round(Math.min(...searches))}); node -e 0: ${round(median(nothing))} ms; ratio ${ratio}`,
  );
}

/**
 * What latent semantics cost at 100k passages: training, vectors of all of it, and of what comes later, beside the same runs
 * without an embedder.
 */
async function vectors(db) {
  const first = join(directory, 'first.jsonl');
  await makeExport(first, { threads: 12_500, comments: 7, paragraphs: 1 });
  const index = (file, database, embedder) =>
    timed(process.execPath, [PROGRAM, 'index', file], { ...environment(database), GH_RAG_EMBEDDER: embedder });
  const records = index(first, db, 'none');
  const part = async (limit, cursor) => {
    const args = [
      'backfill',
      'embeddings',
      '--limit',
      String(limit),
      '--json',
      ...(cursor ? ['--cursor', cursor] : []),
    ];
    const { output, ...run } = await withPeakMemory(process.execPath, [PROGRAM, ...args], environment(db));
    return { ...JSON.parse(output), ...run };
  };
  // Nearly all of the first part is training.
  const trained = await part(1);
  let filled = { ms: 0, repaired: 0, next_cursor: trained.next_cursor };
  while (filled.next_cursor) {
    const { ms, repaired, next_cursor } = await part(100, filled.next_cursor);
    filled = { ms: filled.ms + ms, repaired: filled.repaired + repaired, next_cursor };
  }
  const rate = round((filled.repaired / filled.ms) * 1000);
  say('training, 100k passages', `${round(trained.ms / 1000, 1)} s, peak ${round(trained.peak)} MB`);
  say(
    'vectors, 100k passages',
    `${rate}/s; first import with them: ratio ${round((records + trained.ms + filled.ms) / records, 1)}`,
  );
  const later = join(directory, 'later.jsonl');
  await makeExport(later, { threads: 4000, comments: 7, paragraphs: 1, repo: 'bench/later', seed: 2 });
  const copied = (embedder) => () => {
    const copy = join(directory, `${embedder}.db`);
    cpSync(db, copy);
    return index(later, copy, embedder);
  };
  const [without, withVectors] = inTurns(3, copied('none'), copied('lsa')).map(median);
  const slower = round((1 - without / withVectors) * 100);
  say('32k records more', `${round(without)} ms; with vectors ${round(withVectors)} ms: throughput ${slower} % lower`);
}

/** Searches over MCP in one server, beside the bare FTS5 query of the same words. */
async function warm(label, db) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'serve', '--mcp'],
    env: environment(db),
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  const bare = new Libsql(db);
  const statement = bare.prepare(
    `SELECT rowid, bm25(passages_nat, 3.0, 2.0, 2.0, 1.0) AS s FROM passages_nat WHERE passages_nat MATCH ? ORDER BY s LIMIT 50`,
  );
  const text = prose(seeded(7));
  const queries = Array.from({ length: 600 }, (_, i) =>
    Array.from({ length: 1 + (i % 6) }, () => text.contentWord()).join(' '),
  );
  const ours = [];
  const theirs = [];
  for (const [i, query] of queries.entries()) {
    let start = performance.now();
    const answer = await client.callTool({ name: 'search', arguments: { query } });
    const mine = performance.now() - start;
    if (answer.isError) throw new Error(JSON.stringify(answer.structuredContent));
    start = performance.now();
    statement.all([
      query
        .split(' ')
        .map((word) => `"${word}"`)
        .join(' OR '),
    ]);
    const plain = performance.now() - start;
    // The first calls warm the server up.
    if (i < 200) continue;
    ours.push(mine);
    theirs.push(plain);
  }
  await client.close();
  bare.close();
  const ratio = round(median(ours) / median(theirs), 1);
  say(
    label,
    `p50 ${round(median(ours), 1)} ms, p95 ${round(percentile(ours, 0.95), 1)} ms; bare FTS5 OR p50 ${round(median(theirs), 1)} ms; ratio ${ratio}`,
  );
}
