import * as z from 'zod';
import { DOCUMENT_TYPE_NAMES } from '../corpus/document-types.ts';
import { EDGE_KINDS } from '../corpus/edge.ts';
import { MAX_KEY_LENGTH } from './policy.ts';

/** Shapes that several tools of the feedback memory share; names are fixed by its contract, section 12. */

export const timestamp = z.string().describe('RFC 3339, UTC, with milliseconds.');

export const edge = z.object({
  repo: z.string(),
  src_slug: z.string(),
  dst_slug: z.string(),
  edge_kind: z.enum(EDGE_KINDS),
});
export type WireEdge = z.output<typeof edge>;

export const path = z
  .array(edge.extend({ direction: z.enum(['forward', 'backward']) }))
  .describe('Edges in walking order.');
export type WirePath = z.output<typeof path>;

export const activation = z.object({
  retrieved: z.number().min(0).max(10),
  usage: z.number().min(0).max(10),
  total: z.number().min(0).max(20),
  updated_at: timestamp,
});
export type WireActivation = z.output<typeof activation>;

export const provenance = z.object({
  repo: z.string(),
  type: z.enum(DOCUMENT_TYPE_NAMES),
  identity: z.union([z.int(), z.string(), z.array(z.string()).length(2)]),
  version: z.string(),
  content_source: z.enum(['index', 'github_live']),
});

export const exclusionReason = z.enum(['canonical_identity_unavailable', 'live_version_unavailable']);
export const graphExclusionReason = z.enum(['unverifiable_graph_path']);

export const memoryRecording = z.object({
  status: z.enum(['complete', 'partial', 'unresolved']),
  recorded_sources: z.int().describe('Distinct sources that were saved.'),
  excluded_sources: z.int().describe('Returned rows that were not saved.'),
  exclusions: z.array(z.object({ location: z.string(), reason: exclusionReason })),
  excluded_graph_paths: z.int(),
  graph_exclusions: z.array(z.object({ location: z.string(), reason: graphExclusionReason })),
});
export type MemoryRecording = z.output<typeof memoryRecording>;

export const STAGES = ['retrieved', 'selected', 'validated', 'used'] as const;
export const stage = z.enum(STAGES);

/** Text without lone surrogates: others have no UTF-8 form, and no canonical JSON. */
export function wellFormed(text: z.ZodString): z.ZodString {
  return text.refine((value) => /^\P{Surrogate}*$/u.test(value), 'must be well-formed Unicode');
}

export const handle = wellFormed(z.string().min(1).max(256));
export const traceHandle = handle.describe('trace_id of a retrieval of yours.');
export const sourceHandle = handle.describe('source_id as that retrieval returned it.');

export const idempotencyKey = z
  .string()
  .regex(/^[\u0021-\u007E]+$/, 'must be visible ASCII characters')
  .max(MAX_KEY_LENGTH)
  .describe(
    'A new key for each new operation, of 1 to 128 visible ASCII characters. Sending the same call again with its key returns the original receipt and changes nothing.',
  );
