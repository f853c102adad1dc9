import type { Caller } from './memory.ts';
import type { Call, ConfirmCall, Edge, Receipt, ReferenceMemory, Returned } from './model.ts';
import type { Step } from './plan.ts';

/** What a principal did with effect, so that it can be done again by another. */
export type Done =
  | {
      readonly did: 'search';
      readonly question: number;
      readonly use_memory: boolean;
      readonly corpus: number;
      readonly at: number;
      readonly trace_id: string;
    }
  | { readonly did: 'call'; readonly call: Call; readonly at: number; readonly receipt: Receipt };

/** One principal: the real memory and the reference beside it. */
export interface Party {
  readonly caller: Caller;
  readonly reference: ReferenceMemory;
  readonly traces: { readonly trace_id: string; readonly returned: readonly Returned[]; readonly used: Set<string> }[];
  readonly confirmations: { readonly trace_id: string; readonly confirmation_id: string }[];
  readonly done: Done[];
}

/** One of a list by any number; undefined of an empty one. */
export const chosen = <Each>(list: readonly Each[], number: number): Each | undefined => list[number % list.length];

let lastKey = 0;

type CallStep = Extract<Step, { do: 'use' | 'use fully' | 'confirm' | 'reverse' | 'misuse' }>;

/** The call that a step means, by what its principal has; the numbers of `misuse` choose among what anybody has. */
export function callOf(step: CallStep, party: Party, parties: readonly Party[]): Call {
  const trace = 'trace' in step ? chosen(party.traces, step.trace) : undefined;
  const trace_id = trace?.trace_id ?? 'trc_none';
  const sources = trace?.returned.map(({ source_id }) => source_id) ?? [];
  switch (step.do) {
    case 'use': {
      const uses = step.picks.map(([pick, at]) => ({
        source_id: chosen(sources, pick) ?? 'src_none',
        stage: (['selected', 'validated', 'used'] as const)[at] ?? 'used',
      }));
      return { trace_id, idempotency_key: newKey(), uses };
    }
    case 'use fully':
      return useFully(trace_id, chosen(sources, step.pick) ?? 'src_none');
    case 'confirm': {
      // Mostly what was used; a pick beyond 900 takes any source.
      const ids = step.picks.map((pick) => chosen(pick > 900 ? sources : [...(trace?.used ?? [])], pick) ?? 'src_none');
      return confirm(trace_id, [...new Set(ids)]);
    }
    case 'reverse': {
      const { trace_id: of, confirmation_id } = chosen(party.confirmations, step.confirmation) ?? {
        trace_id,
        confirmation_id: 'rcp_none',
      };
      return {
        trace_id: of,
        idempotency_key: newKey(),
        outcome: step.outcome,
        confirmation_id,
        reason: 'It was wrong.',
      };
    }
    case 'misuse': {
      // Any trace and any receipt of anybody, which seldom belong together.
      const [a, b, c] = step.handles;
      const traces = parties.flatMap((each) => each.traces);
      const receipts = parties.flatMap((each) =>
        each.done.flatMap((entry) => ('receipt' in entry ? [entry.receipt] : [])),
      );
      const stranger = chosen(traces, a)?.trace_id ?? 'trc_none';
      const confirmation_id = chosen(receipts, b)?.receipt_id ?? 'rcp_none';
      const source_id =
        chosen(
          traces.flatMap(({ returned }) => returned),
          b,
        )?.source_id ?? 'src_none';
      if (c % 3 === 0) return useFully(stranger, source_id);
      if (c % 3 === 1) return confirm(stranger, [source_id]);
      return {
        trace_id: stranger,
        idempotency_key: newKey(),
        outcome: 'corrected',
        confirmation_id,
        reason: 'None.',
      };
    }
  }
}

function newKey(): string {
  lastKey += 1;
  return `k${String(lastKey)}`;
}

export function useFully(trace_id: string, source_id: string): Call {
  const uses = (['selected', 'validated', 'used'] as const).map((stage) => ({ source_id, stage }));
  return { trace_id, idempotency_key: newKey(), uses };
}

export function confirm(trace_id: string, source_ids: readonly string[]): ConfirmCall {
  return { trace_id, idempotency_key: newKey(), outcome: 'confirmed', source_ids, reason: 'It held.' };
}

/** The key of a call with another payload. */
export function altered(call: Call): Call {
  return 'uses' in call
    ? { ...call, uses: [...call.uses, ...call.uses].slice(0, 100) }
    : { ...call, reason: 'Another reason.' };
}

/** The edges that a confirmation was to credit. */
export function edgesOf(receipt: Receipt): Edge[] {
  const credits = receipt.credits as { readonly edge: Edge | null }[];
  return credits.flatMap(({ edge }) => (edge === null ? [] : [edge]));
}
