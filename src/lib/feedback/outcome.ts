import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { defineOperation } from '../operation/operation.ts';
import { confirmation } from './confirm.ts';
import { mutate } from './mutation.ts';
import { MAX_BATCH, MAX_REASON_LENGTH } from './policy.ts';
import { confirmationReceipt, reversalReceipt } from './receipts.ts';
import { reversal } from './reverse.ts';
import { handle, idempotencyKey, sourceHandle, traceHandle, wellFormed } from './wire.ts';

const input = z.strictObject({
  trace_id: traceHandle,
  idempotency_key: idempotencyKey,
  outcome: z
    .enum(['confirmed', 'corrected', 'rolled_back'])
    .describe(
      'confirmed: what rested on these sources proved right. corrected: an earlier confirmation was wrong. rolled_back: it was right, but what rested on it was undone.',
    ),
  source_ids: z
    .array(sourceHandle)
    .min(1)
    .max(MAX_BATCH)
    .optional()
    .describe('With confirmed: distinct sources of this trace at stage used.'),
  confirmation_id: handle
    .optional()
    .describe('With corrected and rolled_back: the confirmation to take back, of this trace.'),
  reason: wellFormed(z.string().min(1).max(MAX_REASON_LENGTH).regex(/\S/, 'must say something')).describe(
    'How the outcome is known, in a sentence.',
  ),
});

export const recordOutcome = defineOperation({
  name: 'record_outcome',
  title: 'Record how it turned out',
  description:
    'Once the outcome of something that rested on used sources is known: confirm it, and the graph edges that were travelled to those sources grow stronger for you. If that proves wrong or is undone, correct or roll back exactly that confirmation, and exactly its strength is taken back. Never confirm on the strength of retrieval or use alone.',
  input,
  output: z.discriminatedUnion('kind', [confirmationReceipt, reversalReceipt]),
  effect: 'apply',
  openWorld: false,
  faces: ['cli', 'mcp'],
  async handler(engine, { trace_id, idempotency_key, outcome, source_ids, confirmation_id, reason }) {
    if (outcome === 'confirmed') {
      if (source_ids === undefined) throw new Failure('invalid_input', 'source_ids: is required with confirmed');
      if (confirmation_id !== undefined) {
        throw new Failure('invalid_input', 'confirmation_id: does not go with confirmed');
      }
      if (new Set(source_ids).size < source_ids.length) {
        throw new Failure('invalid_input', 'source_ids: must be distinct');
      }
      const issued = await mutate(engine, confirmation({ trace_id, idempotency_key, source_ids, reason }));
      return confirmationReceipt.parse(issued);
    }
    if (source_ids !== undefined) throw new Failure('invalid_input', `source_ids: does not go with ${outcome}`);
    if (confirmation_id === undefined) {
      throw new Failure('invalid_input', `confirmation_id: is required with ${outcome}`);
    }
    const issued = await mutate(engine, reversal({ trace_id, idempotency_key, outcome, confirmation_id, reason }));
    return reversalReceipt.parse(issued);
  },
});
