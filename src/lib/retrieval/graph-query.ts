import * as z from 'zod';
import { EDGE_KINDS } from '../corpus/edge.ts';
import { Parameters, visibleDocuments } from '../corpus/filters.ts';
import type { Node } from '../corpus/node.ts';
import { type Query, query } from '../engine/database.ts';
import type { Principal } from '../engine/principal.ts';
import { contributionsQuery } from '../feedback/learned-strength.ts';

/** Edges followed from one node; a file or a busy thread can have thousands. */
const MAX_FANOUT = 60;

const stepRow = z.object({
  hop: z.int(),
  via: z.string(),
  src: z.string(),
  dst: z.string(),
  kind: z.enum(EDGE_KINDS),
  direction: z.enum(['forward', 'backward']),
  node: z.string(),
  document_id: z.int().nullable(),
});

/** One edge walked from `via` to `node`, and the document that stands for `node`; null where none is indexed. */
export type Step = z.output<typeof stepRow>;

const KIND_ORDER = `CASE kind ${EDGE_KINDS.map((kind, at) => `WHEN '${kind}' THEN ${String(at)}`).join(' ')} END`;

/** Every edge of one hop from the nodes of a table, in either direction, stated by a document that may be seen. */
function stepsFrom(table: string): string {
  const leg = (from: string, to: string, direction: string): string =>
    `SELECT o.place, o.node AS via, e.src, e.dst, e.kind, '${direction}' AS direction, e.${to} AS node
     FROM ${table} o CROSS JOIN edges e ON e.${from} = o.node JOIN documents d ON d.id = e.document_id
     WHERE ${visibleDocuments()}`;
  return `SELECT place, via, src, dst, kind, direction, node, n FROM (
    SELECT *, row_number() OVER (PARTITION BY via ORDER BY ${KIND_ORDER}, direction DESC, node) AS n
    FROM (${leg('src', 'dst', 'forward')} UNION ${leg('dst', 'src', 'backward')}))
    WHERE n <= ${String(MAX_FANOUT)}`;
}

/** Where a walk begins: nodes in the order of the answer, then the commits of the diffs among its documents. */
export interface Origins {
  readonly nodes: readonly Node[];
  readonly diffs: readonly number[];
}

function walk({ nodes, diffs }: Origins, hops: number, parameters: Parameters): string {
  const list = parameters.add(JSON.stringify(nodes));
  const ids = parameters.add(JSON.stringify(diffs));
  const second = hops < 2 ? '' : `, turns AS MATERIALIZED (SELECT min(rowid) AS place, node FROM (
      SELECT row_number() OVER (ORDER BY place, n) AS rowid, node FROM first) WHERE node NOT IN (SELECT node FROM origins) GROUP BY node),
    second AS MATERIALIZED (${stepsFrom('turns')})`;
  return `WITH origins AS MATERIALIZED (SELECT min(place) AS place, node FROM (
      SELECT key AS place, value AS node FROM json_each(${list}) UNION ALL
      SELECT ${String(nodes.length)} + w.key, 'commit:' || r.slug || ':' || d.commit_sha
      FROM json_each(${ids}) AS w JOIN documents d ON d.id = w.value JOIN repos r ON r.id = d.repo_id) GROUP BY node),
    first AS MATERIALIZED (${stepsFrom('origins')})${second}`;
}

function union(hops: number, columns: string): string {
  const both = [1, ...(hops < 2 ? [] : [2])];
  return both.map((hop) => `SELECT ${columns.replace('HOP', String(hop))} FROM ${hop === 1 ? 'first' : 'second'}`).join(' UNION ALL ');
}

/**
 * Steps of up to two hops from the nodes of an answer, in the order in which they are to be followed. The document that
 * stands for a node is its thread's, its file's or its page's own, else the newest that belongs to it.
 */
export function stepsQuery(origins: Origins, hops: number): Query<Step> {
  const parameters = new Parameters();
  const own = "CASE WHEN d.type IN ('issue', 'pull_request', 'doc') THEN 0 ELSE 1 END";
  const newest = `ORDER BY ${own}, d.updated_at DESC, d.id LIMIT 1`;
  return query(
    `${walk(origins, hops, parameters)}
     SELECT s.hop, s.via, s.src, s.dst, s.kind, s.direction, s.node,
       CASE WHEN s.node LIKE 'commit:%' THEN (
         SELECT d.id FROM documents d JOIN repos r ON r.id = d.repo_id
         WHERE d.commit_sha = substr(s.node, length(rtrim(s.node, '0123456789abcdef')) + 1)
           AND 'commit:' || r.slug || ':' || d.commit_sha = s.node AND d.type = 'diff' AND ${visibleDocuments()} ${newest})
       ELSE (SELECT d.id FROM documents d WHERE d.entity = s.node AND ${visibleDocuments()} ${newest}) END AS document_id
     FROM (${union(hops, 'HOP AS hop, place, n, via, src, dst, kind, direction, node')}) AS s
     ORDER BY s.hop, s.place, s.n`,
    parameters.values,
    (row) => stepRow.parse(row),
  );
}

/** What the principal credited to the edges that {@link stepsQuery} gives. */
export function stepContributionsQuery(principal: Principal, origins: Origins, hops: number) {
  const parameters = new Parameters();
  const edges = {
    with: walk(origins, hops, parameters),
    select: `SELECT DISTINCT src, dst, kind FROM (${union(hops, 'src, dst, kind')})`,
  };
  return contributionsQuery(principal, edges, parameters);
}
