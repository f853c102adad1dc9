import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { SearchOutput } from '../../src/lib/retrieval/search-contract.ts';
import { codeOf, github, type MemoryWorld } from './memory.ts';
import { altered, callOf, chosen, confirm, type Party, useFully } from './history-calls.ts';
import { type Call, type Path, type Receipt, ReferenceMemory, type Returned } from './model.ts';
import { CORPORA, PRINCIPALS, QUESTIONS, type Step } from './plan.ts';

let lastUser = 0;

/** Sources of an answer with their verified paths, in the order of the rows. */
function returnedBy({ results, graph_results }: SearchOutput): Returned[] {
  const rows = [
    ...results.flatMap((row) => [row, ...(row.same_entity?.others ?? [])]).map((row) => ({ row, path: [] as Path })),
    ...graph_results.map((row) => ({ row, path: row.graph_feedback_available === false ? [] : row.graph_path })),
  ];
  return rows.flatMap(({ row, path }) => (row.source_id === undefined ? [] : [{ source_id: row.source_id, path }]));
}

/** A history on a real database, step by step beside the reference; throws where the two differ. */
export class HistoryRun {
  readonly world: MemoryWorld;
  readonly parties: readonly Party[];
  readonly #calls: { readonly party: Party; readonly call: Call }[] = [];
  /** Refusals by code. */
  readonly refused = new Map<string, number>();
  #corpus = 0;

  constructor(world: MemoryWorld) {
    this.world = world;
    this.parties = Array.from({ length: PRINCIPALS }, () => this.newParty());
  }

  newParty(): Party {
    lastUser += 1;
    const caller = this.world.as(github(lastUser));
    return { caller, reference: new ReferenceMemory(), traces: [], confirmations: [], done: [] };
  }

  get now(): number {
    return this.world.clock.ms;
  }

  /** Which of CORPORA is indexed. */
  get corpus(): number {
    return this.#corpus;
  }

  async index(corpus: number): Promise<void> {
    const { documents, removed } = CORPORA[corpus] ?? { documents: [], removed: [] };
    await this.world.index(documents, removed);
    this.#corpus = corpus;
  }

  async step(step: Step): Promise<void> {
    const party = this.parties['who' in step ? step.who : 0];
    if (party === undefined) return;
    switch (step.do) {
      case 'search':
        return this.search(party, step.question, step.use_memory);
      case 'tick':
        this.world.clock.ms += step.ms;
        return;
      case 'index':
        return this.index(step.corpus);
      case 'recall':
        return this.recall(party, chosen(party.traces, step.trace)?.trace_id);
      case 'repeat': {
        const earlier = chosen(this.#calls, step.call);
        if (earlier === undefined) return;
        const { party: owner, call } = earlier;
        return this.call(owner, step.altered ? altered(call) : { ...call });
      }
      case 'learn':
        for (let n = 0; n < step.times; n += 1) await this.#learn(party, step.question, step.pick);
        return;
      default:
        return this.call(party, callOf(step, party, this.parties));
    }
  }

  /** Searches, uses one source fully, preferably one with a path, and confirms it. */
  async #learn(party: Party, question: number, pick: number): Promise<void> {
    await this.search(party, question, false);
    const trace = party.traces.at(-1);
    const withPath = trace?.returned.filter(({ path }) => path.length > 0) ?? [];
    const source_id = chosen(withPath, pick)?.source_id;
    if (trace === undefined || source_id === undefined) return;
    await this.call(party, useFully(trace.trace_id, source_id));
    await this.call(party, confirm(trace.trace_id, [source_id]));
  }

  async search(party: Party, question: number, use_memory: boolean): Promise<void> {
    const { caller, reference } = party;
    const answer = await caller.retrieve({ ...QUESTIONS[question], use_memory });
    const returned = returnedBy(answer);
    reference.retrieve(answer.trace_id, returned, this.now);
    party.traces.push({ trace_id: answer.trace_id, returned, used: new Set() });
    party.done.push({
      did: 'search',
      question,
      use_memory,
      corpus: this.#corpus,
      at: this.now,
      trace_id: answer.trace_id,
    });
    for (const row of [
      ...answer.results.flatMap((each) => [each, ...(each.same_entity?.others ?? [])]),
      ...answer.graph_results,
    ]) {
      if (row.source_id !== undefined) same(row.activation, reference.activation(row.source_id, this.now));
    }
    this.#checkLearned(reference, answer, use_memory && question < 5);
  }

  /** Rows by hop, then by strength; each with the strength of its path. */
  #checkLearned(reference: ReferenceMemory, { graph_results }: SearchOutput, use_memory: boolean): void {
    let before: { readonly hop: number; readonly strength: number } | undefined;
    for (const { graph_hop: hop, graph_path, graph_feedback_available, learned_strength } of graph_results) {
      if (!use_memory) {
        same(learned_strength, undefined);
        continue;
      }
      const known = graph_path.reduce((sum, edge) => sum + reference.strength(edge, this.now), 0);
      same(learned_strength, graph_feedback_available === false ? null : known);
      const strength = learned_strength ?? 0;
      const inOrder = before === undefined || before.hop < hop || (before.hop === hop && before.strength >= strength);
      same(inOrder, true);
      before = { hop, strength };
    }
  }

  async call(party: Party, call: Call): Promise<void> {
    const { caller, reference } = party;
    const sent = 'uses' in call ? caller.use({ ...call, uses: [...call.uses] }) : caller.outcome(call);
    const receipt: Receipt | undefined = await sent.then(
      (issued) => ({ ...issued }),
      () => undefined,
    );
    const expected = reference.call(call, this.now, receipt?.receipt_id ?? 'none');
    if ('refused' in expected) {
      same(receipt, undefined);
      same(await codeOf(sent), expected.refused);
      this.refused.set(expected.refused, (this.refused.get(expected.refused) ?? 0) + 1);
      return;
    }
    same(receipt, expected.receipt);
    this.#calls.push({ party, call });
    if (party.done.some((entry) => entry.did === 'call' && entry.receipt.receipt_id === expected.receipt.receipt_id))
      return;
    party.done.push({ did: 'call', call, at: this.now, receipt: expected.receipt });
    const trace = party.traces.find(({ trace_id }) => trace_id === call.trace_id);
    if ('uses' in call) for (const use of call.uses) if (use.stage === 'used') trace?.used.add(use.source_id);
    if (expected.receipt.kind === 'confirmation') {
      party.confirmations.push({ trace_id: call.trace_id, confirmation_id: expected.receipt.receipt_id });
    }
  }

  async recall({ caller, reference }: Party, trace_id: string | undefined): Promise<void> {
    if (trace_id === undefined) return;
    const expected = reference.recall(trace_id, this.now);
    const pages = await caller.pages({ trace_id, limit: 7 });
    for (const { trace } of pages) {
      const sources = trace?.sources.map(({ source_id, stage, activation, path }) => ({
        source_id,
        stage,
        activation,
        path,
      }));
      same(sources, expected?.sources);
    }
    const receipts = pages.flatMap((page) => page.receipts ?? []);
    same(receipts, expected?.receipts);
  }

  /** Everything that history says of a principal; unless thorough, only the last trace in full. */
  async recallAll(party: Party, thorough: boolean): Promise<void> {
    const pages = await party.caller.pages({ limit: 9 });
    const listed = pages.flatMap(({ traces = [] }) =>
      traces.map(
        ({ mode: _mode, query: _query, filters: _filters, memory_recording: _recording, ...counts }) => counts,
      ),
    );
    same(listed, party.reference.summaries());
    for (const { trace_id } of thorough ? party.traces : party.traces.slice(-1)) await this.recall(party, trace_id);
  }
}

/** Deep equality that is fast while it holds. */
function same(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected);
}
