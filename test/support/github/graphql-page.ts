import { GraphQLError } from 'graphql';

export interface Paging {
  readonly first?: number | null;
  readonly after?: string | null;
}

/** Where an item stands in the order: a time and, among those of the same time, an id. */
type Place = readonly [time: number, id: number];

const MAX_FIRST = 100;

/**
 * A page of a connection. A cursor tells the place of an item in the order, so what moves before it while pages are read
 * is seen again, and what moves behind it is not missed.
 */
export function connection<Item, Node>(
  name: string,
  { first, after }: Paging,
  list: {
    readonly all: readonly Item[];
    readonly place: (item: Item) => Place;
    readonly descending: boolean;
    readonly node: (item: Item) => Node;
  },
) {
  if (first === undefined || first === null) {
    throw refused('MISSING_PAGINATION_BOUNDARIES', `You must provide a \`first\` value to paginate \`${name}\`.`);
  }
  if (first > MAX_FIRST) {
    const asked = `Requesting ${String(first)} records on the \`${name}\` connection`;
    throw refused('EXCESSIVE_PAGINATION', `${asked} exceeds the \`first\` limit of ${String(MAX_FIRST)} records.`);
  }
  const sign = list.descending ? -1 : 1;
  const start = after === undefined || after === null ? undefined : placeOf(after);
  const found = start === undefined ? 0 : list.all.findIndex((item) => sign * compare(list.place(item), start) > 0);
  const from = found < 0 ? list.all.length : found;
  const items = list.all.slice(from, from + first);
  const cursors = items.map((item) => cursorOf(list.place(item)));
  return {
    nodes: items.map(list.node),
    totalCount: list.all.length,
    pageInfo: {
      startCursor: cursors[0] ?? null,
      endCursor: cursors.at(-1) ?? null,
      hasNextPage: from + first < list.all.length,
      hasPreviousPage: from > 0,
    },
  };
}

function compare(a: Place, b: Place): number {
  return a[0] - b[0] || a[1] - b[1];
}

function cursorOf(place: Place): string {
  return Buffer.from(`cursor:v2:${place.join(':')}`).toString('base64');
}

function placeOf(cursor: string): Place {
  const parsed = /^cursor:v2:(\d+):(\d+)$/.exec(Buffer.from(cursor, 'base64').toString());
  if (parsed === null) throw refused('INVALID_CURSOR_ARGUMENTS', `\`${cursor}\` does not appear to be a valid cursor.`);
  return [Number(parsed[1]), Number(parsed[2])];
}

function refused(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}
