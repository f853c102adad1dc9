/** Mutations that follow from one another, with keys that are the same for whoever sends them. */

/** What happens to one source of one trace: selected, validated, used, confirmed, and perhaps rolled back. */
export interface Chain {
  readonly name: string;
  readonly trace_id: string;
  readonly source_id: string;
  readonly reversed: boolean;
}

const STAGES = ['selected', 'validated', 'used'] as const;

/** Calls of a chain from beginning to end. */
export const lengthOf = ({ reversed }: Chain): number => STAGES.length + (reversed ? 2 : 1);

/** The call that comes after the ones whose receipts are given; undefined at the end of the chain. */
export function nextCall(
  { name, trace_id, source_id, reversed }: Chain,
  receipts: readonly { readonly receipt_id: string }[],
) {
  const { length } = receipts;
  const head = { trace_id, idempotency_key: `${name}-${String(length)}` };
  const stage = STAGES[length];
  if (stage !== undefined) return { ...head, uses: [{ source_id, stage }] };
  if (length === STAGES.length) return { ...head, outcome: 'confirmed', source_ids: [source_id], reason: 'It held.' };
  const confirmation = receipts[STAGES.length];
  if (!reversed || confirmation === undefined || length > STAGES.length + 1) return undefined;
  return { ...head, outcome: 'rolled_back', confirmation_id: confirmation.receipt_id, reason: 'It was undone.' };
}
