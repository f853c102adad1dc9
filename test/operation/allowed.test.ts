import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/core/failure.ts';
import type { Document } from '../../src/lib/corpus/document.ts';
import { storeBatch } from '../../src/lib/corpus/store.ts';
import { type Allowed, allowedBy } from '../../src/lib/engine/allow-list.ts';
import { change, type Database, type Query, query, type Rows } from '../../src/lib/engine/database.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { indexDocument } from '../../src/lib/indexing/index-document.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { operations } from '../../src/lib/operations.ts';
import { scanQuery } from '../../src/lib/retrieval/scan.ts';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { type Caller, codeOf, freshKey, github, MemoryWorld, refusal, sourcesOf } from '../feedback/memory.ts';
import { testDatabase } from '../support/database.ts';
import {
  type Asked,
  comment,
  diff,
  doc,
  inlineComment,
  issue,
  pull,
  release,
  review,
  wiki,
} from '../support/project.ts';

/** Everything of a repository that is not allowed holds this word: no answer may. */
const CANARY = 'canary';
const HIDDEN = 'canary/hidden';
const COMMIT = 'cd'.repeat(20);

/** One document of each type; all are found by `kettle`. */
function project(repo: string, word: string, links: string): Document[] {
  const people = { author: `${word}-author`, labels: [`${word}-label`], assignees: [`${word}-hands`] };
  const fields = { repo, ...people, milestone: `${word}-milestone`, url: `https://github.com/${repo}/x` };
  const title = `Kettle ${word}`;
  const body = `The kettle ${word} leaks${links}.`;
  return [
    issue(7, { ...fields, title, body }),
    pull(8, { ...fields, title, body, state: 'merged' }),
    comment(7, '71', { ...fields, body }),
    review(8, '81', { ...fields, body, state: 'approved' }),
    inlineComment(8, '82', { ...fields, body, path: `src/${word}.ts`, line: 4, commit: COMMIT }),
    release(`${word}-v1`, { ...fields, title, body }),
    doc(`docs/${word}.md`, { ...fields, body: `# ${title}\n\n${body}` }),
    wiki(`Kettle-${word}`, { ...fields, title, body }),
    diff('cd', `src/${word}.ts`, { ...fields, title, preface: title, body: `@@ -1 +1 @@\n-kettle\n+${word} leaks\n` }),
  ];
}

/** #2 and #9 lie on the graph behind the hidden repository alone: its texts name them, and nothing else does. */
const DOCUMENTS: readonly Document[] = [
  ...project('acme/app', 'plain', ''),
  issue(2, { title: 'Behind', body: 'Nothing.' }),
  issue(9, { title: 'Behind, too', body: 'Nothing.' }),
  // Enough for a model to learn from.
  issue(20, { title: 'Scheduler starves', body: 'Slow workers never wake; threads wait for the mutex.' }),
  issue(21, { title: 'A dialog hides', body: 'The modal covers its parent window.' }),
  issue(22, { title: 'Plumbing', body: 'Water leaks from the pipe into a puddle under the kettle.' }),
  issue(23, { title: 'Screens', body: 'A modal window waits for the scheduler.' }),
  ...project(HIDDEN, CANARY, ' as in acme/app#7, acme/app#2 and acme/app#9'),
];

/** Tables that hold something of repositories. */
const TABLES = /\b(?:documents|passage\w*|bodies|repos|edges|trace_sources|watermarks)\b/;
/**
 * Statements that read them and tell nothing of a repository: the number of requests that GitHub allows, and the embedders,
 * an endpoint where anything at all was embedded by it.
 */
const HARMLESS = /FROM watermarks WHERE surface = 'github:budget'|^SELECT id, name, .* FROM embedders e\n/;

/** Statements that were run over tables of repositories without the list among their arguments. */
const forgotten: string[] = [];

function watched(inner: Database, allowed: Allowed): Database {
  return {
    backend: inner.backend,
    location: inner.location,
    read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
      for (const { sql, args } of queries) {
        const keeps = allowed === 'all' || args.includes(allowed.json);
        if (!keeps && TABLES.test(sql) && !HARMLESS.test(sql)) forgotten.push(sql);
      }
      return inner.read(queries);
    },
    write: (steps, durability) => inner.write(steps, durability),
    close: () => inner.close(),
  };
}

/** What left for GitHub and for a model. */
const sent: string[] = [];
const live: Engine['github'] = {
  mayRead: () => Promise.resolve(true),
  file: (repo, path) => {
    sent.push(`${repo}:${path}`);
    return Promise.resolve(Buffer.from(`The kettle of ${repo}, live.`));
  },
  wiki: () => Promise.resolve('none'),
};
const reranker: Engine['reranker'] = {
  id: 'test',
  rerank: (_, texts) => {
    sent.push(...texts);
    return Promise.resolve(texts.map((_text, at) => -at));
  },
};

const LISTS: readonly [string, Allowed][] = [
  ['a repository', allowedBy(['acme/app'])],
  ['an owner, in other letters', allowedBy(['ACME/*', 'canary/hidden2'])],
  ['nothing', allowedBy([])],
];

let world: MemoryWorld;
const as = (user: number, allowed: Allowed, parts: Partial<Engine> = {}): Caller =>
  world.as(github(user), {
    embedder: 'lsa',
    github: live,
    ...parts,
    allowed,
    database: watched(world.test.database, allowed),
  });

/** An answer as text, or the refusal that came instead. */
async function told(caller: Caller, name: string, input: unknown): Promise<string> {
  const operation = operations.find((each) => each.name === name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  try {
    return JSON.stringify(await invoke(operation as never, caller.engine, input));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return JSON.stringify(['refused', error.code, error.message, error.hint]);
  }
}

async function make(test = testDatabase()): Promise<MemoryWorld> {
  const made = await MemoryWorld.of(DOCUMENTS, test);
  const mark = { owner: 'test', before: null, complete: true };
  const facts = new Map([[HIDDEN, { defaultBranch: `${CANARY}-branch`, headCommit: COMMIT }]]);
  for (const [source, value] of [
    [HIDDEN, '1'],
    ['export:canary', `{"repos":["acme/app","${HIDDEN}"]}`],
    ['export:plain', '{"repos":["acme/app"]}'],
  ] as const) {
    const watermark = { ...mark, source, surface: 'records', after: value };
    await storeBatch(test.database, indexDocument, { documents: [], facts, watermark, now: test.clock.now() });
  }
  return made;
}

/** What the caller had in hand before there was a list. */
interface Before {
  readonly answer: SearchOutput & { readonly trace_id: string };
  readonly hiddenIds: readonly string[];
  /** #2, which was reached through the hidden repository. */
  readonly behind: string;
  readonly key: string;
  readonly confirmationId: string;
  readonly cursor: string;
  readonly receiptCursor: string;
  readonly fetchTrace: string;
}
let before: Before;
let gold: string;

beforeAll(async () => {
  world = await make();
  const { engine } = as(1, 'all');
  await embedIndex(engine);
  const caller = as(1, 'all');
  const { trace_id: fetchTrace } = await caller.retrieve({ sources: [`${HIDDEN}:docs/canary.md`, 'acme/app#7'] });
  const answer = await caller.retrieve({ query: 'kettle leaks', graph_expand: true, graph_hops: 2, top_k: 50 });
  const hiddenIds = answer.results.flatMap(({ repo, source_id }) => (repo === HIDDEN ? (source_id ?? []) : []));
  const behind = sourcesOf(answer)('acme/app#2');
  await caller.useFully(answer.trace_id, behind, hiddenIds[0] ?? '');
  const key = freshKey();
  const fields = { idempotency_key: key };
  const { confirmation_id: confirmationId } = await caller.confirm(answer.trace_id, [behind], fields);
  await caller.reverse(await caller.confirm(answer.trace_id, [hiddenIds[0] ?? '']));
  const [cursor, receiptCursor] = await Promise.all(
    [{}, { trace_id: answer.trace_id }].map(
      async (of) => (await caller.history({ ...of, limit: 1 })).next_cursor ?? '',
    ),
  );
  if (cursor === undefined || receiptCursor === undefined) throw new Error('no pages');
  before = { answer, hiddenIds, behind, key, confirmationId, cursor, receiptCursor, fetchTrace };
  gold = join(world.test.file, '..', 'gold.jsonl');
  writeFileSync(gold, '{"query":"kettle","relevant":[{"number":7}]}\n');
});
afterAll(() => world.remove());

const KINDS: readonly [string, Asked][] = [
  ['words, and what they stand near to', { query: 'kettle leaks into a puddle', top_k: 50 }],
  ['words alone', { query: 'kettle leaks', fusion: 'sparse_only', top_k: 50 }],
  ['the relaxed tier', { query: 'kettle xylophone zeppelin', fusion: 'sparse_only', top_k: 50 }],
  ['the trigram index', { query: 'ettle', type: 'diff', fusion: 'sparse_only' }],
  ['vectors alone', { query: 'puddle in a window', fusion: 'dense_only', top_k: 50 }],
  [
    'vectors, with a filter that signatures do not know',
    { query: 'puddle in a window', fusion: 'dense_only', since: '9y', top_k: 50 },
  ],
  ['a time sort', { query: 'kettle', sort: 'created_desc', top_k: 50 }],
  ['a scan', { since: '9y', top_k: 50 }],
  ['a scan by the time of making', { since: '9y', sort: 'created_desc', top_k: 50 }],
  ['bodies', { query: 'kettle', type: ['doc', 'wiki_doc'], include_content: true }],
  ['the graph', { query: 'kettle', graph_expand: true, graph_hops: 2, top_k: 50 }],
  ['the graph, by what was learned', { query: 'kettle', graph_expand: true, use_memory: true, top_k: 50 }],
];

/** What was in hand before there was a list. */
const REMEMBERED: readonly [string, () => [string, unknown]][] = [
  ['status', () => ['status', {}]],
  ['the trace', () => ['memory_history', { trace_id: before.answer.trace_id, limit: 50 }]],
  [
    'its receipts by a cursor of before',
    () => ['memory_history', { trace_id: before.answer.trace_id, limit: 50, cursor: before.receiptCursor }],
  ],
  ['a trace of a fetch by reference', () => ['memory_history', { trace_id: before.fetchTrace }]],
  ['the nearest names', () => ['search', { query: 'kettle', repo: 'canari/hidden' }]],
  [
    'a confirmation sent again',
    () => [
      'record_outcome',
      {
        trace_id: before.answer.trace_id,
        idempotency_key: before.key,
        outcome: 'confirmed',
        source_ids: [before.behind],
        reason: 'It held.',
      },
    ],
  ],
];

describe('without a list', () => {
  it.each(KINDS)('%s: the hidden repository is in the answer', async (_, asked) => {
    expect(await told(as(2, 'all'), 'search', asked)).toContain(CANARY);
  });

  it.each(REMEMBERED)('%s: it is there as well', async (_, call) => {
    expect(await told(as(1, 'all'), ...call())).toContain(CANARY);
  });
});

describe.each(LISTS)('with a list of %s', (what, allowed) => {
  it.each(KINDS)('%s: nothing of another repository is in an answer', async (_, asked) => {
    sent.length = 0;
    const text = await told(as(2, allowed), 'search', asked);
    expect(text).not.toContain(CANARY);
    expect(sent.join('\n')).not.toContain(CANARY);
    expect(text).toContain(what === 'nothing' ? '"count":0,' : 'acme/app');
  });

  it.each(REMEMBERED)('%s: no word of it', async (_, call) => {
    expect(await told(as(1, allowed), ...call())).not.toContain(CANARY);
  });

  it('lists of traces stay whole, by cursors of before too', async () => {
    const [all, listed] = await Promise.all([as(1, 'all'), as(1, allowed)].map((caller) => caller.pages({ limit: 1 })));
    expect(JSON.stringify(listed)).toBe(JSON.stringify(all));
    expect(await told(as(1, allowed), 'memory_history', { cursor: before.cursor })).not.toContain('refused');
  });

  it('what is named is answered like what never was', async () => {
    const caller = as(2, allowed);
    const [hidden = ''] = before.hiddenIds;
    const never = `src_${'x'.repeat(43)}`;
    for (const [given, other] of [
      [hidden, never],
      [`${HIDDEN}#7`, 'no/such#7'],
      [`${HIDDEN}@${COMMIT.slice(0, 7)}:src/canary.ts`, `no/such@${COMMIT.slice(0, 7)}:src/canary.ts`],
      [`${HIDDEN}/wiki/Kettle-canary`, 'no/such/wiki/Kettle-canary'],
    ] as const) {
      const expected = await refusal(caller.search({ sources: [other] }));
      const { message, ...rest } = await refusal(caller.search({ sources: [given], include_content: true }));
      expect({ ...rest, message: message.replace(HIDDEN, 'no/such') }).toEqual(expected);
    }
    for (const filter of [
      { repo: HIDDEN },
      { author: 'canary-author' },
      { labels: 'canary-label' },
      { milestone: 'canary-milestone' },
      { assignee: 'canary-hands' },
      { path: 'docs/canary' },
    ]) {
      const { filters_unmatched, count } = await caller.search({ query: 'kettle', ...filter });
      expect({ filters_unmatched, count }).toEqual({ filters_unmatched: Object.keys(filter), count: 0 });
    }
    expect(await caller.search({ query: 'canary' })).toMatchObject({ count: 0, sparse_candidates: 0 });
    await expect(
      codeOf(invoke(operations.find(({ name }) => name === 'eval') as never, caller.engine, { gold, repo: HIDDEN })),
    ).resolves.toBe('not_found');
  });

  it('a source of it can be neither used nor confirmed', async () => {
    const caller = as(1, allowed);
    const { trace_id } = before.answer;
    const [, hidden = ''] = before.hiddenIds;
    expect(await codeOf(caller.use({ trace_id, uses: [{ source_id: hidden, stage: 'selected' }] }))).toBe(
      'unknown_source',
    );
    expect(await codeOf(caller.confirm(trace_id, [before.hiddenIds[0] ?? '']))).toBe('unknown_source');
  });
});

describe('with a list', () => {
  const allowed = allowedBy(['acme/app']);

  it('status tells of what is allowed as if there were nothing else', async () => {
    const text = await told(as(1, allowed), 'status', {});
    expect(JSON.parse(text)).toMatchObject({
      documents: 15,
      passages: 15,
      embedded: 15,
      repos: [{ repo: 'acme/app' }],
      watermarks: [{ source: 'export:plain' }],
    });
  });

  it('a walk neither ends at, nor leads through, nor begins at another repository', async () => {
    const asked = { query: 'kettle', graph_expand: true, graph_hops: 2, top_k: 50 } as const;
    const names = ({ graph_results }: SearchOutput) => graph_results.map(({ reference }) => reference);
    expect(names(await as(2, 'all').search(asked))).toEqual(expect.arrayContaining(['acme/app#2', 'acme/app#9']));
    expect(names(await as(2, allowed).search(asked))).not.toContain('acme/app#2');
  });

  it('a name in a text that may be read is no way either, indexed or not', async () => {
    const documents = [
      issue(1, {
        body: 'The needle: see vault/hidden#7, vault/none#1, https://github.com/vault/hidden/blob/main/docs/x.md, acme/lib#5 and #3.',
      }),
      issue(2, { body: 'As in vault/hidden#7.' }),
      issue(3, { body: 'Nothing.' }),
      issue(4, { body: 'As in vault/none#1 and https://github.com/vault/hidden/wiki/Home.' }),
      issue(5, { repo: 'acme/lib', body: 'Nothing.' }),
      issue(6, { repo: 'acme/lib', body: 'Compare #5.' }),
      issue(7, { repo: 'vault/hidden', body: 'Nothing.' }),
      doc('docs/x.md', { repo: 'vault/hidden', body: 'Compare acme/app#4.' }),
    ];
    const other = await MemoryWorld.of(documents);
    const walk = async (entries?: readonly string[]) => {
      const caller = other.as(github(1), { allowed: allowedBy(entries) });
      const answer = await caller.search({ query: 'needle', graph_expand: true, graph_hops: 2 });
      return answer.graph_results.map(({ reference, graph_path }) => [reference, JSON.stringify(graph_path)] as const);
    };
    const reached = async (entries?: readonly string[]) => (await walk(entries)).map(([reference]) => reference).sort();
    expect(await reached()).toEqual([
      ...['acme/app#2', 'acme/app#3', 'acme/app#4', 'acme/lib#5', 'acme/lib#6'],
      ...['vault/hidden#7', 'vault/hidden:docs/x.md'],
    ]);
    expect(await reached(['acme/*'])).toEqual(['acme/app#3', 'acme/lib#5', 'acme/lib#6']);
    expect(await reached(['acme/app'])).toEqual(['acme/app#3']);
    expect(JSON.stringify(await walk(['acme/*']))).not.toContain('vault');
    await other.remove();
  });

  it('time is looked up by the same index as without', async () => {
    const plan = async (list: Allowed): Promise<unknown[]> => {
      const { sql, args } = scanQuery({ since: 0 }, list, 'updated_at', { entities: 1, rows: 1 });
      const [rows] = await world.test.database.read([query(`EXPLAIN QUERY PLAN ${sql}`, args, (row) => row.detail)]);
      return rows.filter((detail) => String(detail).includes(' d '));
    };
    expect(await plan(allowed)).toEqual(await plan('all'));
    expect(String(await plan(allowed))).toContain('documents_by_time');
  });

  it('a path that was walked before credits nothing any more, and can be taken back unseen', async () => {
    const caller = as(1, allowed);
    const { trace_id } = before.answer;
    const receipt = await caller.confirm(trace_id, [before.behind]);
    expect(receipt).toMatchObject({ sources: [{ path: [] }], credits: [{ edge: null, reason: 'no_graph_path' }] });
    const reversed = await caller.reverse({ trace_id, confirmation_id: before.confirmationId });
    expect(reversed.reversals).toEqual([]);
    const { receipts } = await as(1, 'all').recall(trace_id);
    const confirmed = receipts.find(({ receipt_id }) => receipt_id === before.confirmationId);
    expect(confirmed).toMatchObject({ credits: [{ state: 'reversed' }] });
  });

  it('a rerank endpoint is given, and the coverage of an embeddings endpoint is told, of what is allowed alone', async () => {
    const embedder = { id: 'other', embed: () => Promise.resolve([new Float32Array([1, 0, 0, 0])]) };
    sent.length = 0;
    await as(2, allowed, { embedder: null, reranker }).search({ query: 'kettle leaks', top_k: 50 });
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.join('\n')).not.toContain(CANARY);
    // Two vectors of an endpoint, one of each repository: 14 of the 15 passages that are allowed have none.
    await world.test.database.write([
      change(
        "INSERT INTO embedders (name, kind, dimensions, trained_on, state) VALUES ('other', 'endpoint', 4, 0, 'ready')",
      ),
      change(`INSERT INTO passage_vectors (embedder_id, passage_id, vector)
        SELECT (SELECT id FROM embedders WHERE name = 'other'), p.id, vector8('[1,0,0,0]')
        FROM passages p WHERE p.document_id IN (SELECT min(id) FROM documents GROUP BY repo_id)`),
    ]);
    const { dense_problem } = await as(2, allowed, { embedder }).search({ query: 'kettle' });
    expect(dense_problem).toMatch(/^14 passages/);
  });

  it('eval judges by what is allowed', async () => {
    // Without a list two repositories may be meant.
    expect(await told(as(2, 'all'), 'eval', { gold })).toContain('names no repo');
    const text = await told(as(2, allowed), 'eval', { gold });
    expect(JSON.parse(text)).toMatchObject({ questions: 1, problems: [] });
  });
});

it('the list acts before any cut: of 260 better matches not one takes the place of what is allowed', async () => {
  const better = Array.from({ length: 260 }, (_, at) =>
    issue(at + 1, {
      repo: 'aaa/hidden',
      title: 'kettle',
      body: 'kettle kettle, acme/app#1',
      updatedAt: Date.UTC(2024, 4, 31),
    }),
  );
  const other = await MemoryWorld.of([
    ...better,
    issue(1, { title: 'One', body: 'Some words, and a kettle among them, that say little.' }),
    issue(2, { title: 'Two', body: 'As in #1.' }),
  ]);
  // The vectors of the hidden are the question's own.
  await other.test.database.write([
    change(
      "INSERT INTO embedders (name, kind, dimensions, trained_on, state) VALUES ('near', 'endpoint', 4, 0, 'ready')",
    ),
    change(`INSERT INTO passage_vectors (embedder_id, passage_id, vector)
      SELECT 1, p.id, vector8(CASE WHEN d.key GLOB 'aaa/*' THEN '[1,0,0,0]' ELSE '[0.8,-0.6,0,0]' END)
      FROM passages p JOIN documents d ON d.id = p.document_id`),
  ]);
  const embedder = { id: 'near', embed: () => Promise.resolve([new Float32Array([1, 0, 0, 0])]) };
  const caller = other.as(github(1), { embedder, allowed: allowedBy(['acme/*']) });
  const found = async (asked: Asked) => {
    const { results, graph_results } = await caller.search({ top_k: 1, ...asked });
    return [...results, ...graph_results].map(({ reference }) => reference);
  };
  expect(await found({ query: 'kettle', fusion: 'sparse_only' })).toEqual(['acme/app#1']);
  expect(await found({ query: 'kettle xylophone', fusion: 'sparse_only' })).toEqual(['acme/app#1']);
  expect(await found({ query: 'kettle', sort: 'updated_desc' })).toEqual(['acme/app#1']);
  expect(await found({ query: 'kettle', fusion: 'dense_only', top_k: 2 })).toEqual(['acme/app#1', 'acme/app#2']);
  expect(await found({ since: '9y', top_k: 2 })).toEqual(['acme/app#2', 'acme/app#1']);
  expect(await found({ sources: ['acme/app#1'], graph_expand: true })).toEqual(['acme/app#1', 'acme/app#2']);
  await other.remove();
});

it('every operation is looked at here, or is of the whole database, as docs/indexing.md says', () => {
  const here = ['search', 'status', 'memory_history', 'record_source_use', 'record_outcome', 'eval'];
  // test/ingest/allowed.test.ts
  const writing = ['index', 'backfill'];
  const whole = ['login', 'doctor', 'migrate', 'db_copy', 'schema_check'];
  expect(operations.map(({ name }) => name).sort()).toEqual([...here, ...writing, ...whole].sort());
});

it('no statement that reads tables of repositories was run without the list', () => {
  expect([...new Set(forgotten)]).toEqual([]);
});
