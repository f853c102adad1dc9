import { Failure } from '../core/failure.ts';
import type { HistoryOutput } from '../feedback/history-contract.ts';
import { MAX_PAGE } from '../feedback/policy.ts';
import type { Receipt } from '../feedback/receipts.ts';
import { feedbackFailure } from './feedback-failure.ts';
import type { TraceDetail } from './result-number.ts';

/** The operation memory_history. */
export type ReadHistory = (input: {
  readonly trace_id?: string;
  readonly limit?: number;
  readonly cursor?: string;
}) => Promise<HistoryOutput>;

/** The trace that is meant: the one named, else (or with `last`) the newest as {@link newestTrace} has it. */
export async function chooseTrace(read: ReadHistory, given: string | undefined): Promise<TraceDetail> {
  return given === undefined || given === 'last' ? newestTrace(read) : detailOf(read, given);
}

/**
 * The caller's newest trace. Looking into sources of a trace (`show 2`) leaves a trace of its own, yet the numbers stay
 * those of the search: such a look is passed over. Among the 50 newest. Fails with `unknown_trace` where there is none.
 */
export async function newestTrace(read: ReadHistory): Promise<TraceDetail> {
  const { traces = [] } = await read({ limit: MAX_PAGE });
  const [newest] = traces;
  if (newest === undefined) {
    throw new Failure('unknown_trace', 'TRACE: there is no retrieval of yours yet', {
      hint: 'Search first: gh-rag search QUERY',
    });
  }
  const looks = traces.slice(
    0,
    Math.max(
      0,
      traces.findIndex(({ mode }) => mode !== 'fetch'),
    ),
  );
  const searched = traces[looks.length];
  if (looks.length === 0 || searched === undefined) return detailOf(read, newest.trace_id);
  const base = await detailOf(read, searched.trace_id);
  const known = new Set<unknown>(base.sources.map((source) => source.source_id));
  for (const look of looks) {
    const detail = await detailOf(read, look.trace_id);
    const { sources } = detail.request;
    if (!Array.isArray(sources) || !sources.every((source) => known.has(source))) return detail;
  }
  return base;
}

async function detailOf(read: ReadHistory, traceId: string): Promise<TraceDetail> {
  const { trace } = await read({ trace_id: traceId, limit: 1 }).catch((error: unknown) => {
    throw feedbackFailure(error, { sources: [], steps: 1 });
  });
  if (trace === undefined) throw new TypeError('history of a trace has no trace');
  return trace;
}

/** Pages of traces that {@link findConfirmation} looks through. */
const CONFIRMATION_PAGES = 20;

export interface FoundConfirmation {
  readonly traceId: string;
  readonly confirmationId: string;
}

/**
 * The trace of a confirmation of the caller. `last` is the newest confirmation among the 50 newest traces, taken back or
 * not, so that saying it twice does not take back two; an id is looked for among the 1000 newest. Fails with
 * `unknown_confirmation`, the same for what is another's and what never was.
 */
export async function findConfirmation(read: ReadHistory, given: string): Promise<FoundConfirmation> {
  let newest: { readonly at: string; readonly found: FoundConfirmation } | undefined;
  let cursor: string | null = null;
  for (let page = 0; page < (given === 'last' ? 1 : CONFIRMATION_PAGES); page += 1) {
    const { traces = [], next_cursor }: HistoryOutput = await read({
      limit: MAX_PAGE,
      ...(cursor !== null && { cursor }),
    });
    for (const { trace_id: traceId } of traces.filter((trace) => trace.confirmation_count > 0)) {
      for await (const receipt of receiptsOf(read, traceId)) {
        if (receipt.kind !== 'confirmation') continue;
        const found = { traceId, confirmationId: receipt.confirmation_id };
        if (found.confirmationId === given) return found;
        if (newest === undefined || receipt.timestamp > newest.at) newest = { at: receipt.timestamp, found };
      }
    }
    cursor = next_cursor;
    if (cursor === null) break;
  }
  if (given === 'last' && newest !== undefined) return newest.found;
  throw new Failure(
    'unknown_confirmation',
    `CONFIRMATION: ${given === 'last' ? 'there is none yet' : 'is none of yours'}`,
    {
      hint:
        given === 'last'
          ? 'gh-rag history lists your retrievals; one is looked for among the 50 newest.'
          : 'Use the confirmation id of a receipt; add --trace where its retrieval is not among your 1000 newest.',
    },
  );
}

async function* receiptsOf(read: ReadHistory, traceId: string): AsyncGenerator<Receipt> {
  let cursor: string | null = null;
  do {
    const page: HistoryOutput = await read({ trace_id: traceId, limit: MAX_PAGE, ...(cursor !== null && { cursor }) });
    yield* page.receipts ?? [];
    cursor = page.next_cursor;
  } while (cursor !== null);
}
