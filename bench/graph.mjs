// Measures the graph axis and the feedback memory on an index made here: 10,000 documents with 50,000 edges, 10,000 past
// traces with credits, then 100,000 traces. Prints figures and ratios; asserts nothing: machines differ.
//
//   node bench/graph.mjs [DATABASE]      keeps the index in DATABASE and uses it again
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { benchEngine } from './engine.mjs';
import { median, percentile, round } from './measure.mjs';
import { importSource } from './source.mjs';
import { prose, seeded } from './words.mjs';

const DOCUMENTS = 10_000;
const REFERENCES = 5;
const CREDITED_TRACES = 10_000;
const TRACES = 100_000;
const ROUNDS = 200;
const REPO = 'bench/graph';

const source = await importSource(
  'src/lib/adapters/entropy.ts',
  'src/lib/adapters/presence.ts',
  'src/lib/adapters/libsql/open.ts',
  'src/lib/corpus/store.ts',
  'src/lib/engine/database.ts',
  'src/lib/feedback/history.ts',
  'src/lib/indexing/edges.ts',
  'src/lib/indexing/index-document.ts',
  'src/lib/operation/invoke.ts',
  'src/lib/retrieval/graph-query.ts',
  'src/lib/retrieval/search.ts',
  'test/support/documents.ts',
);
const { change, invoke, memoryHistory, query, search } = source;

const random = seeded(7);
const text = prose(random);
const clock = { now: () => Date.now() };
const say = (label, figures) => process.stdout.write(`${label.padEnd(44)} ${figures}\n`);

// On a busy machine the time of the processor tells more than that of the clock.
const figures = (samples) => {
  const of = (unit) => samples.map((sample) => sample[unit]);
  const [wall, cpu] = ['wall', 'cpu'].map((unit) => {
    const [middle, high] = [0.5, 0.95].map((share) => round(percentile(of(unit), share), 1));
    return `${unit} median ${middle} ms, p95 ${high} ms`;
  });
  return `${wall.padEnd(38)}${cpu.padEnd(37)}`;
};
const ratio = (samples, base) =>
  `x${round(median(samples.map((each) => each.cpu)) / median(base.map((each) => each.cpu)), 2)}`;

const strengths = new Map();
const kept = process.argv[2];
const directory = mkdtempSync(join(tmpdir(), 'gh-rag-bench-'));
const file = kept ?? join(directory, 'graph.db');
const made = !existsSync(file);
const migrations = fileURLToPath(new URL('../migrations', import.meta.url));
const { database } = source.openLocal({ file, migrations, clock });

try {
  if (made) await makeIndex();
  const [documents] = await column('SELECT count(*) AS value FROM documents');
  const [edges] = await column('SELECT count(*) AS value FROM edges');
  say('index', `${documents} documents, ${edges} edges`);
  await warmUp();
  if (made) await makeTraces(CREDITED_TRACES, 10);
  const [credits] = await column('SELECT count(*) AS value FROM credits');
  const [traces] = await column('SELECT count(*) AS value FROM traces');
  say('memory', `${traces} traces, ${credits} credits`);
  await measureSearch();
  await measureTrace();
  await measureHub();
  if (made) await makeTraces(TRACES - CREDITED_TRACES, 0);
  await measureHistory();
} finally {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
}

/** Documents that refer to each other, some of them much more often than others. */
async function makeIndex() {
  const size = 500;
  for (let first = 1; first <= DOCUMENTS; first += size) {
    const documents = Array.from({ length: size }, (_, at) => {
      const some = Array.from({ length: REFERENCES }, (__, nth) =>
        nth === 0 ? Math.floor(DOCUMENTS ** random()) : 1 + Math.floor(random() * DOCUMENTS),
      );
      const body = `${text.paragraphs(2, 4)}\n\nSee ${some.map((number) => `#${number}`).join(', ')}.`;
      return source.testDocument({ repo: REPO, number: first + at, title: text.sentence(7), body });
    });
    await source.storeBatch(database, source.indexDocument, {
      documents,
      edgesOf: source.edgesOf,
      now: Date.now(),
      watermark: { source: 'bench', surface: String(first), before: null, after: '1', complete: true, owner: 'test' },
    });
  }
}

/** Past retrievals of the local principal; `credited` edges a trace, most of them on few edges. */
async function makeTraces(count, credited) {
  const [principal] = await column('SELECT id AS value FROM principals');
  const edges = await column(
    `SELECT json_array(src, dst, kind) AS value FROM edges ORDER BY src, dst LIMIT ${DOCUMENTS * REFERENCES}`,
  );
  const recording = {
    status: 'complete',
    recorded_sources: 10,
    excluded_sources: 0,
    exclusions: [],
    excluded_graph_paths: 0,
    graph_exclusions: [],
  };
  const size = 1000;
  const [before] = await column('SELECT coalesce(max(seq), 0) AS value FROM traces');
  for (let first = 1; first <= count; first += size) {
    const at = Date.now() - (count - first) * 8_000;
    const rows = Array.from({ length: size }, (_, nth) => ({
      seq: before + first + nth,
      id: `trc_bench_${before + first + nth}`,
      at: at + nth * 8_000,
      request: { query: text.sentence(4), filters: { repo: REPO }, controls: { top_k: 10, graph_expand: true } },
      settings: { mode: 'search', window: {}, ranking: {}, axes: { keyword: 10, graph: 20 } },
    }));
    const credits = credited
      ? rows.map((row) => {
          const edge = edges[Math.floor(edges.length ** random()) - 1];
          const [src, dst, kind] = JSON.parse(edge);
          const [srcSlug, dstSlug] = [src, dst].map((node) => `#${node.split(':')[2]}`);
          return { ...row, src, dst, kind, srcSlug, dstSlug, delta: headroom(edge, row.at) };
        })
      : [];
    await database.write([
      change(
        `INSERT INTO traces (seq, trace_id, principal_id, created_at, mode, query, request, settings, recording, source_count)
         SELECT value ->> 'seq', value ->> 'id', ?, value ->> 'at', 'search', 'past', value ->> 'request', value ->> 'settings', ?, 10
         FROM json_each(?)`,
        [principal, JSON.stringify(recording), JSON.stringify(rows)],
      ),
      change(
        `INSERT INTO trace_sources (trace_seq, source_id, ordinal, provenance, location, axis, path)
         SELECT t.value ->> 'seq', d.source_id, d.id, json_object('repo', '${REPO}', 'type', d.type, 'identity', d.number,
           'version', d.version, 'content_source', 'index'), 'results[0]', 'keyword', '[]'
         FROM json_each(?) AS t CROSS JOIN documents d ON d.id BETWEEN 1 + (t.value ->> 'seq') % 9000 AND (t.value ->> 'seq') % 9000 + ?`,
        [JSON.stringify(rows), credited],
      ),
      change(
        `INSERT INTO credits (principal_id, repo, src_slug, dst_slug, edge_kind, src_node, dst_node, trace_seq, confirmation_id, delta, created_at)
         SELECT ?, ?, value ->> 'srcSlug', value ->> 'dstSlug', value ->> 'kind', value ->> 'src', value ->> 'dst',
           value ->> 'seq', 'rcp_' || (value ->> 'seq'), value ->> 'delta', value ->> 'at' FROM json_each(?)`,
        [principal, REPO, JSON.stringify(credits)],
      ),
    ]);
  }
}

/** What a confirmation at a time adds to an edge under the cap of 5. */
function headroom(edge, at) {
  const { strength = 0, since = at } = strengths.get(edge) ?? {};
  const left = strength * 0.5 ** ((at - since) / 3_600_000);
  const delta = Math.min(0.25, 5 - left);
  strengths.set(edge, { strength: left + delta, since: at });
  return delta;
}

async function column(sql) {
  const [rows] = await database.read([query(sql, [], (row) => row.value)]);
  return rows;
}

function engineOver(over, parts = {}) {
  return benchEngine(source, over, clock, parts);
}

/** One to six words that mean something. */
function question(nth) {
  return Array.from({ length: 1 + (nth % 6) }, () => text.contentWord()).join(' ');
}

async function warmUp() {
  for (let i = 0; i < 20; i += 1)
    await invoke(search, engineOver(database), { query: question(i), graph_expand: true });
}

/** Milliseconds of calls that are made in turns, so that all of them see the same noise. */
async function inTurns(rounds, calls) {
  const samples = calls.map(() => []);
  for (let i = 0; i < rounds; i += 1) {
    for (const [at, call] of calls.entries()) {
      const before = process.cpuUsage();
      const start = performance.now();
      await call(i);
      const wall = performance.now() - start;
      const { user, system } = process.cpuUsage(before);
      samples[at].push({ wall, cpu: (user + system) / 1000 });
    }
  }
  return samples;
}

async function measureSearch() {
  const asked = [
    ['search', {}],
    ['search, graph 1 hop', { graph_expand: true }],
    ['search, graph 2 hops', { graph_expand: true, graph_hops: 2 }],
    ['search, learned graph 1 hop', { graph_expand: true, use_memory: true }],
    ['search, learned graph 2 hops', { graph_expand: true, graph_hops: 2, use_memory: true }],
  ];
  const engine = engineOver(database);
  const questions = Array.from({ length: ROUNDS }, (_, nth) => question(nth));
  const samples = await inTurns(
    ROUNDS,
    asked.map(
      ([, input]) =>
        (i) =>
          invoke(search, engine, { query: questions[i], ...input }),
    ),
  );
  for (const [at, [label]] of asked.entries()) {
    say(label, figures(samples[at]) + ratio(samples[at], samples[0]));
  }
}

/** A search beside the same one whose trace is thrown away. */
async function measureTrace() {
  const forgetful = {
    backend: 'local',
    location: file,
    read: (queries) => database.read(queries),
    write: async () => ({ applied: true, changes: [] }),
  };
  const questions = Array.from({ length: ROUNDS }, (_, nth) => question(nth));
  const samples = await inTurns(ROUNDS, [
    (i) => invoke(search, engineOver(database), { query: questions[i] }),
    (i) => invoke(search, engineOver(forgetful), { query: questions[i] }),
  ]);
  const differences = samples[0].map(({ wall, cpu }, i) => ({
    wall: wall - samples[1][i].wall,
    cpu: cpu - samples[1][i].cpu,
  }));
  say('search with its trace', figures(samples[0]));
  say('the same without', figures(samples[1]));
  say('cost of a trace', figures(differences) + ratio(...samples));
}

/** The statement alone, from the nodes with the most edges. */
async function measureHub() {
  const nodes = await column('SELECT dst AS value FROM edges GROUP BY dst ORDER BY count(*) DESC, dst LIMIT 10');
  const of = (hops, candidates) => () =>
    database.read([
      source.stepsQuery(
        { nodes, diffs: [] },
        { hops, candidates, shown: 40 },
        { principal: { kind: 'local' }, now: Date.now() },
        'all',
      ),
    ]);
  const samples = await inTurns(50, [of(1, 40), of(2, 200)]);
  say('walk from the 10 busiest nodes, 1 hop', figures(samples[0]));
  say('walk from the 10 busiest nodes, 2 hops', figures(samples[1]));
}

async function measureHistory() {
  const [traces] = await column('SELECT count(*) AS value FROM traces');
  const engine = engineOver(database);
  let cursor;
  const page = async (input) => (await invoke(memoryHistory, engine, input)).next_cursor;
  for (let i = 0; i < 100; i += 1) cursor = await page({ limit: 50, ...(cursor && { cursor }) });
  const samples = await inTurns(ROUNDS, [
    () => page({ limit: 10 }),
    () => page({ limit: 50 }),
    () => page({ limit: 50, cursor }),
    (i) => page({ trace_id: `trc_bench_${1000 + i}` }),
  ]);
  say(`history of ${traces} traces, page of 10`, figures(samples[0]));
  say('page of 50', figures(samples[1]));
  say('page of 50, the hundredth', figures(samples[2]));
  say('one trace', figures(samples[3]));
}
