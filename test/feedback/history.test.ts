import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryHistory } from '../../src/lib/feedback/history.ts';
import { type Caller, codeOf, github, HOUR, MemoryWorld, refusal, sourcesOf, THREADS } from './memory.ts';

/** `memory_history`: feedback contract, sections 9 and 12. */

let world: MemoryWorld;
let ada: Caller;
beforeEach(async () => {
  world = await MemoryWorld.of(THREADS);
  ada = world.as(github(1));
});
afterEach(() => world.remove());

describe('the list of traces', () => {
  it('is empty for a caller who never searched', async () => {
    expect(await ada.history()).toEqual({ traces: [], next_cursor: null });
  });

  it('shows what was asked and what came of it', async () => {
    const { trace_id, memory_recording } = await ada.threads({ type: ['issue'], since: '2023-01-01', top_k: 3 });
    const { traces, next_cursor } = await ada.history();
    expect({ traces, next_cursor }).toEqual({
      traces: [
        {
          trace_id,
          timestamp: '2024-06-01T12:00:00.000Z',
          mode: 'search',
          query: 'kettle',
          filters: { type: ['issue'], since: '2023-01-01' },
          source_count: 6,
          used_count: 0,
          confirmation_count: 0,
          reversal_count: 0,
          memory_recording,
        },
      ],
      next_cursor: null,
    });
  });

  it('counts sources at stage used, confirmations and reversals', async () => {
    const answer = await ada.threads();
    const [two, three, four] = ['#2', '#3', '#4'].map((thread) => sourcesOf(answer)(`acme/app${thread}`));
    await ada.useFully(answer.trace_id, String(two), String(three));
    await ada.use({ trace_id: answer.trace_id, uses: [{ source_id: String(four), stage: 'selected' }] });
    const confirmation = await ada.confirm(answer.trace_id, [String(two)]);
    await ada.confirm(answer.trace_id, [String(three)]);
    await ada.reverse(confirmation);
    expect((await ada.history()).traces?.[0]).toMatchObject({
      used_count: 2,
      confirmation_count: 2,
      reversal_count: 1,
    });
  });

  it('is newest first by commit, not by clock, on pages of any size without gap or repetition', async () => {
    const made: string[] = [];
    for (let n = 0; n < 13; n += 1) {
      world.clock.ms += n % 3 === 0 ? -2 * HOUR : HOUR;
      made.unshift((await ada.threads()).trace_id);
      if (n % 4 === 0) await world.as(github(2)).threads();
    }
    for (const limit of [1, 2, 5, 12, 13, 14, 50]) {
      const read = await ada.pages({ limit });
      expect(read.flatMap(({ traces = [] }) => traces.map((trace) => trace.trace_id))).toEqual(made);
      expect(read).toHaveLength(Math.ceil(13 / limit));
    }
    expect((await ada.history()).traces).toHaveLength(10);
  });

  it('goes on where a page ended although new traces came meanwhile', async () => {
    const made: string[] = [];
    for (let n = 0; n < 4; n += 1) made.unshift((await ada.threads()).trace_id);
    const first = await ada.history({ limit: 2 });
    await ada.threads();
    const second = await ada.history({ limit: 2, cursor: String(first.next_cursor) });
    expect([first, second].flatMap(({ traces }) => traces?.map(({ trace_id }) => trace_id))).toEqual(made);
  });
});

describe('one trace', () => {
  it('shows request, settings, recording and each source with stage, activation and path', async () => {
    const answer = await ada.threads({ repo: ['acme/app'], graph_hops: 1 });
    const { trace_id, memory_recording } = answer;
    await ada.use({ trace_id, uses: [{ source_id: sourcesOf(answer)('acme/app#2'), stage: 'selected' }] });
    world.clock.ms += HOUR;
    const { trace, receipts, next_cursor, traces } = await ada.history({ trace_id });
    expect(trace).toMatchObject({
      trace_id,
      timestamp: '2024-06-01T12:00:00.000Z',
      request: {
        query: 'kettle',
        filters: { repo: ['acme/app'] },
        controls: { graph_expand: true, graph_hops: 1, use_memory: false, top_k: 10, sort: 'relevance', fusion: 'rrf' },
      },
      settings: {
        mode: 'search',
        window: { since: null, until: null, truncated: false },
        ranking: { fusion: 'rrf', sort: 'relevance', rerank_applied: true, embedder: null },
        axes: { keyword: 1, graph: 2 },
      },
      memory_recording,
    });
    const path = { repo: 'acme/app', src_slug: '#1', edge_kind: 'reference', direction: 'forward' };
    const at = '2024-06-01T13:00:00.000Z';
    expect(trace?.sources).toEqual([
      {
        source_id: answer.results[0]?.source_id,
        provenance: {
          repo: 'acme/app',
          type: 'issue',
          identity: 1,
          version: '2024-01-02T00:00:00Z',
          content_source: 'index',
        },
        location: 'results[0]',
        axis: 'keyword',
        stage: 'retrieved',
        activation: { retrieved: 0.05, usage: 0, total: 0.05, updated_at: at },
        path: [],
      },
      {
        source_id: answer.graph_results[0]?.source_id,
        provenance: answer.graph_results[0]?.provenance,
        location: 'graph_results[0]',
        axis: 'graph',
        stage: 'selected',
        activation: { retrieved: 0.05, usage: 0.1, total: 0.05 + 0.1, updated_at: at },
        path: [{ ...path, dst_slug: '#2' }],
      },
      {
        source_id: answer.graph_results[1]?.source_id,
        provenance: answer.graph_results[1]?.provenance,
        location: 'graph_results[1]',
        axis: 'graph',
        stage: 'retrieved',
        activation: { retrieved: 0.05, usage: 0, total: 0.05, updated_at: at },
        path: [{ ...path, dst_slug: 'acme/lib#7' }],
      },
    ]);
    expect(receipts).toHaveLength(1);
    expect({ next_cursor, traces }).toEqual({ next_cursor: null, traces: undefined });
  });

  it('pages its receipts oldest first, and shows the trace on each page', async () => {
    const { trace_id, results } = await ada.threads();
    const uses = [{ source_id: String(results[0]?.source_id), stage: 'selected' as const }];
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      world.clock.ms -= HOUR;
      made.push((await ada.use({ trace_id, uses })).receipt_id);
    }
    for (const limit of [1, 3, 6, 7, 8]) {
      const read = await ada.pages({ trace_id, limit });
      expect(read.map(({ trace }) => trace?.sources.length)).toEqual(read.map(() => 6));
      expect(read.map(({ receipts = [] }) => receipts.length <= limit)).toEqual(read.map(() => true));
      const receipts = read.flatMap((page) => page.receipts ?? []);
      expect(receipts.map(({ receipt_id }) => receipt_id)).toEqual(made);
    }
  });
});

describe('a cursor that is not of the listing is invalid_cursor', () => {
  it('of another principal, of another trace, of the other listing, or damaged', async () => {
    const grace = world.as(github(2));
    const cursors = async (caller: Caller) => {
      const traces = [await caller.threads(), await caller.threads()];
      const listed: string[] = [];
      for (const { trace_id, results } of traces) {
        const uses = [{ source_id: String(results[0]?.source_id), stage: 'selected' as const }];
        await caller.use({ trace_id, uses });
        await caller.use({ trace_id, uses });
        listed.push(String((await caller.history({ trace_id, limit: 1 })).next_cursor));
      }
      const traceIds = traces.map(({ trace_id }) => trace_id);
      return { traceIds, ofTraces: listed, ofList: String((await caller.history({ limit: 1 })).next_cursor) };
    };
    const [mine, hers] = [await cursors(ada), await cursors(grace)];
    const [first = '', second = ''] = mine.traceIds;
    const refused = [
      ada.history({ cursor: hers.ofList }),
      ada.history({ cursor: String(mine.ofTraces[0]) }),
      ada.history({ trace_id: first, cursor: mine.ofList }),
      ada.history({ trace_id: first, cursor: String(mine.ofTraces[1]) }),
      ada.history({ trace_id: first, cursor: String(hers.ofTraces[0]) }),
      ada.history({ cursor: mine.ofList.slice(0, -1) }),
      ada.history({ cursor: `${mine.ofList}A` }),
      ada.history({ cursor: mine.ofList.toLowerCase() }),
      ada.history({ cursor: '1' }),
      ada.history({ cursor: '\u0000' }),
    ];
    const said = await Promise.all(refused.map(refusal));
    expect(new Set(said.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(said[0]?.code).toBe('invalid_cursor');
    expect((await ada.history({ cursor: mine.ofList })).traces).toMatchObject([{ trace_id: first }]);
    expect((await ada.history({ trace_id: second, cursor: String(mine.ofTraces[1]) })).receipts).toHaveLength(1);
  });

  it('of the same caller in another database', async () => {
    const other = await MemoryWorld.of(THREADS);
    const twin = other.as(github(1));
    for (const caller of [ada, twin]) for (let n = 0; n < 2; n += 1) await caller.threads();
    const { next_cursor } = await twin.history({ limit: 1 });
    expect(await codeOf(ada.history({ cursor: String(next_cursor) }))).toBe('invalid_cursor');
    await other.remove();
  });
});

it.each<[object, string]>([
  [{ limit: 0 }, 'limit'],
  [{ limit: 51 }, 'limit'],
  [{ limit: 1.5 }, 'limit'],
  [{ trace_id: '' }, 'trace_id'],
  [{ cursor: '' }, 'cursor'],
  [{ user_id: 1 }, 'user_id'],
])('%j is invalid_input', async (input, field) => {
  expect(await refusal(ada.history(input))).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining(field),
  });
});

it('answers as its schema says, without any other field', async () => {
  const answer = await ada.threads();
  const id = sourcesOf(answer)('acme/app#3');
  await ada.useFully(answer.trace_id, id);
  await ada.reverse(await ada.confirm(answer.trace_id, [id]));
  for (const page of [await ada.history(), await ada.history({ trace_id: answer.trace_id })]) {
    expect(memoryHistory.output.parse(page)).toEqual(page);
  }
});
