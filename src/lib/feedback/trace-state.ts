import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { Parameters } from '../corpus/filters.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import type { Principal } from '../engine/principal.ts';
import { allowedPath, allowedSource } from './allowed-memory.ts';
import { principalId } from './principal.ts';
import { path, type WirePath } from './wire.ts';

const traceSourceRow = z.object({
  trace_seq: z.int(),
  source_id: z.string().nullable(),
  stage: z.int().nullable(),
  path: z.string().nullable(),
});

export interface TraceSource {
  readonly sourceId: string;
  /** Index into STAGES. */
  readonly stage: number;
  readonly path: WirePath;
}

interface TraceSourceRow {
  readonly traceSeq: number;
  readonly source: TraceSource | undefined;
}

/**
 * A trace of the principal with those of its sources that are named, and allowed: no row when the trace is unknown or
 * another's, one row without a source when it has none of them.
 */
export function traceSourcesQuery(
  principal: Principal,
  traceId: string,
  sourceIds: readonly string[],
  allowed: Allowed,
): Query<TraceSourceRow> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  const named = `s.source_id IN (SELECT value FROM json_each(${parameters.add(JSON.stringify(sourceIds))}))`;
  return query(
    `SELECT t.seq AS trace_seq, s.source_id, s.stage, s.path FROM traces t
     LEFT JOIN trace_sources s ON s.trace_seq = t.seq
       AND ${[named, ...allowedSource(allowed, parameters)].join(' AND ')}
     WHERE t.trace_id = ${parameters.add(traceId)} AND t.principal_id = ${id}`,
    parameters.values,
    (row) => {
      const { trace_seq: traceSeq, source_id: sourceId, stage, path: saved } = traceSourceRow.parse(row);
      if (sourceId === null || stage === null || saved === null) return { traceSeq, source: undefined };
      return { traceSeq, source: { sourceId, stage, path: allowedPath(path.parse(JSON.parse(saved)), allowed) } };
    },
  );
}

/** The trace and its sources by id. Fails with `unknown_trace`, the same for what is another's and what never was. */
export function requireTrace(rows: readonly TraceSourceRow[]): {
  readonly traceSeq: number;
  readonly sources: ReadonlyMap<string, TraceSource>;
} {
  const [first] = rows;
  if (first === undefined) throw unknownTrace();
  const sources = rows.flatMap(({ source }) => (source === undefined ? [] : [[source.sourceId, source] as const]));
  return { traceSeq: first.traceSeq, sources: new Map(sources) };
}

export function unknownTrace(): Failure {
  return new Failure('unknown_trace', 'trace_id: is no trace of yours', {
    hint: 'Use the trace_id that a search returned.',
  });
}

/** Fails with `unknown_source`; `field` names the entry, never the handle. */
export function unknownSource(field: string): Failure {
  return new Failure('unknown_source', `${field}: is no source of this trace`, {
    hint: 'Use a source_id that this very retrieval returned.',
  });
}
