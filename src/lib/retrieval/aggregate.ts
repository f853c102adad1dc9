/** Rows that stand for one entity: the first in the given order represents it. */
export interface Group<Row> {
  readonly representative: Row;
  readonly others: readonly Row[];
}

/**
 * Folds ordered rows by entity and keeps the first `limit` entities. Order is kept, within groups too. A document that
 * comes back with another passage is no row of its own.
 */
export function aggregate<Row extends { readonly entity: string; readonly documentId: number }>(
  rows: readonly Row[],
  limit: number,
): Group<Row>[] {
  const groups = new Map<string, Row[]>();
  const seen = new Set<number>();
  for (const row of rows) {
    if (seen.has(row.documentId)) continue;
    seen.add(row.documentId);
    const group = groups.get(row.entity);
    if (group !== undefined) group.push(row);
    else if (groups.size < limit) groups.set(row.entity, [row]);
  }
  return [...groups.values()].flatMap(([representative, ...others]) =>
    representative === undefined ? [] : [{ representative, others }],
  );
}
