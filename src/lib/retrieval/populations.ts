import * as z from 'zod';
import { allowedSlug, filterConditions, type Filters, Parameters, visibleDocuments } from '../corpus/filters.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import { FILTER_NAMES, type FilterName } from './search-contract.ts';

const presence = z.record(z.string(), z.int());

/**
 * Names of the filters that no visible document satisfies, each looked at alone; one row. An answer with results needs
 * none of this: what passed all filters passed each.
 */
export function unmatchedFiltersQuery(filters: Filters, allowed: Allowed): Query<FilterName[]> {
  const parameters = new Parameters();
  const visible = visibleDocuments(allowed, parameters);
  const columns = [...filterConditions(filters, parameters)].map(
    ([name, condition]) => `EXISTS (SELECT 1 FROM documents d WHERE ${visible} AND ${condition}) AS "${name}"`,
  );
  return query(`SELECT ${columns.length === 0 ? '1 AS "none"' : columns.join(', ')}`, parameters.values, (row) => {
    const found = presence.parse(row);
    return FILTER_NAMES.filter((name) => found[name] === 0);
  });
}

const repoRow = z.object({ slug: z.string() });

/** Every repository of the database that is allowed. */
export function reposQuery(allowed: Allowed): Query<string> {
  const parameters = new Parameters();
  const where = allowedSlug(allowed, 'slug', parameters).map((condition) => `WHERE ${condition} `);
  return query(
    `SELECT slug FROM repos ${where.join('')}ORDER BY slug`,
    parameters.values,
    (row) => repoRow.parse(row).slug,
  );
}
