import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryOutput } from '../../src/lib/feedback/history-contract.ts';
import type { ConfirmationReceipt, ReversalReceipt, SourceUseReceipt } from '../../src/lib/feedback/receipts.ts';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { call, EXAMPLE, Sandbox } from './sandbox.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2024, 5, 1, 12);

/**
 * A clock that a test sets by writing a file. It takes the place of the system's in the sources that the test builds; the
 * program that ships has no way to be told the time, as a test below shows.
 */
const TEST_CLOCK = `
  import { readFileSync } from 'node:fs';
  export const systemClock = { now: () => Number(readFileSync(process.env.TEST_CLOCK ?? '', 'utf8')) };
`;

/** Only a has the word of the query; c is reached over a -> b -> c. */
const CHAIN = [
  { type: 'issue', number: 1, title: 'The kettle leaks', body: 'It leaks since the change in #2.' },
  { type: 'issue', number: 2, title: 'Move the gasket', body: 'Decided in #3, measured since.' },
  { type: 'issue', number: 3, title: 'Which rubber', body: 'The red one.' },
].map((record) => ({
  ...record,
  state: 'open',
  author: 'ada',
  created_at: '2024-01-01T00:00:00Z',
  updated_at: '2024-01-01T00:00:00Z',
}));

let shipped: Sandbox;
let timed: Sandbox;
beforeAll(async () => {
  shipped = await Sandbox.build();
  timed = await Sandbox.build({ 'src/lib/adapters/clock.ts': TEST_CLOCK });
});
afterAll(() => {
  shipped.remove();
  timed.remove();
});

/** The timed program in a home of its own, with its clock. */
function withClock() {
  const sandbox = timed.another();
  const file = join(sandbox.home, 'clock');
  const env = { TEST_CLOCK: file };
  const set = (ms: number): void => {
    writeFileSync(file, String(ms));
  };
  set(START);
  return { sandbox, env, set };
}

/** The four tools, however they are called. */
interface Face {
  search(input: { use_memory?: boolean }): Promise<SearchOutput>;
  use(trace: string, source: string): Promise<SourceUseReceipt>;
  confirm(trace: string, source: string): Promise<ConfirmationReceipt>;
  correct(trace: string, confirmation: string): Promise<ReversalReceipt>;
}

function overCommands({ sandbox, env }: ReturnType<typeof withClock>): Face {
  const json = <Output>(...args: string[]) => sandbox.json<Output>(args, { env });
  return {
    search: ({ use_memory }) =>
      json(
        ...['search', 'kettle', '--fusion', 'sparse_only', '--graph-expand', '--graph-hops', '2'],
        ...(use_memory === true ? ['--use-memory'] : []),
      ),
    use: (trace, source) => json('use', trace, source, '--stage', 'used', '--through'),
    confirm: (trace, source) => json('confirm', trace, source, '--reason', 'it held'),
    correct: (_trace, confirmation) =>
      json('rollback', confirmation, '--outcome', 'corrected', '--reason', 'it did not'),
  };
}

function overTools(client: Client): Face {
  let keys = 0;
  const key = (): string => `key-${String((keys += 1))}`;
  return {
    search: (input) =>
      call(client, 'search', {
        query: 'kettle',
        fusion: 'sparse_only',
        graph_expand: true,
        graph_hops: 2,
        ...input,
      }),
    use: (trace_id, source_id) =>
      call(client, 'record_source_use', {
        trace_id,
        idempotency_key: key(),
        uses: ['selected', 'validated', 'used'].map((stage) => ({ source_id, stage })),
      }),
    confirm: (trace_id, source_id) =>
      call(client, 'record_outcome', {
        trace_id,
        idempotency_key: key(),
        outcome: 'confirmed',
        source_ids: [source_id],
        reason: 'it held',
      }),
    correct: (trace_id, confirmation_id) =>
      call(client, 'record_outcome', {
        trace_id,
        idempotency_key: key(),
        outcome: 'corrected',
        confirmation_id,
        reason: 'it did not',
      }),
  };
}

/** The worked example of the feedback contract, section 6. */
async function workedExample(face: Face, set: (ms: number) => void): Promise<void> {
  const confirmC = async () => {
    const { trace_id = '', graph_results } = await face.search({});
    expect(graph_results.map((row) => [row.reference, row.graph_hop])).toEqual([
      ['acme/app#2', 1],
      ['acme/app#3', 2],
    ]);
    const c = graph_results[1]?.source_id ?? '';
    const { uses } = await face.use(trace_id, c);
    expect(uses.map((use) => [use.stage, use.applied])).toEqual([
      ['selected', true],
      ['validated', true],
      ['used', true],
    ]);
    return face.confirm(trace_id, c);
  };
  const learned = async () =>
    (await face.search({ use_memory: true })).graph_results.map((row) => row.learned_strength);

  const first = await confirmC();
  expect(first.timestamp).toBe('2024-06-01T12:00:00.000Z');
  expect(
    first.credits.map(({ edge, applied_delta, strength }) => [edge?.src_slug, edge?.dst_slug, applied_delta, strength]),
  ).toEqual([
    ['#1', '#2', 0.25, 0.25],
    ['#2', '#3', 0.25, 0.25],
  ]);
  set(START + HOUR);
  const second = await confirmC();
  expect(second.credits.map(({ applied_delta, strength }) => [applied_delta, strength])).toEqual([
    [0.25, 0.375],
    [0.25, 0.375],
  ]);
  expect(await learned()).toEqual([0.375, 0.75]);
  const { reversals } = await face.correct(first.trace_id, first.confirmation_id);
  expect(
    reversals.map(({ applied_delta, reversed_delta, strength }) => [applied_delta, reversed_delta, strength]),
  ).toEqual([
    [0.25, 0.125, 0.25],
    [0.25, 0.125, 0.25],
  ]);
  expect(await learned()).toEqual([0.25, 0.5]);
}

describe('the worked example on the built program', () => {
  it('has its numbers through commands', async () => {
    const timeline = withClock();
    await timeline.sandbox.ok(['index', timeline.sandbox.export(CHAIN)], { env: timeline.env });
    await workedExample(overCommands(timeline), timeline.set);
    const page = await timeline.sandbox.ok(['history', 'last'], { env: timeline.env });
    expect(page).toContain('acme/app#1 ─reference→ #2 ─reference→ #3');
  });

  it('has its numbers through MCP tools', async () => {
    const { sandbox, env, set } = withClock();
    await sandbox.ok(['index', sandbox.export(CHAIN)], { env });
    const client = await sandbox.client(env);
    try {
      await workedExample(overTools(client), set);
    } finally {
      await client.close();
    }
  });

  it('needs a clock that the shipped program does not have', async () => {
    const { env } = withClock();
    const before = Date.now();
    const { timestamp = '' } = await shipped.json<SearchOutput>(['search', 'anything'], { env });
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now());
  });
});

describe('the built-in embedder', () => {
  it('is used without being asked for, and may be switched off', async () => {
    const sandbox = shipped.another();
    expect(await sandbox.ok(['index', sandbox.export(CHAIN)])).toMatch(
      /^3 passages embedded by lsa-\d+-[0-9a-f]{12}$/m,
    );
    const answer = await sandbox.json<SearchOutput>(['search', 'kettle']);
    expect(answer.embedder).toMatch(/^lsa-/);
    expect(answer.results[0]).toMatchObject({ number: 1, dense_rank: 1 });
    expect(await sandbox.ok(['backfill', 'embeddings'])).toBe('embeddings: 0 looked at, 0 repaired\nDone.\n');
    const env = { GH_RAG_EMBEDDER: 'none' };
    expect((await sandbox.json<SearchOutput>(['search', 'kettle'], { env })).embedder).toBeNull();
    expect((await sandbox.run(['backfill', 'embeddings'], { env })).err).toMatch(/^error: no embedder is configured\n/);
  });
});

describe('the daily loop', () => {
  it('needs no copying of ids', async () => {
    const sandbox = shipped.another();
    await sandbox.ok(['index', EXAMPLE]);
    const search = ['search', 'why did we drop the v1 cache', '-R', 'acme/app', '--graph-expand'];
    const found = await sandbox.run(search);
    expect(found.code).toBe(0);
    expect(found.err).toMatch(/^Trace: trc_\S+$/m);
    expect(found.err, 'hints are for terminals').not.toContain('Next');
    expect(found.out).toMatch(/^1\tacme\/app/m);
    const graph = found.out
      .split('\n')
      .find((line) => line.startsWith('g1\t'))
      ?.split('\t');
    expect(graph?.slice(8, 10)).toEqual(['1', expect.stringMatching(/^acme\/app.+ (?:─\w+→|←\w+─) /)]);

    expect(await sandbox.ok(['use', '1', 'g1', '--stage', 'used', '--through'])).toMatch(
      /^Recorded the use of 2 sources\.\n {2}1 acme/,
    );
    // A look at another result changes nothing of what the numbers mean.
    expect(await sandbox.ok(['show', '2'])).toContain('acme/app');
    expect(await sandbox.ok(['use', '1', '--stage', 'used'])).toMatch(/^Nothing new: .*\n {2}1 acme/);
    const confirmed = await sandbox.run(['confirm', '1', 'g1', '--reason', 'fixed the outage with it']);
    expect(confirmed.code).toBe(0);
    expect(confirmed.out).toMatch(/^Confirmed\. 1 edge grew by 0\.25\.\n {2}because: fixed the outage with it\n/);
    expect(confirmed.out).toContain('no credit: no verified path of the graph led to it\n');
    expect(confirmed.err).toMatch(/^In trc_\S+: why did we drop the v1 cache$/m);
    expect(await sandbox.ok(['rollback', 'last', '--reason', 'the fix was reverted'])).toMatch(
      /^Rolled back\. 1 edge lost 0\.2\d\.\n/,
    );
    expect(await sandbox.ok(['rollback', 'last', '--reason', 'said twice'])).toMatch(/^Rolled back\. Nothing was left/);

    const rows = (await sandbox.ok(['history']))
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(rows.map(([, , mode, ...rest]) => [mode, ...rest.slice(1)])).toEqual([
      ['fetch', '0', '0', '0', ''],
      ['search', '2', '1', '2', 'why did we drop the v1 cache'],
    ]);
    const page = await sandbox.ok(['history', 'last']);
    expect(page).toMatch(/^why did we drop the v1 cache\ntrc_/);
    expect(page.match(/^(?:Recorded|Nothing new|Confirmed|Rolled back)/gm)).toEqual([
      'Recorded',
      'Nothing new',
      'Confirmed',
      'Rolled back',
      'Rolled back',
    ]);
    const { traces = [] } = await sandbox.json<HistoryOutput>(['history', '--limit', '1']);
    expect(traces.map((trace) => trace.mode)).toEqual(['fetch']);
  });

  it('takes a call that is sent again under its key once', async () => {
    const sandbox = shipped.another();
    await sandbox.ok(['index', sandbox.export(CHAIN)]);
    await sandbox.ok(['search', 'kettle']);
    const use = ['use', '1', '--stage', 'used', '--through', '--key', 'once'];
    const [first, again] = [await sandbox.json<object>(use), await sandbox.json<object>(use)];
    expect(again).toEqual(first);
    const other = await sandbox.run(['use', '1', '--key', 'once']);
    expect(other).toEqual({
      code: 3,
      signal: null,
      out: '',
      err: 'error: --key: was used before with another payload\nhint: Leave out --key, or use a new one for a new operation.\n',
    });
  });
});
