// Measures the remote backend against a test server on this machine: requests counted at the server, wall time with a
// simulated latency, and an import. Prints figures; asserts nothing: machines differ.
//
//   node bench/remote.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { benchEngine } from './engine.mjs';
import { makeExport } from './make-export.mjs';
import { median, percentile, round } from './measure.mjs';
import { importSource } from './source.mjs';
import { prose, seeded } from './words.mjs';

const LATENCY_MS = 40;
const IMPORT_LATENCY_MS = 20;
const ROUNDS = 30;

const source = await importSource(
  'src/lib/adapters/entropy.ts',
  'src/lib/adapters/presence.ts',
  'src/lib/adapters/files.ts',
  'src/lib/adapters/git/git.ts',
  'src/lib/adapters/libsql/open-remote.ts',
  'src/lib/operation/invoke.ts',
  'src/lib/operations.ts',
  'src/lib/retrieval/search.ts',
  'src/lib/feedback/history.ts',
  'src/lib/feedback/outcome.ts',
  'src/lib/feedback/source-use.ts',
  'src/lib/admin/status.ts',
  'test/support/hrana/start.ts',
  'test/support/served-database.ts',
);
const { invoke, search, memoryHistory, recordOutcome, recordSourceUse, status } = source;
const clock = { now: () => Date.now() };
const migrations = fileURLToPath(new URL('../migrations', import.meta.url));
const say = (label, text) => process.stdout.write(`${label.padEnd(44)} ${text}\n`);

const directory = mkdtempSync(join(tmpdir(), 'gh-rag-bench-'));
const hrana = await source.startHrana();
const { database, schema } = source.openRemote({ server: source.serverOf(hrana), migrations, clock });
const step = { advance: () => undefined, end: () => undefined };
const engine = benchEngine(source, database, clock, {
  schema,
  principal: { kind: 'github', userId: 1 },
  files: source.fileSystem(),
  git: source.gitProcess(),
  progress: { start: () => step, note: () => undefined, end: () => undefined },
});

try {
  await schema.apply();
  await hrana.fault({ latencyMs: IMPORT_LATENCY_MS });
  await importing();
  await hrana.fault({ latencyMs: LATENCY_MS });
  await trips();
} finally {
  await database.close();
  await hrana.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function importing() {
  const file = join(directory, 'export.jsonl');
  await makeExport(file, { threads: 1430, comments: 6 });
  await hrana.reset();
  const start = performance.now();
  const { targets } = await invoke(source.index, engine, { targets: [file] });
  const ms = performance.now() - start;
  const written = targets.reduce((sum, target) => sum + target.written, 0);
  const requests = await hrana.requests();
  say(
    `import, ${IMPORT_LATENCY_MS} ms latency`,
    `${written} documents in ${round(ms)} ms: ${round((written / ms) * 1000)}/s, ${requests} requests`,
  );
}

async function trips() {
  const text = prose(seeded(7));
  const query = () => `${text.contentWord()} ${text.contentWord()}`;
  let answer;
  const calls = {
    search: async () => (answer = await invoke(search, engine, { query: query() })),
    'search, graph': () => invoke(search, engine, { query: query(), graph_expand: true, use_memory: true }),
    scan: () => invoke(search, engine, { since: '2000-01-01' }),
    use: (nth) =>
      invoke(recordSourceUse, engine, {
        trace_id: answer.trace_id,
        uses: usesOf(answer),
        idempotency_key: `use-${nth}`,
      }),
    confirm: (nth) =>
      invoke(recordOutcome, engine, {
        outcome: 'confirmed',
        trace_id: answer.trace_id,
        source_ids: [answer.results[0].source_id],
        reason: 'measured',
        idempotency_key: `confirm-${nth}`,
      }),
    history: () => invoke(memoryHistory, engine, {}),
    status: () => invoke(status, engine, {}),
  };
  const samples = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  const requests = Object.fromEntries(Object.keys(calls).map((name) => [name, 0]));
  for (let nth = 0; nth < ROUNDS; nth += 1) {
    for (const [name, call] of Object.entries(calls)) {
      await hrana.reset();
      const start = performance.now();
      await call(nth);
      samples[name].push(performance.now() - start);
      requests[name] = Math.max(requests[name], await hrana.requests());
    }
  }
  for (const [name, times] of Object.entries(samples)) {
    say(
      `${name}, ${LATENCY_MS} ms latency`,
      `at most ${requests[name]} requests, median ${round(median(times))} ms, p95 ${round(percentile(times, 0.95))} ms`,
    );
  }
}

function usesOf({ results }) {
  const { source_id } = results[0];
  return ['selected', 'validated', 'used'].map((stage) => ({ source_id, stage }));
}
