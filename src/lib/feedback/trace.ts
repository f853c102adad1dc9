import { formatTime } from '../core/time.ts';
import type { Json } from '../core/json.ts';
import { Failure } from '../core/failure.ts';
import { Parameters } from '../corpus/filters.ts';
import { type Provenance, sourceId } from '../corpus/provenance.ts';
import { type Change, change, type Query, query } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import type { Principal } from '../engine/principal.ts';
import * as z from 'zod';
import { type Activation, strengthened } from './activation.ts';
import { activationsQuery, type StoredActivation, writeActivations } from './activation-store.ts';
import { nextRevision, revisionUnchanged } from './mutation.ts';
import { MAX_TRACE_CHARACTERS, MAX_TRACE_SOURCES, RETRIEVED_ADDITION } from './policy.ts';
import { principalId } from './principal.ts';
import type { MemoryRecording, WirePath } from './wire.ts';

/** A row of an answer, as its trace keeps it. */
export interface Occurrence {
  /** Place in the answer, e.g. `results[0].same_entity.others[1]`. */
  readonly location: string;
  readonly axis: 'keyword' | 'graph';
  /** Undefined: the row is unresolved and is not saved. */
  readonly provenance: Provenance | undefined;
  /** The source id of the provenance, where it was computed already: a hash for each row counts. */
  readonly sourceId?: string | undefined;
  /** When the row was indexed, where its text is live; audit only. */
  readonly indexUpdatedAt?: string | undefined;
  readonly exclusion?: 'canonical_identity_unavailable' | 'live_version_unavailable' | undefined;
  /** The verified path of a graph row; null: it has one that could not be verified. Undefined on the keyword axis. */
  readonly path?: WirePath | null | undefined;
}

export interface Retrieval {
  readonly mode: string;
  readonly query: string | null;
  readonly request: Json;
  readonly settings: Json;
  readonly occurrences: readonly Occurrence[];
}

/** What is known of a principal's memory before a trace is written; read in the same round trip as the answer. */
export interface MemoryState {
  readonly revision: number | null;
  readonly activations: readonly StoredActivation[];
}

/** A committed trace. Activations are those after it, by source id. */
export interface Recorded {
  readonly traceId: string;
  readonly timestamp: string;
  readonly recording: MemoryRecording;
  readonly activations: ReadonlyMap<string, Activation>;
}

const revisionRow = z.object({ revision: z.int() });

/** The revision of a principal's memory; no row when it has none. Part of every read that a trace is written after. */
export function revisionQuery(principal: Principal): Query<number> {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  return query(
    `SELECT revision FROM principals WHERE id = ${id}`,
    parameters.values,
    (row) => revisionRow.parse(row).revision,
  );
}

/** What a trace saves of an answer and what it leaves out, with reasons. */
export function recordingOf(occurrences: readonly Occurrence[]): MemoryRecording {
  const saved = new Set(
    occurrences.flatMap(({ provenance, sourceId: id }) =>
      provenance === undefined ? [] : [id ?? sourceId(provenance)],
    ),
  );
  const excluded = occurrences.filter(({ provenance }) => provenance === undefined);
  const pathless = occurrences.filter(({ path }) => path === null);
  const nothingSaved = occurrences.length > 0 && saved.size === 0;
  return {
    status: nothingSaved ? 'unresolved' : excluded.length > 0 || pathless.length > 0 ? 'partial' : 'complete',
    recorded_sources: saved.size,
    excluded_sources: excluded.length,
    exclusions: excluded.map(({ location, exclusion }) => ({
      location,
      reason: exclusion ?? 'canonical_identity_unavailable',
    })),
    excluded_graph_paths: pathless.length,
    graph_exclusions: pathless.map(({ location }) => ({ location, reason: 'unverifiable_graph_path' })),
  };
}

const MAX_ATTEMPTS = 50;

/**
 * Commits the trace of a successful retrieval: one write, guarded by the revision that `state` was read at. When the
 * principal's memory changed meanwhile, the state is read anew. Fails when the trace cannot be saved.
 */
export async function recordTrace(
  engine: Engine,
  principal: Principal,
  retrieval: Retrieval,
  state: MemoryState,
): Promise<Recorded> {
  const recording = recordingOf(retrieval.occurrences);
  const sources = snapshots(retrieval.occurrences);
  const request = JSON.stringify(retrieval.request);
  const settings = JSON.stringify(retrieval.settings);
  const rows = JSON.stringify(sources);
  if (sources.length > MAX_TRACE_SOURCES || request.length + settings.length + rows.length > MAX_TRACE_CHARACTERS) {
    throw new Failure('internal', 'the trace is over its limit');
  }
  const sourceIds = sources.map((source) => source.source_id);
  const traceId = `trc_${engine.entropy.token()}`;
  let known = state;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const now = engine.clock.now();
    const before = new Map(known.activations.map((each) => [each.sourceId, each.activation]));
    const activations = new Map(
      sourceIds.map((id) => [id, strengthened(before.get(id), { retrieved: RETRIEVED_ADDITION }, now)]),
    );
    const outcome = await engine.database.write(
      // Whoever acts on a trace writes in full, which makes the trace durable as well.
      [
        revisionUnchanged(principal, known.revision),
        nextRevision(principal),
        insertTrace(principal, { traceId, now, retrieval, request, settings, recording, count: sources.length }),
        ...(sources.length === 0 ? [] : [insertSources(traceId, rows), writeActivations(principal, activations)]),
      ],
      'normal',
    );
    if (outcome.applied) return { traceId, timestamp: formatTime(now), recording, activations };
    const [[revision = null], stored] = await engine.database.read([
      revisionQuery(principal),
      activationsQuery(principal, sourceIds),
    ]);
    known = { revision, activations: stored };
  }
  throw new Failure('database_busy', 'too many writes to the feedback memory at the same time');
}

interface Snapshot {
  readonly source_id: string;
  readonly provenance: string;
  readonly index_updated_at: string | null;
  readonly location: string;
  readonly axis: Occurrence['axis'];
  readonly path: string;
}

/**
 * One row per distinct source, at its first place. A source that was also reached over the graph keeps the verified path,
 * so that confirming it credits what was travelled.
 */
function snapshots(occurrences: readonly Occurrence[]): Snapshot[] {
  const bySource = new Map<string, Snapshot>();
  for (const { provenance, location, axis, path, indexUpdatedAt, sourceId: known } of occurrences) {
    if (provenance === undefined) continue;
    const id = known ?? sourceId(provenance);
    const saved = bySource.get(id);
    const walked = JSON.stringify(path ?? []);
    if (saved !== undefined && (saved.path !== '[]' || walked === '[]')) continue;
    bySource.set(id, {
      source_id: id,
      provenance: JSON.stringify(provenance),
      index_updated_at: indexUpdatedAt ?? null,
      location: saved?.location ?? location,
      axis: saved?.axis ?? axis,
      path: walked,
    });
  }
  return [...bySource.values()];
}

interface TraceRow {
  readonly traceId: string;
  readonly now: number;
  readonly retrieval: Retrieval;
  readonly request: string;
  readonly settings: string;
  readonly recording: MemoryRecording;
  readonly count: number;
}

function insertTrace(principal: Principal, trace: TraceRow): Change {
  const parameters = new Parameters();
  const id = principalId(principal, parameters);
  const { traceId, now, retrieval, request, settings, recording, count } = trace;
  const values = [now, retrieval.mode, retrieval.query, request, settings, JSON.stringify(recording), count];
  return change(
    `INSERT INTO traces (trace_id, principal_id, created_at, mode, query, request, settings, recording, source_count)
     VALUES (${parameters.add(traceId)}, ${id}, ${values.map((value) => parameters.add(value)).join(', ')})`,
    parameters.values,
  );
}

function insertSources(traceId: string, rows: string): Change {
  return change(
    `INSERT INTO trace_sources (trace_seq, ordinal, source_id, provenance, index_updated_at, location, axis, path)
     SELECT (SELECT seq FROM traces WHERE trace_id = ?), key, value ->> 'source_id', value ->> 'provenance',
       value ->> 'index_updated_at', value ->> 'location', value ->> 'axis', value ->> 'path'
     FROM json_each(?)`,
    [traceId, rows],
  );
}
