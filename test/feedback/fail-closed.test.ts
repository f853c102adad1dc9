import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { change } from '../../src/lib/engine/database.ts';
import { testBackend } from '../support/database.ts';
import { type Caller, codeOf, github, HOUR, MemoryWorld, sourcesOf, THREADS } from './memory.ts';

/** What happens when the memory or the graph fails, and whose memory it is: feedback contract, sections 2 and 3. */

let world: MemoryWorld;
let ada: Caller;
beforeEach(async () => {
  world = await MemoryWorld.of(THREADS);
  ada = world.as(github(1));
});
afterEach(() => world.remove());

const damage = (sql: string) => world.test.database.write([change(sql)]);

describe('a memory that cannot be written', () => {
  it.each(['traces', 'trace_sources', 'activations'])(
    'at %s leaves the rows, and nothing half written',
    async (table) => {
      await ada.threads();
      await damage(`CREATE TRIGGER planted BEFORE INSERT ON ${table} BEGIN SELECT raise(ABORT, 'planted'); END`);
      const before = await world.dump();
      const answer = await ada.search({ query: 'kettle', graph_expand: true });
      expect([answer.results.length, answer.graph_results.length]).toEqual([1, 2]);
      expect(answer).toMatchObject({
        feedback_available: false,
        memory_unavailable: true,
        memory_error: 'memory_save_failed',
      });
      for (const field of ['trace_id', 'timestamp', 'memory_recording']) expect(answer).not.toHaveProperty(field);
      for (const row of [...answer.results, ...answer.graph_results]) expect(row).not.toHaveProperty('activation');
      expect(JSON.stringify(answer)).not.toContain('planted');
      expect(await world.dump()).toBe(before);
    },
  );

  it('at receipts, stages, activation or credits refuses the mutation, and nothing is half written', async () => {
    const answer = await ada.threads();
    const three = sourcesOf(answer)('acme/app#3');
    await ada.useFully(answer.trace_id, three);
    const confirmation = await ada.confirm(answer.trace_id, [three]);
    const two = sourcesOf(answer)('acme/app#2');
    const calls = [
      [
        'INSERT ON receipts',
        () => ada.use({ trace_id: answer.trace_id, uses: [{ source_id: two, stage: 'selected' }] }),
      ],
      ['UPDATE ON trace_sources', () => ada.useFully(answer.trace_id, two)],
      ['UPDATE ON activations', () => ada.useFully(answer.trace_id, two)],
      ['UPDATE ON credits', () => ada.reverse(confirmation)],
      ['UPDATE ON traces', () => ada.reverse(confirmation)],
    ] as const;
    for (const [event, call] of calls) {
      await damage(`CREATE TRIGGER planted BEFORE ${event} BEGIN SELECT raise(ABORT, 'planted'); END`);
      const before = await world.dump();
      await expect(call()).rejects.toThrow();
      expect(await world.dump()).toBe(before);
      await damage('DROP TRIGGER planted');
    }
  });
});

it('a graph that cannot be read leaves the rows without a trace: the retrieval is not complete', async () => {
  await damage('ALTER TABLE edges RENAME TO lost');
  const before = await world.dump();
  const answer = await ada.search({ query: 'kettle', graph_expand: true });
  expect([answer.results.length, answer.graph_results.length]).toEqual([1, 0]);
  expect(answer).toMatchObject({
    feedback_available: false,
    memory_unavailable: true,
    memory_error: 'retrieval_incomplete',
  });
  expect(answer).not.toHaveProperty('trace_id');
  expect(await world.dump()).toBe(before);
  // Without the graph nothing of it is read.
  expect((await ada.search({ query: 'kettle' })).trace_id).toBeDefined();
});

it('without a principal nothing of the memory is read or written', async () => {
  const nobody = world.as(null);
  const before = await world.dump();
  const calls = [
    nobody.search({ query: 'kettle' }),
    nobody.history(),
    nobody.use({ trace_id: 'trc_a', uses: [{ source_id: 'src_a', stage: 'selected' }] }),
    nobody.confirm('trc_a', ['src_a']),
    nobody.reverse({ trace_id: 'trc_a', confirmation_id: 'rcp_a' }),
  ];
  for (const call of calls) expect(await codeOf(call)).toBe('principal_required');
  expect(await world.dump()).toBe(before);
});

// On a server nobody is local.
it.skipIf(testBackend() !== 'local')('the local principal is one per database, named by it', async () => {
  const local = world.as({ kind: 'local' });
  await local.threads();
  const [row] = await world.rows('SELECT name FROM principals');
  expect(row?.name).toMatch(/^local:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  world.clock.ms += HOUR;
  expect((await world.as({ kind: 'local' }).history()).traces).toHaveLength(1);
  expect((await world.as(github(1)).history()).traces).toHaveLength(0);
});
