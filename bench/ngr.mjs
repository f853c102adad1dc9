// Loads a benchmark of wiki pages with mention edges and gold queries, and prints how our edges differ from its own, where
// the expected pages stand in the results and on the graph axis, and whether the graph or learning changes any rank.
//
//   node bench/ngr.mjs FILE.json        FILE.gold.json lies beside it
//
// The texts of a fixture may be cut off, and state less than its edges say; so the queries are asked on our edges and then
// on its own. Prints ids, slugs and figures, never a text. It makes no claim about quality beyond what it shows.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { benchEngine } from './engine.mjs';
import { importSource } from './source.mjs';

const fixtureFile = process.argv[2];
if (fixtureFile === undefined) {
  process.stderr.write('Usage: node bench/ngr.mjs FILE.json\n');
  process.exit(2);
}
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const fixture = read(fixtureFile);
const { cases } = read(fixtureFile.replace(/\.json$/, '.gold.json'));

const source = await importSource(
  'src/lib/adapters/entropy.ts',
  'src/lib/adapters/presence.ts',
  'src/lib/adapters/libsql/open.ts',
  'src/lib/corpus/store.ts',
  'src/lib/engine/database.ts',
  'src/lib/feedback/outcome.ts',
  'src/lib/feedback/source-use.ts',
  'src/lib/indexing/edges.ts',
  'src/lib/indexing/index-document.ts',
  'src/lib/indexing/prose.ts',
  'src/lib/operation/invoke.ts',
  'src/lib/retrieval/search.ts',
  'test/support/documents.ts',
);
const { change, invoke, query, search } = source;
const say = (line = '') => process.stdout.write(`${line}\n`);

const directory = mkdtempSync(join(tmpdir(), 'gh-rag-ngr-'));
const clock = { now: () => Date.now() };
const migrations = fileURLToPath(new URL('../migrations', import.meta.url));
const { database } = source.openLocal({ file: join(directory, 'ngr.db'), migrations, clock });
const engine = benchEngine(source, database, clock);

const pages = new Map(fixture.nodes.map((node) => [node.node_id, pageOf(node)]));
const bySlug = new Map([...pages.values()].map((page) => [page.slug, page]));

const slugOf = (id) => pages.get(id)?.slug ?? id;
const pageName = (node) => node.replace(/^.*\/wiki\//, '');
const quoted = (slug) => slug.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** The slug as a whole token, as the rules of src/lib/indexing/edges.ts have it for scripts with spaces. */
const wholeToken = (slug) => new RegExp(`(?<![A-Za-z0-9_-])${quoted(slug)}(?![A-Za-z0-9_-])`);
const isLink = (slug) =>
  new RegExp(`(?:\\]\\(|\\]: ?|\\[\\[(?:[^\\]|]*\\|)?|/wiki/)<?(?:\\./)?${quoted(slug)}(?:[)#\\]>\\s]|$)`, 'm');

const SEEDS = [1, 3];
/** Where the fixture cuts texts. */
const LONGEST_TEXT = Math.max(...[...pages.values()].map((page) => page.length));
const ask = (text, input) => invoke(search, engine, { query: text, ...input });

try {
  await load();
  await compareEdges();
  say('\nOn our edges, found in the texts as they are given');
  await report(await ranks());
  await storeEdgesOfFixture();
  say('\nOn the edges of the fixture');
  const before = await ranks();
  await report(before);
  await learn();
  await repeat(before);
} finally {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
}

/** A page of the fixture: its text begins with its slug. */
function pageOf({ text, metadata: { repo, doc_path: slug, updated_at: updatedAt } }) {
  const body = text.startsWith(`${slug}\n`) ? text.slice(slug.length).trimStart() : text;
  return { repo, slug, body, length: text.length, updatedAt: Date.parse(updatedAt) };
}

async function load() {
  const documents = [...pages.values()].map(({ repo, slug, body, updatedAt }) =>
    source.testDocument({
      repo,
      type: 'wiki_doc',
      number: null,
      path: slug,
      title: slug,
      body,
      state: null,
      author: null,
      createdAt: updatedAt,
      updatedAt,
      version: new Date(updatedAt).toISOString(),
    }),
  );
  await source.storeBatch(database, source.indexDocument, {
    documents,
    edgesOf: source.edgesOf,
    now: Date.now(),
    watermark: { source: 'ngr', surface: 'wiki', before: null, after: '1', complete: true, owner: 'test' },
  });
  say(`pages ${pages.size}, gold queries ${cases.length}`);
}

/** Puts the edges of the fixture in the place of ours. */
async function storeEdgesOfFixture() {
  const rows = fixture.edges.map((edge) => {
    const [src, dst] = [edge.source_id, edge.target_id].map((id) => pages.get(id));
    return {
      key: `${src.repo}/wiki/${src.slug}`,
      src: `self:${src.repo}/wiki/${src.slug}`,
      dst: `self:${dst.repo}/wiki/${dst.slug}`,
    };
  });
  await database.write([
    change('DELETE FROM edges'),
    change(
      `INSERT INTO edges (document_id, src, stated, kind, dst)
       SELECT d.id, value ->> 'src', value ->> 'dst', 'mention', value ->> 'dst' FROM json_each(?)
       JOIN documents d ON d.key = value ->> 'key'`,
      [JSON.stringify(rows)],
    ),
  ]);
}

async function compareEdges() {
  const theirs = new Set(fixture.edges.map((edge) => `${slugOf(edge.source_id)} -> ${slugOf(edge.target_id)}`));
  const [rows] = await database.read([
    query('SELECT src, dst, kind FROM edges ORDER BY src, dst, kind', [], (row) => row),
  ]);
  const mentions = rows
    .filter((row) => row.kind === 'mention')
    .map((row) => ({ from: pageName(row.src), to: pageName(row.dst) }));
  const ours = new Set(mentions.filter(({ to }) => bySlug.has(to)).map(({ from, to }) => `${from} -> ${to}`));
  const dangling = mentions.filter(({ to }) => !bySlug.has(to));
  const common = [...ours].filter((edge) => theirs.has(edge));
  say(`\nmention edges: fixture ${theirs.size}, ours between its pages ${ours.size}, in common ${common.length}`);
  say(
    `ours beside: ${dangling.length} mentions of pages that the fixture does not hold, ${rows.length - mentions.length} of other kinds`,
  );
  say('\nonly in the fixture:');
  for (const edge of [...theirs].filter((each) => !ours.has(each)).sort())
    say(`  ${edge}: ${whyMissing(...edge.split(' -> '))}`);
  say('only ours:');
  for (const edge of [...ours].filter((each) => !theirs.has(each)).sort())
    say(`  ${edge}: ${whyFound(...edge.split(' -> '))}`);
}

/** The rule that keeps a mention of the fixture from being an edge here, found by looking at the text. */
function whyMissing(from, to) {
  const { body, length, updatedAt } = bySlug.get(from);
  if (!body.includes(to)) {
    if (length === LONGEST_TEXT) return `the slug does not occur in the text, which is cut off at ${length} characters`;
    const { updated_at } = fixture.edges.find(
      (edge) => slugOf(edge.source_id) === from && slugOf(edge.target_id) === to,
    ).metadata.source_record;
    const [text, edge] = [updatedAt, Date.parse(updated_at)].map((ms) => new Date(ms).toISOString().slice(0, 10));
    return `the slug does not occur in the text, which is whole, but of ${text}; the edge is of ${edge}`;
  }
  if (!wholeToken(to).test(body)) return 'the slug occurs only as part of a longer token';
  const { withInlineCode } = source.proseOf(body, { markdown: true, indentedCode: true, quotes: true });
  if (!withInlineCode.includes(to)) return 'the slug occurs only in fenced code, comments or tags, which never count';
  return 'the slug occurs only within an address or a link that leads elsewhere';
}

/** What states an edge that the fixture does not have. */
function whyFound(from, to) {
  const { body } = bySlug.get(from);
  const { withInlineCode } = source.proseOf(body, { markdown: true, indentedCode: true, quotes: true });
  const ways = [isLink(to).test(body) && 'a link', wholeToken(to).test(withInlineCode) && 'its slug as a whole token'];
  const at = withInlineCode.search(wholeToken(to));
  const where = at < 0 ? '' : ` (character ${at} of ${body.length})`;
  return `stated by ${ways.filter(Boolean).join(' and ') || 'a name that leads to it'}${where}`;
}

/** Answers to every gold query, as they bear on ranks; `use_memory` once with and once without. */
async function ranks() {
  const answers = new Map();
  for (const { id, query: text, expected_node_id: expected } of cases) {
    const wanted = slugOf(expected);
    const all = await ask(text, { top_k: 50 });
    const graph = [];
    for (const top_k of SEEDS) {
      for (const use_memory of [false, true]) {
        const plain = await ask(text, { top_k });
        const answer = await ask(text, { top_k, graph_expand: true, graph_hops: 2, use_memory });
        graph.push({
          top_k,
          use_memory,
          unchanged: bare(answer.results) === bare(plain.results),
          results: answer.results.map((row) => row.wiki_path),
          axis: answer.graph_results.map((row) => row.wiki_path),
          position: 1 + answer.graph_results.findIndex((row) => row.wiki_path === wanted),
          hop: answer.graph_results.find((row) => row.wiki_path === wanted)?.graph_hop,
        });
      }
    }
    answers.set(id, {
      wanted,
      rank: 1 + all.results.findIndex((row) => row.wiki_path === wanted),
      results: bare(all.results),
      graph,
    });
  }
  return answers;
}

/** Everything about rows but what the caller did with them. */
function bare(rows) {
  return JSON.stringify(rows, (key, value) => (key === 'activation' ? undefined : value));
}

async function report(answers) {
  const hops = await distances();
  say(
    'rank: place in results of all pages. axis: with 1 and 3 results as origins and 2 hops, the place on the graph axis,',
  );
  say('of how many, at which hop; "result" where the page is a result itself and so is not on the axis.');
  say(
    `\n${'query'.padEnd(34)}${'cohort'.padEnd(18)}${'rank'.padEnd(6)}${SEEDS.map((n) => `axis, top_k ${n}`.padEnd(22)).join('')}`,
  );
  for (const { id, cohort } of cases) {
    const { rank, wanted, graph } = answers.get(id);
    const cells = graph.filter((each) => !each.use_memory).map((each) => placeOf(each, wanted, hops).padEnd(22));
    say(`${id.padEnd(34)}${cohort.padEnd(18)}${String(rank || '-').padEnd(6)}${cells.join('')}`);
  }
}

function placeOf({ results, axis, position, hop }, wanted, hops) {
  if (results.includes(wanted)) return 'result';
  if (position > 0) return `${position} of ${axis.length}, hop ${hop}`;
  const near = Math.min(...results.map((from) => hops(from, wanted)));
  return near <= 2 ? `cut off, at hop ${near}` : 'not within 2 hops';
}

/** Hops between two pages over edges in either direction. */
async function distances() {
  const [rows] = await database.read([
    query('SELECT src, dst FROM edges', [], (row) => [pageName(row.src), pageName(row.dst)]),
  ]);
  const near = (from) => rows.flatMap(([src, dst]) => (src === from ? [dst] : dst === from ? [src] : []));
  return (from, to) =>
    near(from).includes(to) ? 1 : near(from).some((each) => near(each).includes(to)) ? 2 : Infinity;
}

/** Confirms each expected page that the graph axis shows, and once more what lies on the axis of a direct query. */
async function learn() {
  say('\nLearning: what was used and confirmed');
  for (const { id, cohort, query: text, expected_node_id: expected } of cases) {
    const answer = await ask(text, { top_k: 3, graph_expand: true, graph_hops: 2 });
    const wanted = slugOf(expected);
    const row = answer.graph_results.find((each) => cohort !== 'relation' || each.wiki_path === wanted);
    if (row === undefined) continue;
    const { source_id } = row;
    const uses = ['selected', 'validated', 'used'].map((stage) => ({ source_id, stage }));
    await invoke(source.recordSourceUse, engine, { trace_id: answer.trace_id, idempotency_key: `use-${id}`, uses });
    const receipt = await invoke(source.recordOutcome, engine, {
      trace_id: answer.trace_id,
      idempotency_key: `confirm-${id}`,
      outcome: 'confirmed',
      source_ids: [source_id],
      reason: 'The benchmark says so.',
    });
    const credits = receipt.credits.map(({ edge, applied_delta, reason }) =>
      edge === null ? reason : `${edge.src_slug} -> ${edge.dst_slug} +${applied_delta}`,
    );
    say(`  ${id}: ${row.wiki_path}: ${credits.join(', ')}`);
  }
}

async function repeat(before) {
  const after = await ranks();
  const same = (each) => before.get(each.id).results === after.get(each.id).results;
  const plain = (answers, id) => JSON.stringify(answers.get(id).graph.filter((each) => !each.use_memory));
  say(
    '\nAfterwards, by cohort: results unchanged by graph_expand and use_memory; by learning; graph axis without use_memory',
  );
  say('unchanged by learning; ranks of the expected pages');
  for (const cohort of [...new Set(cases.map((each) => each.cohort))]) {
    const those = cases.filter((each) => each.cohort === cohort);
    const count = (test) => `${those.filter(test).length}/${those.length}`;
    const byGraph = count(({ id }) =>
      [before, after].every((answers) => answers.get(id).graph.every((each) => each.unchanged)),
    );
    const bySelf = count(({ id }) => plain(before, id) === plain(after, id));
    say(
      `  ${cohort.padEnd(18)}${byGraph.padEnd(6)}${count(same).padEnd(6)}${bySelf.padEnd(6)}${those.map(({ id }) => after.get(id).rank || '-').join(' ')}`,
    );
  }
  say('\nPlace of the expected page on the graph axis (top_k 3, 2 hops), without and with use_memory, after learning');
  for (const { id } of cases.filter((each) => each.cohort === 'relation')) {
    const [plainly, learned] = [false, true].map((use) =>
      after.get(id).graph.find((each) => each.top_k === 3 && each.use_memory === use),
    );
    say(`  ${id.padEnd(34)}${plainly.position || '-'} ${learned.position || '-'}`);
  }
}
