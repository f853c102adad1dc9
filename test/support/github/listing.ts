import { Refused, refusal } from './answer.ts';
import type { World } from './world.ts';

export type SortKey = 'created' | 'updated';

/** A page of a list, with the Link header that leads to the others. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly link: string | undefined;
}

const DEFAULT_SIZE = 30;
const MAX_SIZE = 100;

/**
 * Cuts the page that a query asks for. Links keep the other parameters and name `address`, which GitHub writes with the
 * id of the repository. Pages are cut from the list as it is now: what changed since the page before shifts them.
 */
export function page<Item>(
  all: readonly Item[],
  query: URLSearchParams,
  address: string,
  quirks: World['quirks'],
): Page<Item> {
  const size = Math.min(whole(query.get('per_page')) ?? DEFAULT_SIZE, MAX_SIZE);
  const number = whole(query.get('page')) ?? 1;
  if (number * size > quirks.listLimit && number > 1) {
    const message = 'In order to keep the API fast for everyone, pagination is limited for this resource.';
    throw new Refused(refusal(422, message));
  }
  const reached = quirks.atListLimit === 'end' ? Math.min(all.length, quirks.listLimit) : all.length;
  const last = Math.max(1, Math.ceil(reached / size));
  const to = (target: number, rel: string): string => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(target));
    return `<${address}?${parameters.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(number > 1 ? [to(number - 1, 'prev')] : []),
    ...(number < last ? [to(number + 1, 'next'), to(last, 'last')] : []),
    ...(number > 1 ? [to(1, 'first')] : []),
  ];
  const items = all.slice((number - 1) * size, number * size);
  return { items, link: links.length === 0 ? undefined : links.join(', ') };
}

/** The `since` of a query in milliseconds; without one, every item is after it. Refuses with 422 what is no time. */
export function since(query: URLSearchParams): number {
  const text = query.get('since');
  if (text === null) return -Infinity;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Refused(refusal(422, 'Validation Failed: since is no ISO 8601 time'));
  return time;
}

/** One of the values that a parameter may have; the first where it is left out. Refuses others with 422. */
export function choice<Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly [Value, ...Value[]],
): Value {
  const text = query.get(name);
  if (text === null) return values[0];
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw new Refused(refusal(422, `Validation Failed: ${name}`));
  return value;
}

/** A positive whole number, or undefined for anything else, as GitHub takes it. */
function whole(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
