import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRemote } from '../../src/lib/adapters/libsql/open-remote.ts';
import { doctor } from '../../src/lib/admin/doctor.ts';
import type { Receipt } from '../../src/lib/feedback/receipts.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { bundleForNode } from '../support/bundle.ts';
import { MIGRATIONS, TestClock, testBackend } from '../support/database.ts';
import { startHrana } from '../support/hrana/start.ts';
import { serverOf } from '../support/served-database.ts';
import { type Caller, CHAIN, github, HOUR, MemoryWorld, sourcesOf } from './memory.ts';
import { type Chain, lengthOf, nextCall } from './chains.ts';

/**
 * Several programs on one database, and programs that are killed: feedback contract, sections 8 and 11. FEEDBACK_CALLS sets
 * the mutations of each program, FEEDBACK_KILLS how many are killed.
 */

const PROGRAMS = 8;
const CALLS = Number(process.env.FEEDBACK_CALLS ?? 25);
const KILLS = Number(process.env.FEEDBACK_KILLS ?? 10);
/** How many calls a program may be ahead of what was read of it when it is killed. */
const AHEAD = 3;
/** Two in three chains are rolled back again, so that some strength stays. */
const CALLS_PER_CHAIN = (5 + 5 + 4) / 3;

const run = promisify(execFile);
let program: string;
beforeAll(async () => {
  program = await bundleForNode(new URL('./caller-process.ts', import.meta.url));
});

/** The programs write the file itself, which this process would read through a copy that nobody told of it. */
const ON_COPY = testBackend() === 'replica';

let world: MemoryWorld;
let ada: Caller;
beforeEach(async () => {
  world = await MemoryWorld.of(CHAIN);
  world.clock.ms = Date.now();
  ada = world.as(github(1));
});
afterEach(() => world.remove());

/** Traces with a chain of mutations each, in a file that programs read. */
async function plan(
  count: number,
  prefix: string,
  server?: ReturnType<typeof serverOf>,
): Promise<{ chains: Chain[]; planFile: string }> {
  const chains: Chain[] = [];
  for (let n = 0; n < count; n += 1) {
    const answer = await ada.chain();
    const source_id = sourcesOf(answer)('Gamma');
    chains.push({ name: `${prefix}-${String(n)}`, trace_id: answer.trace_id, source_id, reversed: n % 3 !== 0 });
  }
  const planFile = join(dirname(world.test.file), `${prefix}.json`);
  writeFileSync(planFile, JSON.stringify({ file: world.test.file, server, migrations: MIGRATIONS, userId: 1, chains }));
  return { chains, planFile };
}

interface Acknowledged {
  readonly key: string;
  readonly receipt: Receipt;
}

const acknowledged = (out: string): Acknowledged[] =>
  out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Acknowledged]));

/** Throws unless the file, the documents and the memory are all sound. */
async function expectSound(): Promise<void> {
  const { checks } = await invoke(doctor, ada.engine, {});
  expect(checks.filter((check) => !check.ok)).toEqual([]);
}

/** Receipts by key as they are stored. */
async function stored(): Promise<Map<string, Receipt>> {
  const rows = await world.rows('SELECT idempotency_key, body FROM receipts');
  return new Map(
    rows.map(({ idempotency_key, body }) => [String(idempotency_key), JSON.parse(String(body)) as Receipt]),
  );
}

/** What confirmations gave and reversals took, of every edge, by the receipts alone. */
function strengthsByReceipts(receipts: Iterable<Receipt>, now: number): Map<string, number> {
  const sums = new Map<string, number>();
  const all = [...receipts];
  const gone = new Set(all.flatMap((receipt) => (receipt.kind === 'reversal' ? [receipt.confirmation_id] : [])));
  for (const receipt of all) {
    if (receipt.kind !== 'confirmation' || gone.has(receipt.receipt_id)) continue;
    for (const { edge, applied_delta } of receipt.credits) {
      const left = applied_delta * 0.5 ** ((now - Date.parse(receipt.timestamp)) / HOUR);
      const key = String(edge?.dst_slug);
      sums.set(key, (sums.get(key) ?? 0) + left);
    }
  }
  return sums;
}

/** The strength that a search shows is the one that follows from the receipts. */
async function expectStrengths(receipts: Iterable<Receipt>): Promise<void> {
  world.clock.ms = Date.now();
  const { graph_results } = await ada.chain({ use_memory: true });
  const [beta, gamma] = graph_results.map((row) => row.learned_strength ?? Number.NaN);
  const sums = strengthsByReceipts(receipts, world.clock.ms);
  const [first = 0, second = 0] = [sums.get('wiki/Beta'), sums.get('wiki/Gamma')];
  expect(beta).toBeCloseTo(first, 9);
  expect(gamma).toBeCloseTo(first + second, 9);
}

const CHAINS = Math.round(CALLS / CALLS_PER_CHAIN);

/** Runs programs with the same keys side by side, and checks that each key applied once and everyone got its receipt. */
async function expectOnce(programs: number, { chains, planFile }: Awaited<ReturnType<typeof plan>>): Promise<void> {
  const outputs = await Promise.all(
    Array.from({ length: programs }, (_, n) =>
      run(process.execPath, [program, planFile, String(n + 1)], { maxBuffer: 64 << 20 }),
    ),
  );
  const expected = chains.reduce((sum, chain) => sum + lengthOf(chain), 0);
  const byKey = new Map<string, Set<string>>();
  for (const { stdout } of outputs) {
    const receipts = acknowledged(stdout);
    expect(receipts).toHaveLength(expected);
    for (const { key, receipt } of receipts) {
      byKey.set(key, (byKey.get(key) ?? new Set()).add(JSON.stringify(receipt)));
    }
  }
  expect(byKey.size).toBe(expected);
  expect([...byKey.values()].filter((receipts) => receipts.size !== 1)).toEqual([]);
  const receipts = await stored();
  expect(receipts.size).toBe(expected);
  for (const [key, [receipt = '']] of byKey) expect(receipts.get(key)).toEqual(JSON.parse(receipt));
  for (const { trace_id, source_id } of chains) {
    const { sources } = await ada.recall(trace_id);
    expect(sources.find((source) => source.source_id === source_id)?.stage).toBe('used');
  }
  await expectSound();
  await expectStrengths(receipts.values());
}

it.skipIf(ON_COPY)(
  `${String(PROGRAMS)} programs with the same ${String(CALLS)} keys: each key applies once, everyone gets its receipt`,
  {
    timeout: 60_000 + CALLS * 2000,
  },
  async () => {
    await expectOnce(PROGRAMS, await plan(CHAINS, 'shared'));
  },
);

it(`4 programs on a server whose line loses every fifth request or answer, the same ${String(CALLS)} keys`, {
  timeout: 120_000 + CALLS * 5000,
}, async () => {
  const hrana = await startHrana();
  const clock = new TestClock();
  const { database, schema } = openRemote({ server: serverOf(hrana), migrations: MIGRATIONS, clock });
  const here = world;
  try {
    await schema.apply();
    const test = { file: world.test.file, database, schema, clock, remove: () => database.close() };
    world = await MemoryWorld.of(CHAIN, test);
    world.clock.ms = Date.now();
    ada = world.as(github(1));
    const planned = await plan(CHAINS, 'lossy', serverOf(hrana));
    await hrana.fault({
      rate: 0.2,
      seed: 7,
      kinds: ['dropRequest', 'dropResponse', 'truncatedBody', 'status503', 'expiredStream', 'latency50'],
    });
    const before = await stored();
    expect(before.size).toBe(0);
    await expectOnce(4, planned);
    const met = (await hrana.log()).filter(({ fault }) => fault !== null).map(({ fault }) => fault);
    expect(new Set(met).size).toBe(6);
  } finally {
    world = here;
    await database.close();
    await hrana.stop();
  }
});

describe.skipIf(ON_COPY)('a program that is killed in the middle of its mutations', () => {
  it(`leaves each of them whole or undone, ${String(KILLS)} times, and the same calls go on from there`, {
    timeout: 60_000 + KILLS * 5000,
  }, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { chains, planFile } = await plan(3, `kill-${String(kill)}`);
      const total = chains.reduce((sum, chain) => sum + lengthOf(chain), 0);
      const printed = await killedAfter(Math.floor(Math.random() * (total - AHEAD)), planFile, String(kill + 1));
      await expectSound();
      const afterKill = await stored();
      for (const { key, receipt } of printed) expect(afterKill.get(key)).toEqual(receipt);
      const mine = [...afterKill.keys()].filter((key) => key.startsWith(`kill-${String(kill)}-`));
      // At most the one call that was on its way is stored beyond what was acknowledged.
      expect(mine.length - printed.length).toBeLessThanOrEqual(1);
      expect(mine.length).toBeGreaterThanOrEqual(printed.length);
      expect(mine.length).toBeLessThan(total);
      await goOn(chains, afterKill);
      expect((await stored()).size).toBe(afterKill.size + total - mine.length);
    }
    await expectSound();
    await expectStrengths((await stored()).values());
  });

  /** Starts a program, kills it a moment after it acknowledged so many calls, and gives what it acknowledged. */
  async function killedAfter(calls: number, planFile: string, seed: string): Promise<Acknowledged[]> {
    // However late the kill comes, the program has not come to the end of its plan.
    const args = [program, planFile, seed, String(calls + AHEAD)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const printed: Acknowledged[] = [];
    const closed = once(child, 'close');
    for await (const line of createInterface({ input: child.stdout })) {
      printed.push(...acknowledged(line));
      if (printed.length !== calls + 1) continue;
      await delay(Math.random() * 12);
      child.kill('SIGKILL');
    }
    expect(await closed).toEqual([null, 'SIGKILL']);
    return printed;
  }

  /** Sends all calls of some chains again: what was done is answered as it was, the rest is done. */
  async function goOn(chains: readonly Chain[], done: ReadonlyMap<string, Receipt>): Promise<void> {
    world.clock.ms = Date.now();
    for (const chain of chains) {
      const receipts: Receipt[] = [];
      for (let call = nextCall(chain, receipts); call !== undefined; call = nextCall(chain, receipts)) {
        const receipt = await ('uses' in call ? ada.use(call) : ada.outcome(call));
        const before = done.get(call.idempotency_key);
        if (before !== undefined) expect(receipt).toEqual(before);
        receipts.push(receipt);
      }
    }
  }
});
