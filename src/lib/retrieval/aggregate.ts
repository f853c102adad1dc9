/** Rows that stand for one entity: the first in the given order represents it. */
export interface Group<Row> {
  readonly representative: Row;
  readonly others: readonly Row[];
  /** How many others there are, also where not all of them were read. */
  readonly count: number;
}

/** A group with those of its others that the answer names; all of them are counted. */
export interface NamedGroup<Row> extends Group<Row> {
  readonly named: readonly Row[];
}

/**
 * Folds ordered rows by entity and keeps the first `limit` entities. Order is kept, within groups too. A document that
 * comes back with another passage is no row of its own.
 */
export function aggregate<Row extends { readonly entity: string; readonly documentId: number }>(
  rows: readonly Row[],
  limit: number,
): Group<Row>[] {
  const groups = new Map<string, { representative: Row; others: Row[] }>();
  const seen = new Set<number>();
  for (const row of rows) {
    if (seen.has(row.documentId)) continue;
    seen.add(row.documentId);
    const group = groups.get(row.entity);
    if (group !== undefined) group.others.push(row);
    else if (groups.size < limit) groups.set(row.entity, { representative: row, others: [] });
  }
  return [...groups.values()].map((group) => ({ ...group, count: group.others.length }));
}

/**
 * Chooses which folded rows an answer names, so that it stays small: every group names its first other before any names
 * its second, and so on, until `budget` rows are named.
 */
export function nameOthers<Row>(groups: readonly Group<Row>[], budget: number): NamedGroup<Row>[] {
  const counts = groups.map(() => 0);
  let left = budget;
  for (let round = 1; left > 0 && groups.some(({ others }) => others.length >= round); round += 1) {
    groups.forEach(({ others }, at) => {
      if (left === 0 || others.length < round) return;
      counts[at] = round;
      left -= 1;
    });
  }
  return groups.map((group, at) => ({ ...group, named: group.others.slice(0, counts[at]) }));
}
