import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { embedIndex } from '../../src/lib/indexing/embed-index.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { search } from '../../src/lib/retrieval/search.ts';
import { type SearchOutput, searchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { CountingDatabase } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';
import { type Asked, comment, diff, doc, issue, TestProject, wiki } from '../support/project.ts';

/** Threads in which one side says it one way and the other another way. */
const DOCUMENTS = [
  issue(1, { title: 'The kettle drips', body: 'A puddle under the kettle every morning.' }),
  comment(1, '11', { body: 'Water leaks from the spout.', author: 'grace' }),
  issue(2, { title: 'Scheduler starves', body: 'Slow workers never wake.', createdAt: Date.UTC(2023, 0, 1) }),
  comment(2, '21', { body: 'Threads wait for the mutex.', updatedAt: Date.UTC(2024, 3, 1) }),
  issue(3, { title: 'A dialog hides', body: 'The modal covers its parent window.' }),
  issue(4, { repo: 'acme/lib', title: 'Plumbing', body: 'Water leaks from the pipe into a puddle.' }),
  doc('docs/plumbing/pipes.md', { body: '# Pipes\n\nA puddle means that water leaks from the gasket.' }),
  doc('docs/screens.md', { body: '# Screens\n\nA modal covers the window.' }),
  wiki('Locks', { body: 'A mutex wakes threads in turn.' }),
  diff('a', 'src/spout.ts', {
    body: '@@ -1 +1 @@\n-const leaks = true;\n+const leaks = false;',
    preface: 'Seal the spout',
  }),
];

let project: TestProject;
let engine: Engine;
beforeAll(async () => {
  project = await TestProject.of(DOCUMENTS);
  engine = testEngine(project.test, { embedder: 'lsa' });
  await embedIndex(engine);
});
afterAll(() => project.test.remove());

const ask = async (asked: Asked, parts: Partial<Engine> = {}): Promise<SearchOutput> =>
  searchOutput.parse(await invoke(search, { ...engine, ...parts }, asked));
const referencesOf = ({ results }: SearchOutput): unknown[] =>
  results.flatMap(({ reference, same_entity }) => [reference, ...(same_entity?.others ?? []).map((o) => o.reference)]);

describe('the dense side', () => {
  test('finds what says it in other words', async () => {
    const asked = { query: 'dripping', type: 'issue_comment' } as const;
    expect(await ask({ ...asked, fusion: 'sparse_only' })).toMatchObject({ count: 0 });
    const { results, embedder, sparse_candidates, dense_candidates } = await ask(asked);
    expect(results[0]).toMatchObject({ reference: 'acme/app#1/comment/11', sparse_rank: null, sparse_score: null });
    expect(results[0]?.dense_rank).toBe(1);
    expect(results[0]?.dense_score).toBeGreaterThan(0.1);
    expect(results[0]?.dense_score).toBeLessThanOrEqual(1);
    expect(embedder).toMatch(/^lsa-/);
    expect(sparse_candidates).toBe(0);
    expect(dense_candidates).toBeGreaterThan(0);
  });

  test.each<[string, Asked, (row: SearchOutput['results'][number]) => boolean]>([
    ['repository', { repo: 'acme/lib' }, ({ repo }) => repo === 'acme/lib'],
    ['type', { type: ['doc', 'wiki_doc'] }, ({ type }) => type === 'doc' || type === 'wiki_doc'],
    ['author', { author: 'grace' }, ({ author }) => author === 'grace'],
    ['path', { path: 'docs/plumbing' }, ({ doc_path }) => doc_path === 'docs/plumbing/pipes.md'],
    ['time', { since: '2024-03-01' }, ({ reference }) => reference === 'acme/app#2/comment/21'],
  ])('lets through what the filter of a %s does', async (_, filter, passes) => {
    for (const query of ['puddle', 'mutex']) {
      const { results } = await ask({ query, fusion: 'dense_only', ...filter });
      expect(results.every(passes)).toBe(true);
    }
    const query = 'since' in filter ? 'mutex' : 'puddle';
    const { results, sparse_candidates } = await ask({ query, fusion: 'dense_only', ...filter });
    expect(results.length).toBeGreaterThan(0);
    expect(sparse_candidates).toBe(0);
  });

  test('is not asked where words alone are, and alone where they are not', async () => {
    const asked = { query: 'water leaks', rerank: false, top_k: 50 } as const;
    const [rrf, sparse, dense] = await Promise.all(
      (['rrf', 'sparse_only', 'dense_only'] as const).map((fusion) => ask({ ...asked, fusion })),
    );
    expect(sparse).toMatchObject({ dense_candidates: 0, embedder: null });
    expect(sparse).not.toHaveProperty('dense_problem');
    expect(dense?.sparse_candidates).toBe(0);
    for (const row of sparse?.results ?? []) expect(row).toMatchObject({ dense_rank: null, dense_score: null });
    for (const row of dense?.results ?? []) {
      expect(row).toMatchObject({ sparse_rank: null, sparse_score: null });
      expect(row.score).toBeCloseTo(1 / (60 + (row.dense_rank ?? 0)), 6);
    }
    const found = (answer: SearchOutput | undefined) => new Set(referencesOf(answer ?? ({ results: [] } as never)));
    expect(found(rrf)).toEqual(new Set([...found(sparse), ...found(dense)]));
    for (const { score, sparse_rank, dense_rank, rerank_score } of rrf?.results ?? []) {
      const share = (rank: number | null | undefined): number => (typeof rank === 'number' ? 1 / (60 + rank) : 0);
      expect(score).toBeCloseTo(share(sparse_rank) + share(dense_rank), 6);
      expect(rerank_score).toBeNull();
    }
    const scores = (rrf?.results ?? []).map(({ score }) => Number(score));
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  test('ranks from 1, best similarity first', async () => {
    const { results } = await ask({ query: 'water leaks', fusion: 'dense_only', rerank: false, top_k: 50 });
    const rows = results.map(({ dense_rank, dense_score }) => [Number(dense_rank), Number(dense_score)] as const);
    expect(rows[0]?.[0]).toBe(1);
    rows.forEach(([rank, score], at) => {
      if (at === 0) return;
      expect(rank).toBeGreaterThan(rows[at - 1]?.[0] ?? 0);
      expect(score).toBeLessThanOrEqual(rows[at - 1]?.[1] ?? 0);
    });
  });

  test('has no part in an order by time, but where it is all that is asked for', async () => {
    const byTime = await ask({ query: 'water leaks', sort: 'updated_desc' });
    expect(byTime).toMatchObject({ dense_candidates: 0, rerank_applied: false, embedder: null });
    const alone = await ask({
      query: 'dripping water in the kettle',
      sort: 'created_desc',
      fusion: 'dense_only',
      top_k: 50,
    });
    expect(alone.rerank_applied).toBe(false);
    expect(alone.results.length).toBeGreaterThan(1);
    const times = alone.results.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('finds nothing for words that nobody wrote, and says why', async () => {
    const dense_problem = 'no word of the question is one that the model of the index learned';
    for (const query of ['xyzzy', '?!', 'the of']) {
      const answer = await ask({ query, fusion: 'dense_only' });
      expect(answer).toMatchObject({ count: 0, dense_candidates: 0, embedder: null, dense_problem });
    }
    expect(await ask({ query: 'xyzzy' })).toMatchObject({ count: 0, embedder: null, dense_problem });
    // Reference and number are words of the full-text index alone, which answers: nothing is amiss.
    const answer = await ask({ query: 'docs/screens.md', type: 'doc' });
    const byWords = await ask({ query: '#4' });
    expect(byWords).toMatchObject({ embedder: null });
    expect(byWords.count).toBeGreaterThan(0);
    for (const each of [answer, byWords]) expect(each).not.toHaveProperty('dense_problem');
  });

  test('costs one more round trip than words alone, and writes nothing', async () => {
    const trips = async (parts: Partial<Engine>): Promise<readonly number[]> => {
      const database = new CountingDatabase(project.test.database);
      await ask({ query: 'water leaks' }, { ...parts, database });
      return [database.reads, database.writes];
    };
    expect(await trips({ embedder: null })).toEqual([2, 1]);
    expect(await trips({})).toEqual([3, 1]);
  });

  test('answers the same, byte for byte', async () => {
    const text = async (): Promise<string> => JSON.stringify((await ask({ query: 'water leaks', top_k: 50 })).results);
    const withoutMemory = (answer: string): string => answer.replace(/"activation":\{[^}]*\}/g, '');
    expect(withoutMemory(await text())).toBe(withoutMemory(await text()));
  });
});

describe('an index', () => {
  const asking = async (documents: Parameters<typeof TestProject.of>[0], asked: Asked): Promise<SearchOutput[]> => {
    const other = await TestProject.of(documents);
    try {
      const own = testEngine(other.test, { embedder: 'lsa' });
      const answers: SearchOutput[] = [];
      for (const embed of [false, true, true]) {
        if (embed) await embedIndex(own);
        answers.push(searchOutput.parse(await invoke(search, own, asked)));
      }
      return answers;
    } finally {
      await other.test.remove();
    }
  };
  const numbers = ({ results }: SearchOutput): unknown[] => results.map(({ number }) => number);

  test('without vectors answers by words, and says so', async () => {
    const [before, after] = await asking(DOCUMENTS, { query: 'kettle' });
    expect(before).toMatchObject({
      embedder: null,
      dense_candidates: 0,
      dense_problem: expect.stringMatching(/^the index has no vectors: .*gh-rag backfill embeddings/) as string,
    });
    expect(before?.results[0]).toMatchObject({ number: 1, dense_score: null });
    expect(after).not.toHaveProperty('dense_problem');
    expect(after?.results[0]?.number).toBe(1);
  });

  test.each<[string, Parameters<typeof TestProject.of>[0], string, readonly number[]]>([
    ['nothing', [], 'kettle', []],
    ['one document', [issue(1)], 'stalls', [1]],
    ['equal documents', [1, 2, 3].map((n) => issue(n)), 'stalls', [1, 2, 3]],
    ['function words', [1, 2, 3].map((n) => issue(n, { title: 'the', body: 'of the and' })), 'the of', [1, 2, 3]],
    [
      'equal documents and another',
      [...[4, 2, 3].map((n) => issue(n)), issue(9, { title: 'Kettle', body: 'Water' })],
      'stalls',
      [4, 2, 3],
    ],
  ])('of %s has a stable order', async (_, documents, query, expected) => {
    const answers = await asking(documents, { query });
    for (const answer of answers) expect(numbers(answer)).toEqual(expected);
  });

  const PAGES: readonly (readonly [string, string, string])[] = [
    ['キャッシュの無効化', '更新の後に古い値が残る場合は、鍵の版を上げて捨てる。', '更新した後も古い値が残る'],
    ['接続の再試行', '回線が切れたときは、待ち時間を倍にしながら繋ぎ直す。', '回線が切れた時に繋ぎ直す方法'],
    ['権限の確認', '書き込みの前に、利用者の役割を調べて拒否する。', '利用者の役割で書き込みを拒否'],
    ['缓存失效策略', '数据更新之后旧值仍然存在，需要提升键的版本。', '更新之后旧值仍存在怎么办'],
    ['断线重连机制', '网络中断时逐步加倍等待时间再重新连接。', '网络中断后如何重新连接'],
    ['权限检查流程', '写入之前检查用户角色并拒绝未授权的请求。', '拒绝未授权用户的写入请求'],
  ];

  test('of Japanese and Chinese pages finds each by a paraphrase', async () => {
    const pages = await TestProject.of(PAGES.map(([title, body]) => wiki(title, { body })));
    const own = testEngine(pages.test, { embedder: 'lsa' });
    await embedIndex(own);
    for (const [title, , query] of PAGES) {
      for (const fusion of ['rrf', 'dense_only'] as const) {
        const { results } = await invoke(search, own, { query, fusion });
        expect(results[0]?.wiki_path, `${query} (${fusion})`).toBe(title);
      }
    }
    await pages.test.remove();
  });
});
