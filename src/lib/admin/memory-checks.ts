/**
 * What the feedback memory says twice and must say alike: the counts of traces, the stages of sources and the ledger of
 * credits all follow from receipts. Each rule counts rows that do not; it is the text behind FROM.
 */

/** A receipt as it was issued; one that cannot be read has a rule of its own. */
const BODY = "CASE WHEN json_valid(r.body) THEN r.body ELSE '{}' END";

const edge = (row: string, field: string): string => `${row}.value ->> '$.edge.${field}'`;

// Entries that claimed their edge: those without a reason why not, and those for which the cap left nothing.
const CREDITS_SAID = `SELECT r.receipt_id, r.principal_id, r.trace_seq, ${edge('e', 'repo')} AS repo, ${edge('e', 'src_slug')} AS src_slug,
    ${edge('e', 'dst_slug')} AS dst_slug, ${edge('e', 'edge_kind')} AS edge_kind, e.value ->> 'applied_delta' AS delta
  FROM receipts r, json_each(${BODY}, '$.credits') AS e
  WHERE r.kind = 'confirmation' AND ${edge('e', 'repo')} IS NOT NULL
    AND coalesce(e.value ->> 'reason', 'cap_reached') = 'cap_reached'`;

const SAME_CREDIT = `c.confirmation_id = said.receipt_id AND c.principal_id = said.principal_id AND c.trace_seq = said.trace_seq
  AND c.repo = said.repo AND c.src_slug = said.src_slug AND c.dst_slug = said.dst_slug AND c.edge_kind = said.edge_kind`;

// SQLite may read the last bit of a number otherwise from a text than the program wrote it.
const SAME_DELTA = 'abs(c.delta - said.delta) < 1e-12';

export const MEMORY_RULES: readonly (readonly [name: string, from: string])[] = [
  ['sources beyond a trace', 'trace_sources WHERE trace_seq NOT IN (SELECT seq FROM traces)'],
  [
    'sources without activation',
    `trace_sources s JOIN traces t ON t.seq = s.trace_seq WHERE NOT EXISTS
      (SELECT 1 FROM activations a WHERE a.principal_id = t.principal_id AND a.source_id = s.source_id)`,
  ],
  [
    'activation out of bounds',
    'activations WHERE (retrieved BETWEEN 0 AND 10 AND usage BETWEEN 0 AND 10 AND updated_at >= 0) IS NOT TRUE',
  ],
  [
    'traces that cannot be read',
    'traces WHERE NOT (json_valid(request) AND json_valid(settings) AND json_valid(recording))',
  ],
  ['sources that cannot be read', 'trace_sources WHERE NOT (json_valid(provenance) AND json_valid(path))'],
  ['receipts that cannot be read', 'receipts WHERE NOT json_valid(body)'],
  [
    'receipts without a trace',
    'receipts r WHERE NOT EXISTS (SELECT 1 FROM traces t WHERE t.seq = r.trace_seq AND t.principal_id = r.principal_id)',
  ],
  [
    'receipts under another name',
    `receipts r JOIN traces t ON t.seq = r.trace_seq WHERE json_valid(r.body)
      AND (${BODY} ->> 'receipt_id', ${BODY} ->> 'kind', ${BODY} ->> 'trace_id') IS NOT (r.receipt_id, r.kind, t.trace_id)`,
  ],
  [
    'traces with wrong counts',
    `traces t WHERE source_count <> (SELECT count(*) FROM trace_sources s WHERE s.trace_seq = t.seq)
      OR used_count <> (SELECT count(*) FROM trace_sources s WHERE s.trace_seq = t.seq AND s.stage = 3)
      OR confirmation_count <> (SELECT count(*) FROM receipts r WHERE r.trace_seq = t.seq AND r.kind = 'confirmation')
      OR reversal_count <> (SELECT count(*) FROM receipts r WHERE r.trace_seq = t.seq AND r.kind = 'reversal')`,
  ],
  [
    'stages that receipts do not tell',
    `trace_sources s WHERE stage <> (SELECT count(*) FROM receipts r, json_each(${BODY}, '$.uses') AS u
      WHERE r.trace_seq = s.trace_seq AND r.kind = 'source_use' AND u.value ->> 'source_id' = s.source_id
        AND u.value ->> 'applied')`,
  ],
  [
    'credits without a confirmation',
    `credits c WHERE NOT EXISTS (SELECT 1 FROM receipts r WHERE r.receipt_id = c.confirmation_id AND r.kind = 'confirmation'
      AND r.principal_id = c.principal_id AND r.trace_seq = c.trace_seq)`,
  ],
  [
    'credits that receipts do not tell',
    `(SELECT c.seq FROM credits c JOIN receipts o ON o.receipt_id = c.confirmation_id AND json_valid(o.body)
        LEFT JOIN (${CREDITS_SAID}) AS said ON ${SAME_CREDIT} AND ${SAME_DELTA} WHERE said.receipt_id IS NULL
      UNION ALL SELECT 0 FROM (${CREDITS_SAID}) AS said WHERE NOT EXISTS (SELECT 1 FROM credits c WHERE ${SAME_CREDIT}))`,
  ],
  [
    'credits in a wrong state',
    `credits c WHERE (state = 'reversed') <> EXISTS (SELECT 1 FROM receipts r WHERE r.trace_seq = c.trace_seq
      AND r.kind = 'reversal' AND ${BODY} ->> 'confirmation_id' = c.confirmation_id)`,
  ],
];

/** Nothing but the memory itself knows what it holds. */
export const MEMORY_ADVICE =
  'Restore a copy of this file from before; indexing again does not bring back what was recorded.';
