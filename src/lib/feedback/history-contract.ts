import * as z from 'zod';
import { MAX_PAGE } from './policy.ts';
import { receipt } from './receipts.ts';
import { activation, memoryRecording, path, provenance, stage, timestamp, traceHandle } from './wire.ts';

export const historyInput = z.strictObject({
  trace_id: traceHandle
    .optional()
    .describe('Show this trace with its sources and receipts. Absent: list traces, newest first.'),
  limit: z.int().min(1).max(MAX_PAGE).default(10).describe('Traces, or receipts of the trace, on a page.'),
  cursor: z.string().min(1).max(256).optional().describe('next_cursor of the page before.'),
});

const json = z.record(z.string(), z.json());

export const traceSummary = z.object({
  trace_id: z.string(),
  timestamp,
  mode: z.string(),
  query: z.string().nullable(),
  filters: json,
  source_count: z.int(),
  used_count: z.int(),
  confirmation_count: z.int(),
  reversal_count: z.int(),
  memory_recording: memoryRecording,
});
export type TraceSummary = z.output<typeof traceSummary>;

export const traceSource = z.object({
  source_id: z.string(),
  provenance,
  index_updated_at: timestamp.optional(),
  location: z.string(),
  axis: z.enum(['keyword', 'graph']),
  stage,
  activation,
  path,
});
export type TraceSourceDetail = z.output<typeof traceSource>;

const next_cursor = z.string().nullable().describe('For the next page; null on the last.');

export const historyOutput = z.object({
  traces: z.array(traceSummary).optional(),
  trace: z
    .object({
      trace_id: z.string(),
      timestamp,
      request: json,
      settings: json,
      memory_recording: memoryRecording,
      sources: z.array(traceSource),
    })
    .optional(),
  receipts: z.array(receipt).optional().describe('Oldest first, as issued; each credit with its current state.'),
  next_cursor,
});
export type HistoryOutput = z.output<typeof historyOutput>;
