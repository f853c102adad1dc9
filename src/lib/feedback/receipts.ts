import * as z from 'zod';
import { MAX_REASON_LENGTH } from './policy.ts';
import { activation, edge, path, STAGES, timestamp } from './wire.ts';

/** What each mutation answers, and what history shows again. */

export const sourceUseReceipt = z.object({
  receipt_id: z.string(),
  kind: z.literal('source_use'),
  trace_id: z.string(),
  timestamp,
  uses: z.array(
    z.object({
      source_id: z.string(),
      stage: z.enum(STAGES).exclude(['retrieved']),
      applied: z.boolean(),
      reason: z.enum(['already_recorded']).optional(),
      activation,
    }),
  ),
});
export type SourceUseReceipt = z.output<typeof sourceUseReceipt>;

const creditState = z.enum(['active', 'reversed']);

const NO_CREDIT_REASONS = ['duplicate_trace_edge', 'already_reversed', 'cap_reached', 'no_graph_path'] as const;

export const confirmationReceipt = z.object({
  receipt_id: z.string(),
  kind: z.literal('confirmation'),
  confirmation_id: z.string().describe('Handle for correcting or rolling back exactly this confirmation.'),
  trace_id: z.string(),
  timestamp,
  outcome: z.enum(['confirmed']),
  reason: z.string().max(MAX_REASON_LENGTH),
  sources: z.array(z.object({ source_id: z.string(), path })),
  credits: z.array(
    z.object({
      source_id: z.string(),
      edge: edge.nullable(),
      applied_delta: z.number(),
      strength: z.number().describe('Decayed strength of the edge after this confirmation.'),
      state: creditState,
      reason: z.enum(NO_CREDIT_REASONS).optional().describe('Why nothing was applied.'),
    }),
  ),
});
export type ConfirmationReceipt = z.output<typeof confirmationReceipt>;

export const reversalReceipt = z.object({
  receipt_id: z.string(),
  kind: z.literal('reversal'),
  confirmation_id: z.string(),
  trace_id: z.string(),
  timestamp,
  outcome: z.enum(['corrected', 'rolled_back']),
  reason: z.string().max(MAX_REASON_LENGTH),
  reversals: z.array(
    z.object({
      edge,
      applied_delta: z.number().describe('As it was applied once.'),
      reversed_delta: z.number().describe('What of it was left and taken back.'),
      strength: z.number().describe('Decayed strength of the edge after this reversal.'),
      state: z.enum(['reversed']),
      reason: z.enum(['already_reversed']).optional(),
    }),
  ),
});
export type ReversalReceipt = z.output<typeof reversalReceipt>;

export const receipt = z.discriminatedUnion('kind', [sourceUseReceipt, confirmationReceipt, reversalReceipt]);
export type Receipt = z.output<typeof receipt>;
