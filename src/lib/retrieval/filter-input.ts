import { Failure } from '../core/failure.ts';
import { parseTimeOrAge } from '../core/time.ts';
import type { Filters } from '../corpus/filters.ts';
import type { SearchInput } from './search-contract.ts';

/** The filters of a search in the form the corpus takes. Fails with `invalid_input` for a time that is none. */
export function filtersOf(input: SearchInput, now: number): Filters {
  const since = timeOf('since', input.since, now);
  const until = timeOf('until', input.until, now);
  if (since !== undefined && until !== undefined && since > until) {
    throw new Failure('invalid_input', 'since: must not be later than until');
  }
  return {
    repo: listOf(input.repo),
    type: listOf(input.type),
    state: input.state,
    labels: listOf(input.labels),
    milestone: input.milestone,
    assignee: input.assignee,
    author: input.author,
    path: input.path,
    since,
    until,
  };
}

function listOf<Item>(value: Item | readonly Item[] | undefined): readonly Item[] | undefined {
  if (value === undefined) return undefined;
  return isList(value) ? value : [value];
}

function isList<Item>(value: Item | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value);
}

function timeOf(field: 'since' | 'until', text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTimeOrAge(text, now);
  if (time !== undefined) return time;
  throw new Failure(
    'invalid_input',
    `${field}: must be a time such as 2024-05-01T10:00:00Z, a date, or an age such as 7d`,
  );
}
