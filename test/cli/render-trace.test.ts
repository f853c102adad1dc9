import fc from 'fast-check';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { feedbackFailure } from '../../src/lib/cli/feedback-failure.ts';
import { renderHistory } from '../../src/lib/cli/render-history.ts';
import { renderReceipt } from '../../src/lib/cli/render-receipt.ts';
import { renderTrace } from '../../src/lib/cli/render-trace.ts';
import { terminalOf } from '../../src/lib/cli/terminal.ts';
import { Failure } from '../../src/lib/core/failure.ts';
import { issue } from '../support/project.ts';
import { type Caller, CHAIN, HOUR, MemoryWorld, refusal, sourcesOf } from '../feedback/memory.ts';

const COLOR = {
  noColor: undefined,
  forceColor: undefined,
  cliColorForce: undefined,
  cliColor: undefined,
  term: undefined,
};
const colored = terminalOf(COLOR, { isTTY: true, columns: 80 });
const screen = terminalOf({ ...COLOR, noColor: '1' }, { isTTY: true, columns: 80 });
const pipe = terminalOf(COLOR, { isTTY: false, columns: undefined });
const HOSTILE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u202A-\u202E\u2066-\u2069]/;

let world: MemoryWorld;
let ada: Caller;
beforeEach(async () => {
  world = await MemoryWorld.of([...CHAIN, issue(1, { title: 'Sharp', body: 'A needle, too.' })]);
  let tokens = 0;
  ada = world.as({ kind: 'local' }, { entropy: { token: () => `T${String((tokens += 1))}` } });
});
afterEach(() => world.remove());

/** A search of which Gamma, two hops away, is used and confirmed; half of it is gone an hour later, when it is taken back. */
async function story() {
  const answer = await ada.chain({ repo: ['acme/app'] });
  const of = sourcesOf(answer);
  const used = await ada.useFully(answer.trace_id, of('Gamma'), of('Alpha'));
  const again = await ada.use({ trace_id: answer.trace_id, uses: [{ source_id: of('Alpha'), stage: 'used' }] });
  const confirmed = await ada.confirm(answer.trace_id, [of('Gamma'), of('Alpha')], { reason: 'It  held\n\u001B[31m.' });
  const twice = await ada.confirm(answer.trace_id, [of('Gamma')]);
  world.clock.ms += HOUR;
  const reversed = await ada.reverse(confirmed);
  const late = await ada.confirm(answer.trace_id, [of('Gamma')]);
  const empty = await ada.reverse(twice, { outcome: 'rolled_back' });
  const nothing = await ada.reverse(confirmed);
  const { receipts, next_cursor: _, ...trace } = await ada.recall(answer.trace_id);
  return { trace, receipts, used, again, confirmed, twice, reversed, late, empty, nothing };
}

describe('a receipt', () => {
  it('says what moved, by how much, and why not', async () => {
    const told = await story();
    const text = (name: 'used' | 'again' | 'confirmed' | 'twice' | 'reversed' | 'late' | 'empty' | 'nothing') =>
      renderReceipt(told[name], told.trace.sources, screen);
    expect(text('used')).toBe(
      [
        'Recorded the use of 2 sources.',
        '  g2 acme/app/wiki/Gamma',
        '    selected +0.20, validated +0.50, used +1.00 → activation 1.80',
        '  2 acme/app/wiki/Alpha',
        '    selected +0.20, validated +0.50, used +1.00 → activation 1.80',
        '',
      ].join('\n'),
    );
    expect(text('again')).toBe(
      [
        'Nothing new: all of it was recorded before.',
        '  2 acme/app/wiki/Alpha',
        '    used (already recorded) → activation 1.80',
        '',
      ].join('\n'),
    );
    expect(text('confirmed')).toBe(
      [
        'Confirmed. 2 edges grew by 0.50 in all.',
        '  because: It held [31m.',
        '  g2 acme/app/wiki/Gamma',
        '    +0.25 acme/app/wiki/Alpha ─mention→ wiki/Beta → strength 0.25',
        '    +0.25 acme/app/wiki/Beta ─mention→ wiki/Gamma → strength 0.25',
        '  2 acme/app/wiki/Alpha',
        '    no credit: no verified path of the graph led to it',
        `  confirmation ${told.confirmed.confirmation_id}`,
        '',
      ].join('\n'),
    );
    expect(text('twice')).toContain(
      'Confirmed. No edge grew.\n  because: It held.\n  g2 acme/app/wiki/Gamma\n' +
        '    +0 acme/app/wiki/Alpha ─mention→ wiki/Beta → strength 0.25: this retrieval credited it before\n',
    );
    expect(text('reversed')).toBe(
      [
        'Corrected. 2 edges lost 0.25 in all.',
        '  because: It was wrong.',
        '    -0.13 of 0.25 acme/app/wiki/Alpha ─mention→ wiki/Beta → strength 0',
        '    -0.13 of 0.25 acme/app/wiki/Beta ─mention→ wiki/Gamma → strength 0',
        `  confirmation ${told.confirmed.confirmation_id}`,
        '',
      ].join('\n'),
    );
    expect(text('late')).toContain('strength 0: this retrieval credited it once and that was taken back, for good\n');
    expect(text('empty')).toMatch(/^Rolled back\. It had credited no edge, so there was nothing to take back\.\n/);
    expect(text('nothing')).toMatch(
      /^Corrected\. Nothing was left to take back: it was reversed before\.\n.*\n {4}-0 /,
    );
  });

  it('says where a cap cut: of activation, and of an edge', async () => {
    let used = '';
    let confirmed = '';
    for (let round = 0; round < 21; round += 1) {
      const answer = await ada.chain();
      const gamma = sourcesOf(answer)('Gamma');
      const uses = await ada.useFully(answer.trace_id, gamma);
      const receipt = await ada.confirm(answer.trace_id, [gamma]);
      const { sources } = await ada.recall(answer.trace_id);
      used += renderReceipt(uses, sources, screen);
      confirmed = renderReceipt(receipt, sources, screen);
    }
    expect(used).toContain('selected +0.20, validated +0.50, used +0.80 (capped) → activation 10.60\n');
    expect(used).toContain(
      'selected up to the cap of 10, validated +0 (capped), used +0 (capped) → activation 10.70\n',
    );
    expect(confirmed).toMatch(/^Confirmed\. No edge grew\.\n/);
    expect(confirmed).toContain('+0 acme/app/wiki/Alpha ─mention→ wiki/Beta → strength 5.00: no edge grows beyond 5\n');
  });
});

describe('one trace', () => {
  it('is a page: request, settings, sources with number, stage, activation and path, and its receipts', async () => {
    const { trace, receipts } = await story();
    const page = renderTrace(trace, receipts, screen, world.clock.now() + 2 * HOUR);
    expect(page).toContain(
      [
        'needle',
        'trc_T1 · search · 3 hours ago',
        '',
        'filters   repo acme/app',
        'controls  top k 10, sort relevance, fusion rrf, rerank, graph expand, graph hops 2',
        'ranking   fusion rrf, sort relevance, dense candidates 0, sparse candidates 2, rerank requested, rerank applied',
        'axes      keyword 2, graph 2',
        'recorded  complete',
        '',
      ].join('\n'),
    );
    expect(page).toMatch(/^ {4}SOURCE +STAGE +ACTIVATION$/m);
    expect(page).toMatch(/^2 {3}acme\/app\/wiki\/Alpha {2}used +0\.90 {2}0\.05 retrieved \+ 0\.85 usage$/m);
    expect(page).toMatch(/^1 {3}acme\/app#1 +retrieved +0\.05$/m);
    expect(page).toMatch(
      /^g2 {2}acme\/app\/wiki\/Gamma .*\n {6}acme\/app\/wiki\/Alpha ─mention→ wiki\/Beta ─mention→ wiki\/Gamma$/m,
    );
    expect(page).toContain('\n\nConfirmed. 2 edges grew by 0.50 in all. 3 hours ago\n');
    expect(page).toContain('wiki/Beta → strength 0.25, taken back since\n');
    expect(page).toContain('\n\nCorrected. 2 edges lost 0.25 in all. 2 hours ago\n');
    expect(page).not.toMatch(HOSTILE);
    expect(stripVTControlCharacters(renderTrace(trace, receipts, colored, world.clock.now() + 2 * HOUR))).toBe(page);
    expect(renderTrace(trace, [], pipe, 0)).toContain(`search · ${trace.timestamp}\n`);
  });

  it('says what could not be recorded, and that nothing was found', async () => {
    const { receipts: _, ...trace } = await ada.recall((await ada.retrieve({ query: 'no such word' })).trace_id);
    const recording: typeof trace.memory_recording = {
      ...trace.memory_recording,
      status: 'partial',
      exclusions: [{ location: 'results[1]', reason: 'canonical_identity_unavailable' }],
      graph_exclusions: [{ location: 'graph_results[0]', reason: 'unverifiable_graph_path' }],
    };
    const page = renderTrace({ ...trace, memory_recording: recording }, [], screen, world.clock.now());
    expect(page).toContain(
      'recorded  partial, 2 not recorded: canonical identity unavailable, g1 without its path: unverifiable graph path\n',
    );
    expect(page).toMatch(/\nIt found nothing\.\n$/);
  });

  it('fits a terminal, and no source breaks a line', async () => {
    const { receipts: _, ...trace } = await ada.recall((await ada.chain()).trace_id);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (identity) => {
        const sources = trace.sources.map((source) => ({
          ...source,
          path: [],
          provenance: { ...source.provenance, identity },
        }));
        const page = renderTrace({ ...trace, sources }, [], screen, 0);
        expect(page).not.toMatch(HOSTILE);
        expect(page.split('\n')).toHaveLength(14);
      }),
    );
  });
});

describe('history', () => {
  it('is a table with relative times, and the question below each row', async () => {
    await story();
    await ada.retrieve({ sources: ['acme/app#1'] });
    const { traces = [] } = await ada.history();
    expect(renderHistory(traces, screen, world.clock.now() + HOUR / 2)).toBe(
      [
        'TRACE    AGE             FOUND  USED  CONFIRMED  REVERSED',
        'trc_T10  30 minutes ago      1     -          -         -',
        '  (stored sources)',
        'trc_T1   1 hour ago          4     2          3         3',
        '  needle  repo acme/app',
        '',
      ].join('\n'),
    );
    expect(stripVTControlCharacters(renderHistory(traces, colored, world.clock.now()))).toBe(
      renderHistory(traces, screen, world.clock.now()),
    );
    const time = '2024-06-01T12:00:00.000Z';
    const rows = renderHistory(traces, pipe, 0)
      .split('\n')
      .map((line) => line.split('\t'));
    expect(rows[1]).toEqual(['trc_T1', time, 'search', '4', '2', '3', '3', 'needle']);
    expect(renderHistory([], screen, 0)).toBe('No retrieval yet. Start with: gh-rag search QUERY\n');
    expect(renderHistory([], pipe, 0)).toBe('');
  });

  it('keeps its form whatever was asked', async () => {
    await ada.chain();
    const { traces = [] } = await ada.history();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (query) => {
        const evil = traces.map((trace) => ({ ...trace, query, filters: { author: query } }));
        expect(
          renderHistory(evil, pipe, 0)
            .split('\n')
            .map((line) => line.split('\t').length),
        ).toEqual([8, 1]);
        const table = renderHistory(evil, screen, 0);
        expect(table).not.toMatch(HOSTILE);
        expect(table.split('\n')).toHaveLength(4);
      }),
    );
  });
});

describe('a refusal', () => {
  it('speaks of what was typed, never of a handle', async () => {
    const { trace_id, ...answer } = await ada.chain();
    const [of, given] = [sourcesOf(answer), { sources: ['1', 'src_secret'], steps: 2 }];
    const uses = (stage: 'validated' | 'used', second: string) => [
      { source_id: of('Alpha'), stage: 'selected' as const },
      { source_id: of('Alpha'), stage },
      { source_id: second, stage: 'selected' as const },
      { source_id: second, stage },
    ];
    const told = async (call: Promise<unknown>) => {
      const { code, message, hint } = await refusal(
        call.catch((error: unknown) => {
          throw feedbackFailure(error, given);
        }),
      );
      return [code, message, hint];
    };
    expect(await told(ada.use({ trace_id, uses: uses('used', of('Beta')) }))).toEqual([
      'stage_order',
      'SOURCE: used must follow the stage before it (given: 1)',
      'Add --through to record the steps before it, too.',
    ]);
    expect(await told(ada.use({ trace_id, uses: uses('validated', 'src_secret') }))).toEqual([
      'unknown_source',
      'SOURCE: is no source of this trace (number 2 of the 2 given)',
      'gh-rag history last shows the sources of the newest retrieval.',
    ]);
    expect(await told(ada.use({ trace_id, idempotency_key: 'é', uses: uses('validated', 'src_secret') }))).toEqual([
      'invalid_input',
      '--key: must be visible ASCII characters',
      undefined,
    ]);
    expect(await told(ada.use({ trace_id: 'trc_secret', uses: uses('validated', 'src_secret') }))).toEqual([
      'unknown_trace',
      'TRACE: is no trace of yours',
      'gh-rag history lists your retrievals; last is the newest.',
    ]);
    const other = new Failure('database_busy', 'too many writes');
    expect(feedbackFailure(other, given)).toBe(other);
  });
});
