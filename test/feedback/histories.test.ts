import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { edgesOf, type Party } from './history-calls.ts';
import { HistoryRun } from './history-run.ts';
import { HOUR, MemoryWorld } from './memory.ts';
import type { Call, Edge, Receipt } from './model.ts';
import { CORPORA, EXAMPLES, steps } from './plan.ts';

/**
 * Random histories of several principals against the reference (model.ts). FEEDBACK_HISTORIES sets how many, and looks at
 * every trace and every principal of each at its end; ten thousand are a matter of ten minutes.
 */

const HISTORIES = Number(process.env.FEEDBACK_HISTORIES ?? 300);
const THOROUGH = process.env.FEEDBACK_HISTORIES !== undefined;
const NOON = Date.UTC(2024, 5, 1, 12);

let world: MemoryWorld;
beforeAll(async () => {
  world = await MemoryWorld.of(CORPORA[0]?.documents ?? []);
});
afterAll(() => world.remove());

/** What the histories came to, so that none of it goes untested. */
const seen = new Map<string, number>();
const count = (what: string): void => {
  seen.set(what, (seen.get(what) ?? 0) + 1);
};

const nameOf = (edge: Edge): string => JSON.stringify([edge.repo, edge.src_slug, edge.dst_slug, edge.edge_kind]);

interface Held {
  readonly strength: number;
  readonly cut: boolean;
}

/** Strength of every edge in the real ledger of a party, and whether the cap cut any credit of it. */
async function ledger({ caller }: Party, now: number): Promise<Map<string, Held>> {
  const { principal } = caller.engine;
  const rows = await world.rows(
    `SELECT repo, src_slug, dst_slug, edge_kind, delta, created_at, state FROM credits
     WHERE principal_id = (SELECT id FROM principals WHERE name = ?) ORDER BY seq`,
    `github:${principal?.kind === 'github' ? String(principal.userId) : ''}`,
  );
  const held = new Map<string, Held>();
  for (const { delta, created_at, state, ...edge } of rows) {
    const key = nameOf(edge as unknown as Edge);
    const before = held.get(key) ?? { strength: 0, cut: false };
    const left = state === 'active' ? Number(delta) * 0.5 ** (Math.max(0, now - Number(created_at)) / HOUR) : 0;
    held.set(key, { strength: before.strength + left, cut: before.cut || Number(delta) < 0.25 });
  }
  return held;
}

/** Does again what a party did, but for one confirmation and its reversals. */
async function withoutIt(run: HistoryRun, party: Party, confirmation: string): Promise<Party> {
  const twin = run.newParty();
  const handles = new Map<string, string>();
  const there = (handle: string): string => handles.get(handle) ?? handle;
  for (const entry of party.done) {
    world.clock.ms = entry.at;
    if (entry.did === 'search') {
      if (run.corpus !== entry.corpus) await run.index(entry.corpus);
      await run.search(twin, entry.question, entry.use_memory);
      handles.set(entry.trace_id, twin.traces.at(-1)?.trace_id ?? '');
    } else if (entry.receipt.confirmation_id !== confirmation) {
      const { call, receipt } = entry;
      const again: Call = { ...call, trace_id: there(call.trace_id) };
      await run.call(
        twin,
        'confirmation_id' in again ? { ...again, confirmation_id: there(again.confirmation_id) } : again,
      );
      const issued = twin.done.at(-1);
      if (issued?.did === 'call') handles.set(receipt.receipt_id, issued.receipt.receipt_id);
    }
  }
  return twin;
}

/** After its reversal the strength of each edge is, to the last bit, what it is where the confirmation never was. */
async function compareWorlds(run: HistoryRun, party: Party): Promise<void> {
  const receipts = party.done.flatMap((entry) => (entry.did === 'call' ? [entry.receipt] : []));
  const reversed = receipts.find(
    (receipt) => receipt.kind === 'reversal' && (receipt.reversals as unknown[]).length > 0,
  );
  const original = receipts.find(({ receipt_id }) => receipt_id === reversed?.confirmation_id);
  if (original === undefined) return;
  const [now, corpus] = [run.now, run.corpus];
  const twin = await withoutIt(run, party, original.receipt_id);
  world.clock.ms = now;
  if (run.corpus !== corpus) await run.index(corpus);
  const [here, there] = [await ledger(party, now), await ledger(twin, now)];
  const contested = new Set(
    receipts
      .filter((each) => rivals(each, original))
      .flatMap(edgesOf)
      .map(nameOf),
  );
  for (const key of new Set([...here.keys(), ...there.keys()])) {
    const [left, never] = [here.get(key), there.get(key)];
    // Another confirmation of the trace would have had this credit; or the cap gave a later one less than its due.
    if (contested.has(key) || left?.cut === true || never?.cut === true) continue;
    count(left === undefined || left.strength === 0 ? 'worlds equal at nothing' : 'worlds equal at a strength');
    expect(left?.strength ?? 0).toBe(never?.strength ?? 0);
  }
}

const rivals = (receipt: Receipt, original: Receipt): boolean =>
  receipt.kind === 'confirmation' && receipt.trace_id === original.trace_id && receipt !== original;

/** With every confirmation taken back nothing is left, exactly. */
async function reverseAll(run: HistoryRun, party: Party): Promise<void> {
  for (const { trace_id, confirmation_id } of party.confirmations) {
    const idempotency_key = `last-${confirmation_id}`;
    await run.call(party, { trace_id, idempotency_key, outcome: 'rolled_back', confirmation_id, reason: 'All of it.' });
  }
  for (const { strength } of (await ledger(party, run.now)).values()) expect(strength).toBe(0);
  await run.search(party, run.corpus === 2 ? 3 : 4, true);
}

function tally(party: Party): void {
  for (const entry of party.done) {
    if (entry.did !== 'call') continue;
    const { kind, uses, credits, reversals } = entry.receipt;
    count(kind);
    for (const list of [uses, credits, reversals] as (readonly { readonly reason?: string }[] | undefined)[]) {
      for (const { reason } of list ?? []) if (reason !== undefined) count(`${kind}: ${reason}`);
    }
  }
}

it(`${String(HISTORIES)} random histories go as the reference says`, {
  timeout: 60_000 + HISTORIES * 500,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      world.clock.ms = NOON;
      const run = new HistoryRun(world);
      if (history.some((step) => step.do === 'index')) await run.index(0);
      for (const step of history) await run.step(step);
      for (const party of run.parties) await run.recallAll(party, THOROUGH);
      for (const party of run.parties.slice(0, THOROUGH ? undefined : 1)) await compareWorlds(run, party);
      for (const party of run.parties) await reverseAll(run, party);
      for (const party of run.parties) tally(party);
      for (const [code, times] of run.refused) for (let n = 0; n < times; n += 1) count(`refused: ${code}`);
    }),
    { numRuns: HISTORIES, examples: EXAMPLES.map((example): [typeof example] => [example]) },
  );
  if (THOROUGH) console.log(Object.fromEntries([...seen].sort()));
  if (HISTORIES < 300) return;
  expect([...seen.keys()].sort()).toEqual([
    'confirmation',
    'confirmation: already_reversed',
    'confirmation: cap_reached',
    'confirmation: duplicate_trace_edge',
    'confirmation: no_graph_path',
    'refused: idempotency_conflict',
    'refused: not_used',
    'refused: stage_order',
    'refused: unknown_confirmation',
    'refused: unknown_source',
    'refused: unknown_trace',
    'reversal',
    'reversal: already_reversed',
    'source_use',
    'source_use: already_recorded',
    'worlds equal at a strength',
    'worlds equal at nothing',
  ]);
});
