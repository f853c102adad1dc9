import * as z from 'zod';
import { formatTime } from '../core/time.ts';
import { Parameters } from '../corpus/filters.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import type { Principal } from '../engine/principal.ts';
import { decayedTo } from './activation.ts';
import { wireActivation } from './activation-store.ts';
import { allowedPath, allowedReceipt, allowedRequest, allowedSource } from './allowed-memory.ts';
import { edgeKey } from './credit-store.ts';
import type { TraceSourceDetail, TraceSummary } from './history-contract.ts';
import { principalId } from './principal.ts';
import { type Receipt, receipt } from './receipts.ts';
import { edge, memoryRecording, path, provenance, STAGES } from './wire.ts';

const jsonText = z.string().transform((text): unknown => JSON.parse(text));
const jsonObject = z.record(z.string(), z.json());

const summaryRow = z.object({
  seq: z.int(),
  trace_id: z.string(),
  created_at: z.int(),
  mode: z.string(),
  query: z.string().nullable(),
  filters: jsonText.pipe(jsonObject),
  source_count: z.int(),
  used_count: z.int(),
  confirmation_count: z.int(),
  reversal_count: z.int(),
  recording: jsonText.pipe(memoryRecording),
});

/** Traces of a principal by descending order of commit, from below `before`. */
export function summariesQuery(
  principal: Principal,
  before: number | undefined,
  limit: number,
): Query<{ readonly seq: number; readonly summary: TraceSummary }> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  const bound = before === undefined ? '' : `AND seq < ${parameters.add(before)}`;
  return query(
    `SELECT seq, trace_id, created_at, mode, query, request ->> 'filters' AS filters, source_count, used_count,
       confirmation_count, reversal_count, recording
     FROM traces WHERE principal_id = ${id} ${bound} ORDER BY seq DESC LIMIT ${parameters.add(limit)}`,
    parameters.values,
    (row) => {
      const { seq, created_at, recording, ...summary } = summaryRow.parse(row);
      return { seq, summary: { ...summary, timestamp: formatTime(created_at), memory_recording: recording } };
    },
  );
}

const traceRow = z.object({
  created_at: z.int(),
  request: jsonText.pipe(jsonObject),
  settings: jsonText.pipe(jsonObject),
  recording: jsonText.pipe(memoryRecording),
});

export interface StoredTrace {
  readonly createdAt: number;
  readonly request: z.output<typeof jsonObject>;
  readonly settings: z.output<typeof jsonObject>;
  readonly recording: z.output<typeof memoryRecording>;
}

/** One trace of a principal; no row for any other handle. */
export function traceQuery(principal: Principal, traceId: string, allowed: Allowed): Query<StoredTrace> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  return query(
    `SELECT created_at, request, settings, recording FROM traces
     WHERE trace_id = ${parameters.add(traceId)} AND principal_id = ${id}`,
    parameters.values,
    (row) => {
      const { created_at: createdAt, request, ...rest } = traceRow.parse(row);
      return { createdAt, request: allowedRequest(request, allowed), ...rest };
    },
  );
}

const sourceRow = z.object({
  source_id: z.string(),
  provenance: jsonText.pipe(provenance),
  index_updated_at: z.string().nullable(),
  location: z.string(),
  axis: z.enum(['keyword', 'graph']),
  stage: z.int(),
  path: jsonText.pipe(path),
  retrieved: z.number().nullable(),
  usage: z.number().nullable(),
  updated_at: z.int().nullable(),
});

/** Sources of a trace that are allowed, in the order of the answer, with their activation at `now`. */
export function traceSourceDetailsQuery(
  principal: Principal,
  traceId: string,
  now: number,
  allowed: Allowed,
): Query<TraceSourceDetail> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  const conditions = [`t.trace_id = ${parameters.add(traceId)}`, `t.principal_id = ${id}`];
  conditions.push(...allowedSource(allowed, parameters));
  return query(
    `SELECT s.source_id, s.provenance, s.index_updated_at, s.location, s.axis, s.stage, s.path, a.retrieved, a.usage, a.updated_at
     FROM traces t JOIN trace_sources s ON s.trace_seq = t.seq
     LEFT JOIN activations a ON a.principal_id = t.principal_id AND a.source_id = s.source_id
     WHERE ${conditions.join(' AND ')} ORDER BY s.ordinal`,
    parameters.values,
    (row) => {
      const { stage, retrieved, usage, updated_at, index_updated_at, path: walked, ...rest } = sourceRow.parse(row);
      const stored = { retrieved: retrieved ?? 0, usage: usage ?? 0, updatedAt: updated_at ?? now };
      return {
        ...rest,
        path: allowedPath(walked, allowed),
        ...(index_updated_at !== null && { index_updated_at }),
        stage: STAGES[stage] ?? 'retrieved',
        activation: wireActivation(decayedTo(stored, now)),
      };
    },
  );
}

const reversedEdges = jsonText.pipe(z.array(edge));
const receiptRow = z.object({ seq: z.int(), body: jsonText.pipe(receipt), reversed: reversedEdges });

/** Receipts of a trace by ascending order of commit, from above `after`; as issued, but for the present state of credits. */
export function receiptsQuery(
  principal: Principal,
  traceId: string,
  { after, limit }: { readonly after: number | undefined; readonly limit: number },
  allowed: Allowed,
): Query<{ readonly seq: number; readonly receipt: Receipt }> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  const bound = after === undefined ? '' : `AND r.seq > ${parameters.add(after)}`;
  return query(
    `SELECT r.seq, r.body, (
       SELECT json_group_array(json_object('repo', c.repo, 'src_slug', c.src_slug, 'dst_slug', c.dst_slug, 'edge_kind', c.edge_kind))
       FROM credits c WHERE c.trace_seq = t.seq AND c.principal_id = t.principal_id AND c.state = 'reversed') AS reversed
     FROM traces t JOIN receipts r ON r.trace_seq = t.seq
     WHERE t.trace_id = ${parameters.add(traceId)} AND t.principal_id = ${id} ${bound}
     ORDER BY r.seq LIMIT ${parameters.add(limit)}`,
    parameters.values,
    (row) => {
      const { seq, body, reversed } = receiptRow.parse(row);
      return { seq, receipt: allowedReceipt(withPresentState(body, new Set(reversed.map(edgeKey))), allowed) };
    },
  );
}

function withPresentState(issued: Receipt, reversed: ReadonlySet<string>): Receipt {
  if (issued.kind !== 'confirmation') return issued;
  return {
    ...issued,
    credits: issued.credits.map((credit) =>
      credit.edge !== null && reversed.has(edgeKey(credit.edge)) ? { ...credit, state: 'reversed' } : credit,
    ),
  };
}
