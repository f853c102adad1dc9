import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/lib/core/hash.ts';
import type { Provenance } from '../../src/lib/corpus/provenance.ts';
import { change } from '../../src/lib/engine/database.ts';
import { type Occurrence, recordTrace } from '../../src/lib/feedback/trace.ts';
import { comment, issue } from '../support/project.ts';
import { type Caller, codeOf, github, MemoryWorld, sourcesOf, THREADS } from './memory.ts';

/** What a retrieval leaves behind: feedback contract, sections 2 and 5. */

let world: MemoryWorld;
let ada: Caller;
beforeEach(async () => {
  world = await MemoryWorld.of(THREADS);
  ada = world.as(github(1));
});
afterEach(() => world.remove());

const damage = (sql: string) => world.test.database.write([change(sql)]);
const provenance = (identity: number): Provenance => ({
  repo: 'acme/app',
  type: 'issue',
  identity,
  version: 'v',
  content_source: 'index',
});

/** Records a retrieval that returned what is given. */
const record = (occurrences: readonly Occurrence[], text = '') =>
  recordTrace(
    ada.engine,
    github(1),
    { mode: 'search', query: 'kettle', request: { filters: {}, text }, settings: {}, occurrences },
    { revision: null, activations: [] },
  );

const TRACE_ID = /^trc_[A-Za-z0-9_-]{22}$/;

describe('every successful retrieval leaves a trace', () => {
  it('a search, with each row’s source, provenance and activation', async () => {
    const answer = await ada.search({ query: 'kettle', graph_expand: true });
    expect(answer).toMatchObject({
      trace_id: expect.stringMatching(TRACE_ID),
      timestamp: '2024-06-01T12:00:00.000Z',
      feedback_available: true,
      memory_recording: { status: 'complete', recorded_sources: 3, excluded_sources: 0 },
    });
    expect(answer).not.toHaveProperty('memory_error');
    const activation = { retrieved: 0.1, usage: 0, total: 0.1, updated_at: '2024-06-01T12:00:00.000Z' };
    for (const row of [...answer.results, ...answer.graph_results]) {
      expect(row).toMatchObject({
        source_id: expect.stringMatching(/^src_/),
        provenance: { repo: row.repo },
        activation,
      });
    }
    const saved = await ada.recall(String(answer.trace_id));
    expect(saved.memory_recording).toEqual(answer.memory_recording);
    expect(saved.sources.map((source) => source.source_id)).toEqual(
      [...answer.results, ...answer.graph_results].map((row) => row.source_id),
    );
  });

  it('one without a hit, which is complete and empty', async () => {
    const { trace_id, results, memory_recording } = await ada.retrieve({ query: 'zebra' });
    expect(results).toEqual([]);
    expect(memory_recording).toMatchObject({ status: 'complete', recorded_sources: 0, excluded_sources: 0 });
    const saved = await ada.recall(trace_id);
    expect(saved).toMatchObject({
      sources: [],
      receipts: [],
      request: { query: 'zebra' },
      settings: { mode: 'search' },
    });
    expect(await codeOf(ada.use({ trace_id, uses: [{ source_id: 'src_a', stage: 'selected' }] }))).toBe(
      'unknown_source',
    );
  });

  it('a scan, with its effective window', async () => {
    world.clock.ms = Date.UTC(2024, 0, 4);
    const { trace_id, results } = await ada.retrieve({});
    expect(results).toHaveLength(6);
    expect((await ada.recall(trace_id)).settings).toMatchObject({
      mode: 'scan',
      window: { since: '2023-12-28T00:00:00.000Z', until: '2024-01-04T00:00:00.001Z', truncated: false },
    });
    expect((await ada.history()).traces?.[0]).toMatchObject({ mode: 'scan', query: null, source_count: 6 });
  });

  it('a fetch of stored bodies, each distinct source once', async () => {
    const [source] = (await ada.search({ query: 'kettle' })).results;
    const asked = [String(source?.source_id), 'acme/app#2', 'acme/app#1'];
    const { trace_id, results } = await ada.retrieve({ sources: asked });
    expect(results.map((row) => row.activation?.retrieved)).toEqual([0.2, 0.1, 0.2]);
    const saved = await ada.recall(trace_id);
    expect(saved.request).toMatchObject({ query: null, sources: asked });
    expect(saved.sources.map(({ location, axis }) => [location, axis])).toEqual([
      ['results[0]', 'keyword'],
      ['results[1]', 'keyword'],
    ]);
    expect((await ada.history({ limit: 1 })).traces?.[0]).toMatchObject({
      mode: 'fetch',
      query: null,
      source_count: 2,
    });
  });

  it('and a failed one leaves none', async () => {
    await damage('ALTER TABLE bodies RENAME TO lost');
    await expect(ada.search({ sources: ['acme/app#1'] })).rejects.toThrow();
    expect((await ada.history()).traces).toEqual([]);
    expect(await codeOf(ada.search({ sources: ['acme/app#1000'] }))).toBe('unknown_source');
    expect((await ada.history()).traces).toEqual([]);
  });
});

describe('sources', () => {
  it('that are folded into a row are sources of the trace at their own place', async () => {
    await world.index([comment(1, '345', { body: 'The kettle is old.' })]);
    const { trace_id, results } = await ada.retrieve({ query: 'kettle' });
    const [other] = results[0]?.same_entity?.others ?? [];
    expect(other).toMatchObject({ source_id: expect.any(String), activation: { retrieved: 0.1 } });
    const saved = await ada.recall(trace_id);
    expect(saved.sources.map(({ source_id, location }) => [source_id, location])).toEqual([
      [results[0]?.source_id, 'results[0]'],
      [other?.source_id, 'results[0].same_entity.others[0]'],
    ]);
    const { uses } = await ada.useFully(trace_id, String(other?.source_id));
    expect(uses.at(-1)?.activation.usage).toBe(1.7);
  });

  it('that both axes return are saved once, at their first place, with the path that was travelled', async () => {
    const path = [
      { repo: 'acme/app', src_slug: '#1', dst_slug: '#2', edge_kind: 'closes', direction: 'backward' } as const,
    ];
    const occurrences: Occurrence[] = [
      { location: 'results[0]', axis: 'keyword', provenance: provenance(1) },
      { location: 'results[0].same_entity.others[0]', axis: 'keyword', provenance: provenance(2) },
      { location: 'graph_results[0]', axis: 'graph', provenance: provenance(1), path: null },
      { location: 'graph_results[1]', axis: 'graph', provenance: provenance(2), path },
      { location: 'graph_results[2]', axis: 'graph', provenance: provenance(3), path: null },
      { location: 'graph_results[3]', axis: 'graph', provenance: provenance(3), path },
    ];
    const { traceId } = await record(occurrences);
    const { sources } = await ada.recall(traceId);
    expect(sources.map(({ location, axis, path: saved }) => [location, axis, saved])).toEqual([
      ['results[0]', 'keyword', []],
      ['results[0].same_entity.others[0]', 'keyword', path],
      ['graph_results[2]', 'graph', path],
    ]);
  });

  it('whose text came live go by that text; when it was indexed is kept beside it and makes no other source', async () => {
    const live = (text: string, indexUpdatedAt: string): Occurrence => ({
      location: 'results[0]',
      axis: 'keyword',
      provenance: {
        repo: 'acme/app',
        type: 'doc',
        identity: 'docs/a.md',
        version: `sha256:${sha256Hex(text)}`,
        content_source: 'github_live',
      },
      indexUpdatedAt,
    });
    const [first, second, third] = [
      await record([live('As it is.', '2024-01-01T00:00:00.000Z')]),
      await record([live('As it is.', '2024-02-02T00:00:00.000Z')]),
      await record([live('As it is now.', '2024-02-02T00:00:00.000Z')]),
    ];
    const saved = await Promise.all([first, second, third].map(({ traceId }) => ada.recall(traceId)));
    const [a, b, c] = saved.flatMap(({ sources }) => sources);
    expect([a?.index_updated_at, b?.index_updated_at]).toEqual([
      '2024-01-01T00:00:00.000Z',
      '2024-02-02T00:00:00.000Z',
    ]);
    expect(b?.source_id).toBe(a?.source_id);
    expect(c?.source_id).not.toBe(a?.source_id);
    expect([b?.activation.retrieved, c?.activation.retrieved]).toEqual([0.2, 0.1]);
  });

  it('count once however often a trace returns them, and again with each trace', async () => {
    for (let n = 1; n <= 3; n += 1) {
      const { results } = await ada.search({ sources: ['acme/app#1', 'acme/app#1', 'acme/app#1'] });
      expect(new Set(results.map((row) => row.activation?.retrieved))).toEqual(new Set([[0.1, 0.2, 0.2 + 0.1][n - 1]]));
    }
  });

  it('of another version are other sources; of the same version the same, also in another database', async () => {
    const id = sourcesOf(await ada.threads());
    const twin = await MemoryWorld.of([...THREADS].reverse());
    const there = sourcesOf(await twin.as({ kind: 'local' }).threads());
    for (const thread of ['acme/app#1', 'acme/app#5', 'acme/lib#7']) expect(there(thread)).toBe(id(thread));
    await twin.index([
      issue(1, { body: 'The kettle leaks. See #2, #99 and acme/lib#7.', version: '2024-02-02T00:00:00Z' }),
    ]);
    const { results } = await twin.as({ kind: 'local' }).threads();
    expect(results[0]?.source_id).not.toBe(id('acme/app#1'));
    expect(results[0]?.activation?.retrieved).toBe(0.1);
    await twin.remove();
  });
});

describe('rows without a canonical identity', () => {
  it('come unchanged and in place, are no sources, and are counted by place', async () => {
    await world.index([
      comment(1, null, { body: 'The kettle is old.' }),
      comment(60, '0', { body: 'Another kettle.' }),
      comment(61, '77', { body: 'No kettle at all.' }),
    ]);
    const answer = await ada.retrieve({ query: 'kettle' });
    const rows = answer.results.flatMap((row, at) => [
      { row, location: `results[${String(at)}]` },
      ...(row.same_entity?.others ?? []).map((other, n) => ({
        row: other,
        location: `results[${String(at)}].same_entity.others[${String(n)}]`,
      })),
    ]);
    const unresolved = rows.filter(({ row }) => row.feedback_available === false);
    expect(rows).toHaveLength(4);
    expect(unresolved).toHaveLength(2);
    for (const { row } of unresolved) {
      expect(row).toMatchObject({ memory_exclusion_reason: 'canonical_identity_unavailable', url: expect.any(String) });
      for (const field of ['source_id', 'provenance', 'activation']) expect(row).not.toHaveProperty(field);
    }
    expect(answer.memory_recording).toEqual({
      status: 'partial',
      recorded_sources: 2,
      excluded_sources: 2,
      exclusions: unresolved.map(({ location }) => ({ location, reason: 'canonical_identity_unavailable' })),
      excluded_graph_paths: 0,
      graph_exclusions: [],
    });
    expect(answer.feedback_available).toBe(true);
    const saved = await ada.recall(answer.trace_id);
    expect(saved.memory_recording).toEqual(answer.memory_recording);
    expect(saved.sources).toHaveLength(2);
  });

  it('and no other leave no trace', async () => {
    await world.index([comment(60, null, { body: 'The samovar.' })]);
    const before = await world.dump();
    const answer = await ada.search({ query: 'samovar' });
    expect(answer.results).toHaveLength(1);
    expect(answer).toMatchObject({
      feedback_available: false,
      memory_unavailable: true,
      memory_error: 'all_sources_unresolved',
      memory_recording: { status: 'unresolved', recorded_sources: 0, excluded_sources: 1 },
    });
    for (const field of ['trace_id', 'timestamp']) expect(answer).not.toHaveProperty(field);
    expect(await world.dump()).toBe(before);
  });
});

describe('limits of a trace', () => {
  const rows = (count: number): Occurrence[] =>
    Array.from({ length: count }, (_, n) => ({
      location: `results[${String(n)}]`,
      axis: 'keyword',
      provenance: provenance(n + 1),
    }));

  it('are 300 sources', async () => {
    expect((await record(rows(300))).recording.recorded_sources).toBe(300);
    await expect(record(rows(301))).rejects.toThrow();
    expect((await ada.history()).traces).toHaveLength(1);
  });

  it('are 300,000 characters', async () => {
    await record([], 'x'.repeat(299_900));
    await expect(record([], 'x'.repeat(300_001))).rejects.toThrow();
    expect((await ada.history()).traces).toHaveLength(1);
  });
});
