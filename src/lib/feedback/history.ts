import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { formatTime } from '../core/time.ts';
import { Parameters } from '../corpus/filters.ts';
import { type Query, query } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import type { Principal } from '../engine/principal.ts';
import { defineOperation } from '../operation/operation.ts';
import { claimedSequence, type CursorScope, encodeCursor, isGenuine } from './cursor.ts';
import { type HistoryOutput, historyInput, historyOutput } from './history-contract.ts';
import { receiptsQuery, summariesQuery, traceQuery, traceSourceDetailsQuery } from './history-store.ts';
import { principalName, requirePrincipal } from './principal.ts';
import { unknownTrace } from './trace-state.ts';

export const memoryHistory = defineOperation({
  name: 'memory_history',
  title: 'Look at your retrieval history',
  description:
    'Your past retrievals, newest first; with trace_id one of them with its sources, their stages and activation, and its receipts. Use it to find the handles for record_source_use and record_outcome again.',
  input: historyInput,
  output: historyOutput,
  effect: 'read',
  openWorld: false,
  faces: ['cli', 'mcp'],
  async handler(engine, { trace_id, limit, cursor }): Promise<HistoryOutput> {
    const principal = requirePrincipal(engine);
    const after = cursor === undefined ? undefined : (claimedSequence(cursor) ?? refuse());
    return trace_id === undefined
      ? listTraces(engine, principal, limit, cursor, after)
      : showTrace(engine, principal, trace_id, limit, cursor, after);
  },
});

async function listTraces(
  engine: Engine,
  principal: Principal,
  limit: number,
  cursor: string | undefined,
  before: number | undefined,
): Promise<HistoryOutput> {
  const [[keeper], rows] = await engine.database.read([
    keeperQuery(principal),
    summariesQuery(principal, before, limit + 1),
  ]);
  const pages = pagesOf(keeper, null, cursor);
  const shown = rows.slice(0, limit);
  return {
    traces: shown.map((row) => row.summary),
    next_cursor: rows.length > limit ? pages.cursorAt(shown.at(-1)?.seq) : null,
  };
}

async function showTrace(
  engine: Engine,
  principal: Principal,
  traceId: string,
  limit: number,
  cursor: string | undefined,
  after: number | undefined,
): Promise<HistoryOutput> {
  const now = engine.clock.now();
  const [[keeper], [trace], sources, receipts] = await engine.database.read([
    keeperQuery(principal),
    traceQuery(principal, traceId, engine.allowed),
    traceSourceDetailsQuery(principal, traceId, now, engine.allowed),
    receiptsQuery(principal, traceId, { after, limit: limit + 1 }, engine.allowed),
  ]);
  if (trace === undefined) throw unknownTrace();
  const pages = pagesOf(keeper, traceId, cursor);
  const shown = receipts.slice(0, limit);
  return {
    trace: {
      trace_id: traceId,
      timestamp: formatTime(trace.createdAt),
      request: trace.request,
      settings: trace.settings,
      memory_recording: trace.recording,
      sources,
    },
    receipts: shown.map((row) => row.receipt),
    next_cursor: receipts.length > limit ? pages.cursorAt(shown.at(-1)?.seq) : null,
  };
}

const keeperRow = z.object({ principal: z.string(), cursor_key: z.string() });
type Keeper = z.output<typeof keeperRow>;

function keeperQuery(principal: Principal): Query<Keeper> {
  const parameters = new Parameters();
  const name = principalName(principal, parameters);
  return query(`SELECT ${name} AS principal, cursor_key FROM installations`, parameters.values, (row) =>
    keeperRow.parse(row),
  );
}

/** Checks the cursor of this page and makes that of the next. Fails with `invalid_cursor`. */
function pagesOf(
  keeper: Keeper | undefined,
  traceId: string | null,
  cursor: string | undefined,
): { cursorAt(seq: number | undefined): string | null } {
  if (keeper === undefined) throw new Failure('internal', 'the database has lost its installation row');
  const scope: CursorScope = { principal: keeper.principal, traceId };
  if (cursor !== undefined && !isGenuine(keeper.cursor_key, scope, cursor)) refuse();
  return { cursorAt: (seq) => (seq === undefined ? null : encodeCursor(keeper.cursor_key, scope, seq)) };
}

function refuse(): never {
  throw new Failure('invalid_cursor', 'cursor: is not one of this listing', {
    hint: 'Use next_cursor as the page before gave it, or start again without.',
  });
}
