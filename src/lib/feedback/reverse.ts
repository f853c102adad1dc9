import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { formatTime } from '../core/time.ts';
import { Parameters } from '../corpus/filters.ts';
import { change, type Query, query } from '../engine/database.ts';
import type { Principal } from '../engine/principal.ts';
import { edgeStrength, presentDelta } from './credit.ts';
import { type Credit, creditsBesideQuery, edgeKey, reverseCredits } from './credit-store.ts';
import type { Mutation } from './mutation.ts';
import { principalId } from './principal.ts';
import type { ReversalReceipt } from './receipts.ts';
import { requireTrace, traceSourcesQuery } from './trace-state.ts';

export interface ReverseInput {
  readonly trace_id: string;
  readonly idempotency_key: string;
  readonly outcome: 'corrected' | 'rolled_back';
  readonly confirmation_id: string;
  readonly reason: string;
}

/** A correction: takes exactly what one confirmation gave out of the sums; everything given since stays. */
export function reversal(
  input: ReverseInput,
): Mutation<
  readonly [ReturnType<typeof traceSourcesQuery>, Query<number>, ReturnType<typeof creditsBesideQuery>],
  ReversalReceipt
> {
  const { trace_id, idempotency_key, outcome, confirmation_id, reason } = input;
  return {
    key: idempotency_key,
    payload: { tool: 'record_outcome', trace_id, outcome, confirmation_id, reason },
    state: (principal, allowed) => [
      traceSourcesQuery(principal, trace_id, [], allowed),
      confirmationQuery(principal, confirmation_id),
      creditsBesideQuery(principal, confirmation_id),
    ],
    decide: ([rows, confirmations, ledger], principal, now, receiptId) => {
      const { traceSeq } = requireTrace(rows);
      if (!confirmations.includes(traceSeq)) throw unknownConfirmation();
      const receipt: ReversalReceipt = {
        receipt_id: receiptId,
        kind: 'reversal',
        confirmation_id,
        trace_id,
        timestamp: formatTime(now),
        outcome,
        reason,
        reversals: reversalsOf(confirmation_id, ledger, now),
      };
      const counted = change('UPDATE traces SET reversal_count = reversal_count + 1 WHERE seq = ?', [traceSeq]);
      return { receipt, traceSeq, changes: [reverseCredits(principal, confirmation_id), counted] };
    },
  };
}

function reversalsOf(confirmationId: string, ledger: readonly Credit[], now: number): ReversalReceipt['reversals'] {
  return ledger
    .filter((credit) => credit.confirmationId === confirmationId)
    .map((credit) => {
      const key = edgeKey(credit.edge);
      const left = ledger.filter(
        (each) => each.state === 'active' && each.confirmationId !== confirmationId && edgeKey(each.edge) === key,
      );
      const already = credit.state === 'reversed';
      return {
        edge: credit.edge,
        applied_delta: credit.delta,
        reversed_delta: already ? 0 : presentDelta(credit, now),
        strength: edgeStrength(left, now),
        state: 'reversed' as const,
        ...(already && { reason: 'already_reversed' as const }),
      };
    });
}

const traceRow = z.object({ trace_seq: z.int() });

/** The trace of a confirmation of the principal; no row for any other handle. */
function confirmationQuery(principal: Principal, confirmationId: string): Query<number> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  return query(
    `SELECT trace_seq FROM receipts WHERE receipt_id = ${parameters.add(confirmationId)} AND principal_id = ${id} AND kind = 'confirmation'`,
    parameters.values,
    (row) => traceRow.parse(row).trace_seq,
  );
}

function unknownConfirmation(): Failure {
  return new Failure('unknown_confirmation', 'confirmation_id: is no confirmation of this trace', {
    hint: 'Use the confirmation_id of a receipt that record_outcome gave for this trace.',
  });
}
