import { Failure } from '../core/failure.ts';
import { formatTime } from '../core/time.ts';
import { change } from '../engine/database.ts';
import type { Principal } from '../engine/principal.ts';
import { creditFor, edgeStrength } from './credit.ts';
import { type Credit, creditsOnPathsQuery, edgeKey, insertCredit } from './credit-store.ts';
import type { Mutation } from './mutation.ts';
import type { ConfirmationReceipt } from './receipts.ts';
import { requireTrace, type TraceSource, traceSourcesQuery, unknownSource } from './trace-state.ts';
import { STAGES, type WireEdge } from './wire.ts';

export interface ConfirmInput {
  readonly trace_id: string;
  readonly idempotency_key: string;
  readonly source_ids: readonly string[];
  readonly reason: string;
}

const USED = STAGES.indexOf('used');

/**
 * A confirmed outcome: every edge on the saved path of each source gets a credit, once per trace and edge for ever, and
 * no edge gets anything else.
 */
export function confirmation(
  input: ConfirmInput,
): Mutation<
  readonly [ReturnType<typeof traceSourcesQuery>, ReturnType<typeof creditsOnPathsQuery>],
  ConfirmationReceipt
> {
  const { trace_id, idempotency_key, source_ids, reason } = input;
  return {
    key: idempotency_key,
    payload: { tool: 'record_outcome', trace_id, outcome: 'confirmed', source_ids, reason },
    state: (principal, allowed) => [
      traceSourcesQuery(principal, trace_id, source_ids, allowed),
      creditsOnPathsQuery(principal, trace_id, source_ids, allowed),
    ],
    decide: ([rows, ledger], principal, now, receiptId) => {
      const { traceSeq, sources } = requireTrace(rows);
      const confirmed = source_ids.map((id, at) => usedSource(sources, id, at));
      const { credits, added } = creditEdges(confirmed, ledger, {
        principal,
        traceSeq,
        confirmationId: receiptId,
        now,
      });
      const receipt: ConfirmationReceipt = {
        receipt_id: receiptId,
        kind: 'confirmation',
        confirmation_id: receiptId,
        trace_id,
        timestamp: formatTime(now),
        outcome: 'confirmed',
        reason,
        sources: confirmed.map(({ sourceId, path }) => ({ source_id: sourceId, path })),
        credits,
      };
      const counted = change('UPDATE traces SET confirmation_count = confirmation_count + 1 WHERE seq = ?', [traceSeq]);
      return { receipt, traceSeq, changes: [...added.map((credit) => insertCredit(principal, credit)), counted] };
    },
  };
}

function usedSource(sources: ReadonlyMap<string, TraceSource>, id: string, at: number): TraceSource {
  const source = sources.get(id);
  if (source === undefined) throw unknownSource(`source_ids[${String(at)}]`);
  if (source.stage === USED) return source;
  throw new Failure('not_used', `source_ids[${String(at)}]: is not recorded as used in this trace`, {
    hint: 'Record its use first, up to the stage used.',
  });
}

type NewCredit = Pick<Credit, 'edge' | 'traceSeq' | 'confirmationId' | 'delta' | 'at'>;

interface Context {
  readonly principal: Principal;
  readonly traceSeq: number;
  readonly confirmationId: string;
  readonly now: number;
}

function creditEdges(
  sources: readonly TraceSource[],
  ledger: readonly Credit[],
  { traceSeq, confirmationId, now }: Context,
): { credits: ConfirmationReceipt['credits']; added: readonly NewCredit[] } {
  const added: NewCredit[] = [];
  const credits: ConfirmationReceipt['credits'] = [];
  const activeOn = (key: string): { delta: number; at: number }[] => [
    ...ledger.filter((credit) => credit.state === 'active' && edgeKey(credit.edge) === key),
    ...added.filter((credit) => edgeKey(credit.edge) === key),
  ];
  for (const { sourceId, path } of sources) {
    if (path.length === 0) {
      credits.push({
        source_id: sourceId,
        edge: null,
        applied_delta: 0,
        strength: 0,
        state: 'active',
        reason: 'no_graph_path',
      });
    }
    for (const { direction: _, ...edge } of path) {
      const key = edgeKey(edge);
      const claim = claimOf(key, traceSeq, ledger, added);
      const active = activeOn(key);
      const delta = claim === undefined ? creditFor(active, now) : 0;
      if (claim === undefined) added.push({ edge, traceSeq, confirmationId, delta, at: now });
      const reason = claim ?? (delta === 0 ? 'cap_reached' : undefined);
      credits.push({
        source_id: sourceId,
        edge,
        applied_delta: delta,
        strength: edgeStrength(activeOn(key), now),
        state: 'active',
        ...(reason !== undefined && { reason }),
      });
    }
  }
  return { credits, added };
}

/** Why a trace may not credit an edge any more; undefined when it may. */
function claimOf(
  key: string,
  traceSeq: number,
  ledger: readonly Credit[],
  added: readonly { readonly edge: WireEdge }[],
): 'duplicate_trace_edge' | 'already_reversed' | undefined {
  const earlier = ledger.find((credit) => credit.traceSeq === traceSeq && edgeKey(credit.edge) === key);
  if (earlier !== undefined) return earlier.state === 'active' ? 'duplicate_trace_edge' : 'already_reversed';
  return added.some((credit) => edgeKey(credit.edge) === key) ? 'duplicate_trace_edge' : undefined;
}
