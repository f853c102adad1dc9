/**
 * A reference of the feedback memory in a few maps, written from the text of its contract (sections 4 to 6, 8, 9 and 12)
 * and from nothing else: it shares no code with src and knows no SQL.
 */

export interface Edge {
  readonly repo: string;
  readonly src_slug: string;
  readonly dst_slug: string;
  readonly edge_kind: string;
}
export type Path = readonly (Edge & { readonly direction: string })[];

/** A source of an answer with the verified path that it was reached by, empty where there is none. */
export interface Returned {
  readonly source_id: string;
  readonly path: Path;
}

export interface UseCall {
  readonly trace_id: string;
  readonly idempotency_key: string;
  readonly uses: readonly { readonly source_id: string; readonly stage: 'selected' | 'validated' | 'used' }[];
}
export interface ConfirmCall {
  readonly trace_id: string;
  readonly idempotency_key: string;
  readonly outcome: 'confirmed';
  readonly source_ids: readonly string[];
  readonly reason: string;
}
export interface ReverseCall {
  readonly trace_id: string;
  readonly idempotency_key: string;
  readonly outcome: 'corrected' | 'rolled_back';
  readonly confirmation_id: string;
  readonly reason: string;
}
export type Call = UseCall | ConfirmCall | ReverseCall;

/** What a call comes to: the receipt, or the code of the refusal. */
export type Outcome = { readonly receipt: Receipt } | { readonly refused: string };
export interface Receipt {
  readonly receipt_id: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

const STAGES = ['retrieved', 'selected', 'validated', 'used'];
const ADDED: Readonly<Record<string, number>> = { selected: 0.2, validated: 0.5, used: 1 };

const afterDecay = (value: number, since: number, now: number): number =>
  value * 0.5 ** (Math.max(0, now - since) / 3_600_000);
const rfc3339 = (ms: number): string => new Date(ms).toISOString();
const nameOf = ({ repo, src_slug, dst_slug, edge_kind }: Edge): string =>
  [repo, src_slug, dst_slug, edge_kind].join('\n');
const edgeOf = ({ repo, src_slug, dst_slug, edge_kind }: Edge): Edge => ({ repo, src_slug, dst_slug, edge_kind });

/** Equal for payloads that differ only in the order of their fields. */
function payloadOf(call: Call): string {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, each]) => [field, sorted(each)]);
  };
  return JSON.stringify(sorted({ ...call, idempotency_key: 'uses' in call ? 'use' : 'outcome' }));
}

interface Contribution {
  readonly edge: Edge;
  readonly trace: Trace;
  readonly confirmation: string;
  readonly delta: number;
  readonly at: number;
  active: boolean;
}

interface Trace {
  readonly id: string;
  readonly at: number;
  readonly sources: Map<string, { stage: number; readonly path: Path }>;
  readonly receipts: Receipt[];
}

/** The memory of one principal. */
export class ReferenceMemory {
  readonly #traces = new Map<string, Trace>();
  readonly #activations = new Map<string, { retrieved: number; usage: number; at: number }>();
  readonly #keys = new Map<string, { readonly payload: string; readonly receipt: Receipt }>();
  readonly #ledger: Contribution[] = [];

  /** A successful retrieval. */
  retrieve(trace_id: string, returned: readonly Returned[], now: number): void {
    const sources = new Map<string, { stage: number; path: Path }>();
    for (const { source_id, path } of returned) {
      const known = sources.get(source_id);
      if (known === undefined) sources.set(source_id, { stage: 0, path });
      else if (known.path.length === 0) known.path = path;
    }
    this.#traces.set(trace_id, { id: trace_id, at: now, sources, receipts: [] });
    for (const id of sources.keys()) this.#activate(id, 'retrieved', 0.1, now);
  }

  #activate(source_id: string, channel: 'retrieved' | 'usage', added: number, now: number): void {
    const stored = this.#activations.get(source_id) ?? { retrieved: 0, usage: 0, at: now };
    const decayed = {
      retrieved: afterDecay(stored.retrieved, stored.at, now),
      usage: afterDecay(stored.usage, stored.at, now),
    };
    decayed[channel] = Math.min(10, decayed[channel] + added);
    this.#activations.set(source_id, { ...decayed, at: Math.max(stored.at, now) });
  }

  activation(source_id: string, now: number) {
    const stored = this.#activations.get(source_id) ?? { retrieved: 0, usage: 0, at: now };
    const retrieved = afterDecay(stored.retrieved, stored.at, now);
    const usage = afterDecay(stored.usage, stored.at, now);
    return { retrieved, usage, total: retrieved + usage, updated_at: rfc3339(Math.max(stored.at, now)) };
  }

  strength(edge: Edge, now: number): number {
    const active = this.#ledger.filter((each) => each.active && nameOf(each.edge) === nameOf(edge));
    return Math.min(
      5,
      active.reduce((sum, each) => sum + afterDecay(each.delta, each.at, now), 0),
    );
  }

  /** A mutation. `issued` is the handle that a new receipt gets. */
  call(call: Call, now: number, issued: string): Outcome {
    const earlier = this.#keys.get(call.idempotency_key);
    if (earlier !== undefined) {
      return earlier.payload === payloadOf(call) ? { receipt: earlier.receipt } : { refused: 'idempotency_conflict' };
    }
    const trace = this.#traces.get(call.trace_id);
    if (trace === undefined) return { refused: 'unknown_trace' };
    const head = { receipt_id: issued, trace_id: trace.id, timestamp: rfc3339(now) };
    const decided = 'uses' in call ? this.#use(trace, call, now) : this.#outcome(trace, call, now, issued);
    if (typeof decided === 'string') return { refused: decided };
    const receipt = { ...head, ...decided };
    this.#keys.set(call.idempotency_key, { payload: payloadOf(call), receipt });
    trace.receipts.push(receipt);
    return { receipt };
  }

  #use(trace: Trace, { uses }: UseCall, now: number) {
    const stages = new Map([...trace.sources].map(([id, { stage }]) => [id, stage]));
    for (const { source_id, stage } of uses) {
      const current = stages.get(source_id);
      if (current === undefined) return 'unknown_source';
      const claimed = STAGES.indexOf(stage);
      if (claimed > current + 1) return 'stage_order';
      stages.set(source_id, Math.max(current, claimed));
    }
    const recorded = uses.map(({ source_id, stage }) => {
      const source = trace.sources.get(source_id);
      const applied = source !== undefined && STAGES.indexOf(stage) > source.stage;
      if (applied) {
        source.stage += 1;
        this.#activate(source_id, 'usage', ADDED[stage] ?? 0, now);
      }
      const reason = applied ? {} : { reason: 'already_recorded' };
      return { source_id, stage, applied, ...reason, activation: this.activation(source_id, now) };
    });
    return { kind: 'source_use', uses: recorded };
  }

  #outcome(trace: Trace, call: ConfirmCall | ReverseCall, now: number, issued: string) {
    const { outcome, reason } = call;
    if (call.outcome !== 'confirmed') {
      const { confirmation_id } = call;
      const original = trace.receipts.find((each) => each.receipt_id === confirmation_id);
      if (original?.kind !== 'confirmation') return 'unknown_confirmation';
      return { kind: 'reversal', confirmation_id, outcome, reason, reversals: this.#reverse(confirmation_id, now) };
    }
    for (const id of call.source_ids) {
      const source = trace.sources.get(id);
      if (source === undefined) return 'unknown_source';
      if (source.stage < 3) return 'not_used';
    }
    const sources = call.source_ids.map((source_id) => ({ source_id, path: trace.sources.get(source_id)?.path ?? [] }));
    const credits = sources.flatMap((source) => this.#credit(trace, source, now, issued));
    return { kind: 'confirmation', confirmation_id: issued, outcome, reason, sources, credits };
  }

  #credit(trace: Trace, { source_id, path }: Returned, now: number, confirmation: string): object[] {
    if (path.length === 0) {
      return [{ source_id, edge: null, applied_delta: 0, strength: 0, state: 'active', reason: 'no_graph_path' }];
    }
    return path.map((step) => {
      const edge = edgeOf(step);
      const claim = this.#ledger.find((each) => each.trace === trace && nameOf(each.edge) === nameOf(edge));
      let reason = claim === undefined ? undefined : claim.active ? 'duplicate_trace_edge' : 'already_reversed';
      const delta = claim === undefined ? Math.min(0.25, 5 - this.strength(edge, now)) : 0;
      if (claim === undefined) {
        this.#ledger.push({ edge, trace, confirmation, delta, at: now, active: true });
        if (delta === 0) reason = 'cap_reached';
      }
      const strength = this.strength(edge, now);
      return {
        source_id,
        edge,
        applied_delta: delta,
        strength,
        state: 'active',
        ...(reason !== undefined && { reason }),
      };
    });
  }

  #reverse(confirmation: string, now: number) {
    const own = this.#ledger.filter((each) => each.confirmation === confirmation);
    const taken = own.map((each) => (each.active ? afterDecay(each.delta, each.at, now) : undefined));
    for (const each of own) each.active = false;
    return own.map(({ edge, delta }, at) => ({
      edge,
      applied_delta: delta,
      reversed_delta: taken[at] ?? 0,
      strength: this.strength(edge, now),
      state: 'reversed',
      ...(taken[at] === undefined && { reason: 'already_reversed' }),
    }));
  }

  /** Traces as history lists them, newest first. */
  summaries() {
    const listed = [...this.#traces.values()].map(({ id, at, sources, receipts }) => ({
      trace_id: id,
      timestamp: rfc3339(at),
      source_count: sources.size,
      used_count: [...sources.values()].filter(({ stage }) => stage === 3).length,
      confirmation_count: receipts.filter(({ kind }) => kind === 'confirmation').length,
      reversal_count: receipts.filter(({ kind }) => kind === 'reversal').length,
    }));
    return listed.reverse();
  }

  /** A trace as history shows it: its sources, and its receipts as issued but for the present state of credits. */
  recall(trace_id: string, now: number) {
    const trace = this.#traces.get(trace_id);
    if (trace === undefined) return undefined;
    const sources = [...trace.sources].map(([source_id, { stage, path }]) => ({
      source_id,
      stage: STAGES[stage],
      activation: this.activation(source_id, now),
      path,
    }));
    const stateOf = (edge: Edge | null): string => {
      const claims = this.#ledger.filter(
        (each) => edge !== null && each.trace === trace && nameOf(each.edge) === nameOf(edge),
      );
      return claims.some((each) => !each.active) ? 'reversed' : 'active';
    };
    const receipts = trace.receipts.map((receipt) => {
      if (receipt.kind !== 'confirmation') return receipt;
      const credits = receipt.credits as { readonly edge: Edge | null }[];
      return { ...receipt, credits: credits.map((credit) => ({ ...credit, state: stateOf(credit.edge) })) };
    });
    return { sources, receipts };
  }
}
