import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { formatTime } from '../core/time.ts';
import { change, type Change } from '../engine/database.ts';
import { defineOperation } from '../operation/operation.ts';
import { type Activation, decayedTo, strengthened } from './activation.ts';
import { activationsQuery, wireActivation, writeActivations } from './activation-store.ts';
import { mutate } from './mutation.ts';
import { MAX_BATCH, STAGE_ADDITIONS } from './policy.ts';
import { type SourceUseReceipt, sourceUseReceipt } from './receipts.ts';
import { requireTrace, traceSourcesQuery, unknownSource } from './trace-state.ts';
import { idempotencyKey, sourceHandle, stage, STAGES, traceHandle } from './wire.ts';

const claimedStage = stage
  .exclude(['retrieved'])
  .describe(
    'selected: you chose this source to look into. validated: you checked this exact source and judged it usable. used: an answer, decision or review actually rests on it.',
  );

const input = z.strictObject({
  trace_id: traceHandle,
  idempotency_key: idempotencyKey,
  uses: z
    .array(z.strictObject({ source_id: sourceHandle, stage: claimedStage }))
    .min(1)
    .max(MAX_BATCH)
    .describe(
      'Steps in order. A source advances one stage at a time; several steps of one source may come in one call.',
    ),
});

export const recordSourceUse = defineOperation({
  name: 'record_source_use',
  title: 'Record what you used',
  description:
    'Say honestly which sources of a retrieval you selected, validated and used, when you did. Stages advance one at a time: selected, validated, used. Retrieval alone is no use, and use is no confirmation: once an outcome is known, call record_outcome. One bad entry and nothing of the call is recorded.',
  input,
  output: sourceUseReceipt,
  effect: 'apply',
  openWorld: false,
  faces: ['cli', 'mcp'],
  async handler(engine, { trace_id, idempotency_key, uses }) {
    const sourceIds = [...new Set(uses.map((use) => use.source_id))];
    const issued = await mutate(engine, {
      key: idempotency_key,
      payload: { tool: 'record_source_use', trace_id, uses },
      state: (principal, allowed) => [
        traceSourcesQuery(principal, trace_id, sourceIds, allowed),
        activationsQuery(principal, sourceIds),
      ],
      decide: ([rows, stored], principal, now, receiptId) => {
        const { traceSeq, sources } = requireTrace(rows);
        const stages = new Map([...sources].map(([id, source]) => [id, source.stage]));
        const activations = new Map(stored.map((each) => [each.sourceId, each.activation]));
        const advanced = new Set<string>();
        const recorded = uses.map((use, at): SourceUseReceipt['uses'][number] => {
          const current = stages.get(use.source_id);
          if (current === undefined) throw unknownSource(`uses[${String(at)}].source_id`);
          const claimed = STAGES.indexOf(use.stage);
          if (claimed > current + 1) throw outOfOrder(at, use.stage);
          const known = activations.get(use.source_id);
          if (claimed <= current) {
            const shown = known ?? { retrieved: 0, usage: 0, updatedAt: now };
            return {
              ...use,
              applied: false,
              reason: 'already_recorded',
              activation: wireActivation(decayedTo(shown, now)),
            };
          }
          const next = strengthened(known, { usage: STAGE_ADDITIONS[use.stage] }, now);
          stages.set(use.source_id, claimed);
          activations.set(use.source_id, next);
          advanced.add(use.source_id);
          return { ...use, applied: true, activation: wireActivation(next) };
        });
        const changed = new Map([...activations].filter(([id]) => advanced.has(id)));
        const receipt: SourceUseReceipt = {
          receipt_id: receiptId,
          kind: 'source_use',
          trace_id,
          timestamp: formatTime(now),
          uses: recorded,
        };
        return {
          receipt,
          traceSeq,
          changes: changesOf(traceSeq, stages, changed, (map) => writeActivations(principal, map)),
        };
      },
    });
    return sourceUseReceipt.parse(issued);
  },
});

function outOfOrder(at: number, claimed: string): Failure {
  return new Failure('stage_order', `uses[${String(at)}].stage: ${claimed} must follow the stage before it`, {
    hint: 'The order is selected, validated, used; one call may hold all three.',
  });
}

function changesOf(
  traceSeq: number,
  stages: ReadonlyMap<string, number>,
  activations: ReadonlyMap<string, Activation>,
  write: (activations: ReadonlyMap<string, Activation>) => Change,
): Change[] {
  if (activations.size === 0) return [];
  const rows = [...activations.keys()].map((source_id) => ({ source_id, stage: stages.get(source_id) ?? 0 }));
  return [
    change(
      `UPDATE trace_sources SET stage = (SELECT value ->> 'stage' FROM json_each(?2) WHERE value ->> 'source_id' = source_id)
       WHERE trace_seq = ?1 AND source_id IN (SELECT value ->> 'source_id' FROM json_each(?2))`,
      [traceSeq, JSON.stringify(rows)],
    ),
    change(
      'UPDATE traces SET used_count = (SELECT count(*) FROM trace_sources WHERE trace_seq = ?1 AND stage = 3) WHERE seq = ?1',
      [traceSeq],
    ),
    write(activations),
  ];
}
