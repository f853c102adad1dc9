import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query, Rows, SqlValue, WriteOutcome, WriteStep } from '../../src/lib/engine/database.ts';
import { CountingDatabase } from '../support/database.ts';
import { wiki } from '../support/project.ts';
import { type Caller, CHAIN, freshKey, github, MemoryWorld, refusal, sourcesOf } from './memory.ts';

/**
 * Two principals over one database: feedback contract, section 3. FEEDBACK_ISOLATION sets the number of cases with made-up
 * and borrowed handles.
 */

const CASES = Number(process.env.FEEDBACK_ISOLATION ?? 500);

let world: MemoryWorld;
let ada: Caller;
let grace: Caller;
let adas: Owned;
let graces: Owned;
/** Grace's memory as it was before Ada tried anything. */
let untouched: string;

beforeAll(async () => {
  // What Ada finds and what Grace finds has no source in common.
  const others = CHAIN.map((page) => wiki(`${String(page.path)}Two`, { body: page.body.replace(/needle/, 'thimble') }));
  const [alpha, beta, gamma] = others;
  world = await MemoryWorld.of([
    ...CHAIN,
    ...[alpha, beta, gamma].flatMap((page) =>
      page === undefined ? [] : [{ ...page, body: page.body.replace(/(Beta|Gamma)/g, '$1Two') }],
    ),
  ]);
  ada = world.as(github(1));
  grace = world.as(github(2));
  adas = await owned(ada, 'needle', '');
  graces = await owned(grace, 'thimble', 'Two');
  untouched = await memoryOf('github:2');
});
afterAll(() => world.remove());

/** Handles of every kind, all of them real. */
interface Owned {
  readonly traces: readonly string[];
  readonly sources: readonly string[];
  readonly confirmations: readonly string[];
  readonly receipts: readonly string[];
  readonly cursors: readonly string[];
}

async function owned(caller: Caller, query: string, suffix: string): Promise<Owned> {
  const all = {
    traces: [] as string[],
    sources: [] as string[],
    confirmations: [] as string[],
    receipts: [] as string[],
    cursors: [] as string[],
  };
  for (let n = 0; n < 3; n += 1) {
    const answer = await caller.chain({ query });
    const gamma = sourcesOf(answer)(`Gamma${suffix}`);
    const used = await caller.useFully(answer.trace_id, gamma);
    const { confirmation_id } = await caller.confirm(answer.trace_id, [gamma]);
    all.traces.push(answer.trace_id);
    all.sources.push(...[...answer.results, ...answer.graph_results].map((row) => String(row.source_id)));
    all.confirmations.push(confirmation_id);
    all.receipts.push(used.receipt_id);
    const { next_cursor } = await caller.history({ trace_id: answer.trace_id, limit: 1 });
    all.cursors.push(String(next_cursor));
  }
  for (const limit of [1, 2]) all.cursors.push(String((await caller.history({ limit })).next_cursor));
  return all;
}

/** Every row that is a principal's, as text. */
async function memoryOf(name: string): Promise<string> {
  const own = 'principal_id = (SELECT id FROM principals WHERE name = ?)';
  const tables = [
    await world.rows('SELECT * FROM principals WHERE name = ?', name),
    ...(await Promise.all(
      ['traces', 'activations', 'receipts', 'credits'].map((table) =>
        world.rows(`SELECT * FROM ${table} WHERE ${own} ORDER BY 1, 2`, name),
      ),
    )),
    await world.rows(
      `SELECT * FROM trace_sources WHERE trace_seq IN (SELECT seq FROM traces WHERE ${own}) ORDER BY 1, 2`,
      name,
    ),
  ];
  return JSON.stringify(tables);
}

/** Handles of another: as they are, and as somebody who guesses would change them. */
function likeOneOf(handles: readonly string[]): fc.Arbitrary<string> {
  const characters = fc.constantFrom(...'ABCXYZabcxyz0189-_. %\'"\0é');
  return fc
    .tuple(fc.constantFrom(...handles), fc.nat(63), characters, fc.nat(9))
    .map(([handle, place, character, how]) => {
      const at = place % handle.length;
      switch (how) {
        case 0:
          return handle.slice(0, at) + character + handle.slice(at + 1);
        case 1:
          return handle.slice(0, Math.max(1, at));
        case 2:
          return handle + character;
        case 3:
          return handle.toUpperCase();
        case 4:
          return `${handle.slice(0, at)}%${handle.slice(at)}`;
        case 5:
          return `${handle}' OR '1'='1`;
        default:
          return handle;
      }
    });
}

const CROSSING = ['unknown_trace', 'unknown_source', 'unknown_confirmation', 'invalid_cursor', 'invalid_input'];

describe('a principal', () => {
  it(`gets nothing by the handles of another, nor by any like them (${String(CASES)} cases)`, {
    timeout: 60_000 + CASES * 20,
  }, async () => {
    const trace = likeOneOf(graces.traces);
    const source = likeOneOf(graces.sources);
    const confirmation = likeOneOf([...graces.confirmations, ...graces.receipts]);
    const cursor = likeOneOf(graces.cursors);
    const own = fc.constantFrom(...adas.traces);
    const stage = fc.constantFrom('selected' as const, 'validated' as const, 'used' as const);
    const of = (trace_id: string): { trace_id: string; idempotency_key: string } => ({
      trace_id,
      idempotency_key: freshKey(),
    });
    const attempt = fc.oneof(
      fc.tuple(trace, source, stage).map(
        ([id, source_id, each]) =>
          () =>
            ada.use({ ...of(id), uses: [{ source_id, stage: each }] }),
      ),
      fc.tuple(own, source, stage).map(
        ([id, source_id, each]) =>
          () =>
            ada.use({ ...of(id), uses: [{ source_id, stage: each }] }),
      ),
      fc.tuple(trace, source).map(
        ([id, source_id]) =>
          () =>
            ada.confirm(id, [source_id]),
      ),
      fc.tuple(own, source).map(
        ([id, source_id]) =>
          () =>
            ada.confirm(id, [source_id]),
      ),
      fc.tuple(trace, confirmation).map(
        ([trace_id, confirmation_id]) =>
          () =>
            ada.reverse({ trace_id, confirmation_id }),
      ),
      fc.tuple(own, confirmation).map(
        ([trace_id, confirmation_id]) =>
          () =>
            ada.reverse({ trace_id, confirmation_id }),
      ),
      fc.tuple(trace).map(
        ([trace_id]) =>
          () =>
            ada.history({ trace_id }),
      ),
      fc.tuple(trace, cursor).map(
        ([trace_id, each]) =>
          () =>
            ada.history({ trace_id, cursor: each }),
      ),
      fc.tuple(own, cursor).map(
        ([trace_id, each]) =>
          () =>
            ada.history({ trace_id, cursor: each }),
      ),
      cursor.map((each) => () => ada.history({ cursor: each })),
    );
    const before = await world.dump();
    const codes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(attempt, async (call) => {
        const { code, message } = await refusal(call());
        codes.add(code);
        expect(CROSSING).toContain(code);
        for (const handle of Object.values(graces).flat() as string[]) expect(message.includes(handle)).toBe(false);
      }),
      { numRuns: CASES },
    );
    expect(await world.dump()).toBe(before);
    expect([...codes].sort()).toEqual(expect.arrayContaining(CROSSING.slice(0, 4).sort()));
  });

  it('sees none of another’s history, activation, stages or strength, on any read path', async () => {
    const answer = await ada.chain({ query: 'thimble', use_memory: true });
    const read = JSON.stringify([
      answer,
      await ada.search({ sources: [...graces.sources] }),
      await ada.history({ limit: 50 }),
      await Promise.all(adas.traces.map((trace_id) => ada.history({ trace_id, limit: 50 }))),
    ]);
    for (const handle of [...graces.traces, ...graces.confirmations, ...graces.receipts])
      expect(read).not.toContain(handle);
    for (const row of [...answer.results, ...answer.graph_results]) {
      expect(row.activation).toMatchObject({ retrieved: 0.1, usage: 0 });
    }
    expect(answer.graph_results.map((row) => row.learned_strength)).toEqual([0, 0]);
    expect((await ada.history({ limit: 50 })).traces).toHaveLength(adas.traces.length + 2);
  });

  it('learns and forgets without a trace in the memory of another', async () => {
    const answer = await ada.chain({ query: 'thimble' });
    const gamma = sourcesOf(answer)('GammaTwo');
    const { uses } = await ada.useFully(answer.trace_id, gamma);
    expect(uses.map(({ activation }) => activation.usage)).toEqual([0.2, 0.7, 1.7]);
    const confirmation = await ada.confirm(answer.trace_id, [gamma]);
    expect(confirmation.credits.map(({ strength }) => strength)).toEqual([0.25, 0.25]);
    await ada.reverse(confirmation);
    const { graph_results } = await grace.chain({ query: 'thimble', use_memory: true });
    expect(graph_results.map((row) => row.learned_strength)).toEqual([0.75, 1.5]);
  });
});

it('nothing of the above reached the other’s memory', async () => {
  // The one search of Grace's is what is new.
  const now = JSON.parse(await memoryOf('github:2')) as unknown[][];
  const before = JSON.parse(untouched) as unknown[][];
  expect(now.slice(3, 5)).toEqual(before.slice(3, 5));
  expect(now[1]).toHaveLength((before[1]?.length ?? 0) + 1);
});

describe('a handle that is another’s and one that never was', () => {
  /** Remembers what is asked of a database, arguments apart. */
  class Listening extends CountingDatabase {
    readonly asked: string[] = [];

    override read<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<Rows<Queries>> {
      this.asked.push(...queries.map(({ sql, args }) => `${sql} ${shapeOf(args)}`));
      return super.read(queries);
    }

    override write(steps: readonly WriteStep[]): Promise<WriteOutcome> {
      this.asked.push('write');
      return super.write(steps);
    }
  }

  const shapeOf = (args: readonly SqlValue[]): string => args.map((each) => typeof each).join(' ');

  it('have one answer, word for word, after the same statements', async () => {
    const never = { trace: `trc_${'A'.repeat(22)}`, receipt: `rcp_${'A'.repeat(22)}` };
    const [trace = '', source = '', confirmation = ''] = [graces.traces[0], graces.sources[0], graces.confirmations[0]];
    const [own = ''] = adas.traces;
    const uses = [{ source_id: source, stage: 'selected' as const }];
    const pairs: ((caller: Caller, handle: string) => Promise<unknown>)[] = [
      (caller, trace_id) => caller.use({ trace_id, uses }),
      (caller, trace_id) => caller.confirm(trace_id, [source]),
      (caller, trace_id) => caller.reverse({ trace_id, confirmation_id: confirmation }),
      (caller, trace_id) => caller.history({ trace_id }),
    ];
    const confirmations = (caller: Caller, confirmation_id: string) =>
      caller.reverse({ trace_id: own, confirmation_id });
    for (const [call, foreign, missing] of [
      ...pairs.map((pair) => [pair, trace, never.trace] as const),
      [confirmations, confirmation, never.receipt] as const,
      [confirmations, graces.receipts[0] ?? '', never.receipt] as const,
    ]) {
      const said = [];
      for (const handle of [foreign, missing]) {
        const database = new Listening(world.test.database);
        said.push({ ...(await refusal(call(world.as(github(1), { database }), handle))), asked: database.asked });
      }
      expect(said[0]).toEqual(said[1]);
      expect(said[0]?.code).toMatch(/^unknown_(trace|confirmation)$/);
    }
  });
});
