import { Failure } from '../core/failure.ts';
import { isResultNumber } from './result-number.ts';

/** What a person gave where the operation speaks of its fields. */
export interface GivenSources {
  readonly sources: readonly string[];
  /** Entries that the command made of each source. */
  readonly steps: number;
}

const LABELS: Readonly<Record<string, string>> = {
  trace_id: 'TRACE',
  idempotency_key: '--key',
  confirmation_id: 'CONFIRMATION',
  uses: 'SOURCE',
  source_ids: 'SOURCE',
};

const FIELD = /^([a-z_]+)(?:\[(\d+)\])?(?:\.[a-z_]+)?: (.+)$/s;

/**
 * A refusal of record_source_use or record_outcome in the words of the command line: which SOURCE by its number, never by
 * its id, and what to type next. Anything else stays as it is.
 */
export function feedbackFailure(error: unknown, { sources, steps }: GivenSources): unknown {
  if (!(error instanceof Failure)) return error;
  const { code, message, hint } = error;
  const [, field = '', index, rule = ''] = FIELD.exec(message) ?? [];
  const label = LABELS[field];
  if (label === undefined) return error;
  const at = index === undefined ? undefined : Math.floor(Number(index) / steps);
  const source = at === undefined ? undefined : sources[at];
  const which = at === undefined || source === undefined ? '' : whichOf(source, at, sources.length);
  const next = hintFor(code, source) ?? hint;
  return new Failure(code, `${label}: ${rule}${which}`, { cause: error, ...(next !== undefined && { hint: next }) });
}

function whichOf(source: string, at: number, count: number): string {
  if (isResultNumber(source)) return ` (given: ${source})`;
  return count > 1 ? ` (number ${String(at + 1)} of the ${String(count)} given)` : '';
}

function hintFor(code: Failure['code'], source: string | undefined): string | undefined {
  const named = source !== undefined && isResultNumber(source) ? source : 'SOURCE';
  switch (code) {
    case 'stage_order':
      return 'Add --through to record the steps before it, too.';
    case 'not_used':
      return `Record its use first: gh-rag use ${named} --stage used --through`;
    case 'unknown_trace':
      return 'gh-rag history lists your retrievals; last is the newest.';
    case 'unknown_source':
      return 'gh-rag history last shows the sources of the newest retrieval.';
    case 'idempotency_conflict':
      return 'Leave out --key, or use a new one for a new operation.';
    default:
      return undefined;
  }
}
