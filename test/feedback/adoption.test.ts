import { afterEach, beforeEach, expect, it } from 'vitest';
import { doctor } from '../../src/lib/admin/doctor.ts';
import { Failure } from '../../src/lib/core/failure.ts';
import { change } from '../../src/lib/engine/database.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import { login } from '../../src/lib/feedback/login.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { testDatabase } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';
import { type Caller, CHAIN, github, HOUR, MemoryWorld } from './memory.ts';

const ADA = { principal: { kind: 'github' as const, userId: 7 }, login: 'ada', host: 'github.com' };
const identity = { verify: () => Promise.resolve(ADA) };

let world: MemoryWorld;
let local: Caller;
let ada: Caller;

beforeEach(async () => {
  world = await MemoryWorld.of(CHAIN, testDatabase({ backend: 'local' }));
  local = world.as({ kind: 'local' });
  ada = world.as(github(7));
});
afterEach(() => world.remove());

const adopt = (parts: Partial<Engine> = {}) =>
  invoke(login, testEngine(world.test, { identity, ...parts }), { adopt_local: true });

/** Gamma is found over Alpha and Beta, used and confirmed; gives its id and its edges' strength. */
async function confirmed(
  caller: Caller,
  key: string,
): Promise<{ trace_id: string; gamma: string; confirmation_id: string }> {
  const { trace_id, graph_results } = await caller.chain();
  const gamma = graph_results.at(-1)?.source_id ?? '';
  const uses = (['selected', 'validated', 'used'] as const).map((stage) => ({ source_id: gamma, stage }));
  await caller.use({ trace_id, uses, idempotency_key: `use-${key}` });
  const { confirmation_id } = await caller.confirm(trace_id, [gamma], { idempotency_key: key });
  return { trace_id, gamma, confirmation_id };
}

const strengths = async (caller: Caller): Promise<unknown[]> =>
  (await caller.chain({ use_memory: true })).graph_results.map(({ learned_strength }) => learned_strength);

it('makes everything of the local user that of the verified one, and leaves nothing behind', async () => {
  const { trace_id, gamma, confirmation_id } = await confirmed(local, 'a');
  const before = await strengths(local);
  expect(await invoke(login, testEngine(world.test, { identity }), {})).toMatchObject({
    adopted: null,
    local_traces: 2,
  });
  expect(await adopt()).toEqual({
    principal: 'github:7',
    login: 'ada',
    host: 'github.com',
    adopted: { traces: 2, receipts: 2, credits: 2, sources: 3 },
    local_traces: 0,
  });
  expect((await local.history()).traces).toEqual([]);
  expect((await ada.history()).traces).toHaveLength(2);
  expect((await ada.history({ trace_id })).receipts).toHaveLength(2);
  expect(await strengths(ada)).toEqual(before);
  // A call whose answer was lost is the same call.
  const sent = { idempotency_key: 'a' };
  expect(await ada.confirm(trace_id, [gamma], sent)).toMatchObject({ confirmation_id });
  const { checks } = await invoke(doctor, local.engine, {});
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});

it('adds what both know: activation decayed and capped, strength as the sum of what was given', async () => {
  const { gamma } = await confirmed(local, 'same-key');
  world.clock.ms += HOUR;
  await confirmed(ada, 'same-key');
  const activation = async (caller: Caller) =>
    (await caller.chain()).graph_results.find(({ source_id }) => source_id === gamma)?.activation;
  expect(await activation(ada)).toMatchObject({ usage: 1.7 });
  await adopt();
  // 1.7 of now and half of 1.7; retrieved: half of 0.1, two of 0.1, and that of this very search.
  expect(await activation(ada)).toMatchObject({
    usage: expect.closeTo(2.55, 10) as number,
    retrieved: expect.closeTo(0.35, 10) as number,
  });
  const [one, two] = await strengths(ada);
  expect(one).toBeCloseTo(0.375, 10);
  expect(two).toBeCloseTo(0.75, 10);
});

it('caps what both know', async () => {
  for (const caller of [local, ada]) await caller.retrieve({ query: 'needle' });
  await world.test.database.write([change('UPDATE activations SET retrieved = 6, usage = 4.5')]);
  await adopt();
  expect((await ada.retrieve({ query: 'needle' })).results[0]?.activation).toMatchObject({
    retrieved: 10,
    usage: 9,
  });
});

it('keeps both receipts of one key: the new owner’s stays under it', async () => {
  const mine = await confirmed(ada, 'same-key');
  const theirs = await confirmed(local, 'same-key');
  await adopt();
  expect((await ada.history({ trace_id: theirs.trace_id })).receipts).toHaveLength(2);
  const sent = { idempotency_key: 'same-key' };
  const { confirmation_id } = mine;
  expect(await ada.confirm(mine.trace_id, [mine.gamma], sent)).toMatchObject({ confirmation_id });
  await expect(ada.confirm(theirs.trace_id, [theirs.gamma], sent)).rejects.toMatchObject({
    code: 'idempotency_conflict',
  });
  // What was confirmed before can be taken back by the new owner, and exactly that.
  await ada.reverse(theirs);
  expect((await strengths(ada)).map((value) => Number(Number(value).toFixed(6)))).toEqual([0.25, 0.5]);
  const { checks } = await invoke(doctor, local.engine, {});
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});

it('happens once: a second time there is nothing, and nothing changes', async () => {
  await local.retrieve({ query: 'needle' });
  await adopt();
  const before = await world.dump();
  await expect(adopt()).rejects.toMatchObject({ code: 'not_found', message: /nothing to adopt/ });
  expect(await world.dump()).toBe(before);
});

it('starts anew where somebody searches in between', async () => {
  await local.retrieve({ query: 'needle' });
  let searches = 2;
  const database: Engine['database'] = {
    backend: 'local',
    location: '',
    read: (queries) => world.test.database.read(queries),
    write: async (steps, durability) => {
      searches -= 1;
      if (searches >= 0) await local.retrieve({ query: 'needle' });
      return world.test.database.write(steps, durability);
    },
    close: () => Promise.resolve(),
  };
  expect(await adopt({ database })).toMatchObject({ adopted: { traces: 3 }, local_traces: 0 });
  expect((await ada.history()).traces).toHaveLength(3);
});

it('is refused without a credential and on a database that others use, with nothing changed', async () => {
  await local.retrieve({ query: 'needle' });
  const before = await world.dump();
  const refused = { verify: () => Promise.reject(new Failure('credential_required', 'no token')) };
  await expect(adopt({ identity: refused })).rejects.toMatchObject({ code: 'credential_required' });
  const database = Object.assign(Object.create(world.test.database) as Engine['database'], { backend: 'remote' });
  await expect(adopt({ database })).rejects.toMatchObject({ code: 'invalid_input' });
  expect(await world.dump()).toBe(before);
});
