import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseTrace, findConfirmation, newestTrace, type ReadHistory } from '../../src/lib/cli/trace-choice.ts';
import { type Caller, CHAIN, github, MemoryWorld, refusal, sourcesOf } from '../feedback/memory.ts';

let world: MemoryWorld;
let ada: Caller;
let read: ReadHistory;
beforeEach(async () => {
  world = await MemoryWorld.of(CHAIN);
  ada = world.as({ kind: 'local' });
  read = (input) => ada.history(input);
});
afterEach(() => world.remove());

describe('the trace that is meant', () => {
  const newest = async () => (await newestTrace(read)).trace_id;

  it('is the newest, whoever else searched meanwhile', async () => {
    await ada.chain();
    const second = await ada.chain();
    await world.as(github(7)).chain();
    expect(await newest()).toBe(second.trace_id);
    expect((await chooseTrace(read, undefined)).trace_id).toBe(second.trace_id);
    expect((await chooseTrace(read, 'last')).trace_id).toBe(second.trace_id);
  });

  it('stays the search while its sources are looked into', async () => {
    const { trace_id, ...answer } = await ada.chain();
    const of = sourcesOf(answer);
    await ada.retrieve({ sources: [of('Gamma')] });
    await ada.retrieve({ sources: [of('Alpha'), of('Beta')] });
    expect(await newest()).toBe(trace_id);
  });

  it('is the look itself where it names anything else', async () => {
    const narrow = await ada.retrieve({ query: 'needle' });
    const byName = await ada.retrieve({ sources: ['acme/app/wiki/Alpha'] });
    expect(await newest()).toBe(byName.trace_id);
    await ada.retrieve({ query: 'needle' });
    const { trace_id } = await ada.retrieve({ sources: [sourcesOf(await ada.chain())('Gamma')] });
    await ada.retrieve({ query: 'needle' });
    const outside = await ada.retrieve({
      sources: [sourcesOf(await ada.retrieve({ sources: ['acme/app/wiki/Gamma'] }))('Gamma')],
    });
    expect(await newest()).toBe(outside.trace_id);
    expect((await chooseTrace(read, trace_id)).trace_id).toBe(trace_id);
    expect((await chooseTrace(read, narrow.trace_id)).trace_id).toBe(narrow.trace_id);
  });

  it('may be a look, where there was no search', async () => {
    const { trace_id } = await ada.retrieve({ sources: ['acme/app/wiki/Alpha'] });
    expect(await newest()).toBe(trace_id);
  });

  it('is unknown, in the words of the command line, where there is none', async () => {
    expect(await refusal(newest())).toEqual({
      code: 'unknown_trace',
      message: 'TRACE: there is no retrieval of yours yet',
      hint: 'Search first: gh-rag search QUERY',
    });
    const foreign = await world.as(github(7)).chain();
    const refused = await refusal(chooseTrace(read, foreign.trace_id));
    expect(refused).toMatchObject({ code: 'unknown_trace', message: 'TRACE: is no trace of yours' });
    expect(await refusal(chooseTrace(read, 'trc_never'))).toEqual(refused);
  });
});

describe('a confirmation', () => {
  const confirmed = async (caller: Caller = ada) => {
    const answer = await caller.chain();
    const gamma = sourcesOf(answer)('Gamma');
    await caller.useFully(answer.trace_id, gamma);
    return caller.confirm(answer.trace_id, [gamma]);
  };

  it('is found with its trace, by id and as the last one', async () => {
    const first = await confirmed();
    world.clock.ms += 1000;
    const second = await confirmed();
    for (let search = 0; search < 51; search += 1) await ada.retrieve({ query: 'nothing at all' });
    expect(await findConfirmation(read, first.confirmation_id)).toEqual({
      traceId: first.trace_id,
      confirmationId: first.confirmation_id,
    });
    expect(await refusal(findConfirmation(read, 'last'))).toMatchObject({ code: 'unknown_confirmation' });
    world.clock.ms += 1000;
    await ada.chain();
    const [third] = (await ada.recall(second.trace_id)).sources.filter((source) => source.stage === 'used');
    expect(third).toBeDefined();
    const late = await confirmed();
    world.clock.ms += 1000;
    const last = { traceId: late.trace_id, confirmationId: late.confirmation_id };
    expect(await findConfirmation(read, 'last')).toEqual(last);
    await ada.reverse(late);
    expect(await findConfirmation(read, 'last'), 'taken back or not').toEqual(last);
  });

  it('that is later on an older trace is the last one', async () => {
    const older = await ada.chain();
    const gamma = sourcesOf(older)('Gamma');
    await ada.useFully(older.trace_id, gamma);
    await confirmed();
    world.clock.ms += 1000;
    const { trace_id, confirmation_id } = await ada.confirm(older.trace_id, [gamma]);
    expect(await findConfirmation(read, 'last')).toEqual({ traceId: trace_id, confirmationId: confirmation_id });
  });

  it('of somebody else and one that never was are the same', async () => {
    const foreign = await confirmed(world.as(github(7)));
    const refused = await refusal(findConfirmation(read, foreign.confirmation_id));
    expect(refused).toMatchObject({ code: 'unknown_confirmation', message: 'CONFIRMATION: is none of yours' });
    expect(await refusal(findConfirmation(read, 'rcp_never'))).toEqual(refused);
    expect(await refusal(findConfirmation(read, 'last'))).toMatchObject({
      code: 'unknown_confirmation',
      message: 'CONFIRMATION: there is none yet',
    });
  });
});
