import * as z from 'zod';
import { EDGE_KINDS } from '../corpus/edge.ts';
import { allowedNode, Parameters, visibleDocuments } from '../corpus/filters.ts';
import type { Node } from '../corpus/node.ts';
import type { Allowed } from '../engine/allow-list.ts';
import { type Query, query } from '../engine/database.ts';
import { contributionsTo, decodeContributions, type Learning } from '../feedback/learned-strength.ts';

/** Edges followed from one node, and from all nodes of one hop: a busy thread or file can have thousands. */
const MAX_FANOUT = 200;
const MAX_STEPS = 400;

/** Nodes of the first hop that the second goes on from. */
const MAX_TURNS = 200;

const stepRow = z.object({
  hop: z.int(),
  via: z.string(),
  node: z.string(),
  src: z.string(),
  dst: z.string(),
  kind: z.enum(EDGE_KINDS),
  direction: z.enum(['forward', 'backward']),
  document_id: z.int().nullable(),
  known: z.int().transform(Boolean),
  contributions: z.string().nullable().transform(decodeContributions),
});

/**
 * One edge walked from `via` to `node`, a node that no step before it reached. `document_id` stands for it in an answer;
 * null where none is indexed, or only what is folded into the results. `known`: both nodes are indexed under their
 * canonical identity. `contributions`: of the caller to the edge; none where learning was not asked for.
 */
export type Step = z.output<typeof stepRow>;

/** Where a walk begins: the entities of the results in their order, then the commits of the diffs among them. */
export interface Origins {
  readonly nodes: readonly Node[];
  readonly diffs: readonly number[];
}

/** How far a walk goes: hops; candidates, which are nodes with a document; and how many of them an answer can show. */
export interface Reach {
  readonly hops: number;
  readonly candidates: number;
  readonly shown: number;
}

/** What a walk may see, as SQL expressions. */
interface Sight {
  /** Of a document `d`. */
  readonly visible: string;
  /** Of a node by name, whether it is indexed or not; more than one are joined by AND. */
  readonly nodes: (node: string) => readonly string[];
}

// An edge may be stated by many documents; as a rule any of them (a bare column) may be seen, and no other need be found.
const statedVisibly = ({ visible }: Sight): string =>
  `(EXISTS (SELECT 1 FROM documents d WHERE d.id = e.document_id AND ${visible})
  OR EXISTS (SELECT 1 FROM edges s CROSS JOIN documents d ON d.id = s.document_id
    WHERE s.src = e.src AND s.kind = e.kind AND s.dst = e.dst AND ${visible}))`;

/**
 * The distinct edges from the nodes of a table in the order in which they are followed: by place of the node, first what
 * it states, then what is stated of it, each by kind and other end. Every leg runs along an index and stops at its limit,
 * however many edges there are.
 */
function stepsFrom(table: string, sight: Sight): string {
  const leg = (from: 'src' | 'dst', to: 'src' | 'dst'): string =>
    `(SELECT json_group_array(json_array(kind, node)) FROM (
       SELECT e.kind, e.${to} AS node FROM edges e WHERE e.${from} = t.node
       GROUP BY e.kind, e.${to} HAVING ${[...sight.nodes(`e.${to}`), statedVisibly(sight)].join(' AND ')} ORDER BY e.kind, e.${to} LIMIT ${String(MAX_FANOUT)}))`;
  return `SELECT (t.place * 2 + b.value) * ${String(MAX_FANOUT)} + j.key AS place, t.node AS via,
      j.value ->> 0 AS kind, b.value AS backward, j.value ->> 1 AS node
    FROM ${table} t CROSS JOIN json_each('[0,1]') AS b
    CROSS JOIN json_each(CASE b.value WHEN 0 THEN ${leg('src', 'dst')} ELSE ${leg('dst', 'src')} END) AS j
    LIMIT ${String(MAX_STEPS)}`;
}

/** Of the steps of a hop the first to each node that was not reached before. Bare columns come from the row of the minimum. */
function firstSteps(steps: string, reached: readonly string[], sight: Sight): string {
  const unreached = reached.map((table) => `node NOT IN (SELECT node FROM ${table})`).join(' AND ');
  return `SELECT *, ${documentOf(sight)} AS document_id FROM (
    SELECT min(place) AS place, via, kind, backward, node FROM (${steps}) WHERE ${unreached} GROUP BY node)`;
}

// Nodes are `kind:owner/name:rest`; a thread's own document is stored under `owner/name#rest`.
const IS_COMMIT = "node GLOB 'commit:*'";
const OWN_KEY = `CASE WHEN node GLOB 'thread:*'
  THEN substr(node, 8, instr(substr(node, 8), ':') - 1) || '#' || substr(node, 8 + instr(substr(node, 8), ':'))
  ELSE substr(node, 6) END`;
const commitDiffs = ({ visible }: Sight): string => `documents d CROSS JOIN repos r ON r.id = d.repo_id
  WHERE d.commit_sha = substr(node, 9 + instr(substr(node, 9), ':')) AND r.slug = substr(node, 8, instr(substr(node, 8), ':') - 1)
    AND d.type = 'diff' AND ${visible}`;
const NEWEST = 'ORDER BY d.updated_at DESC, d.key LIMIT 1';

/**
 * The document that stands for a node: of a thread, a file, a page or a release its own, else the newest that belongs to
 * it; of a commit the first of its files that is not among the results.
 */
const documentOf = (sight: Sight): string => `CASE WHEN ${IS_COMMIT}
  THEN (SELECT d.id FROM ${commitDiffs(sight)} AND d.entity NOT IN (SELECT node FROM origins) ORDER BY d.path, d.key LIMIT 1)
  ELSE coalesce(
    (SELECT d.id FROM documents d WHERE d.key = ${OWN_KEY} AND ${sight.visible}),
    (SELECT d.id FROM documents d WHERE d.entity = node AND d.source_id IS NOT NULL AND ${sight.visible} ${NEWEST}),
    (SELECT d.id FROM documents d WHERE d.entity = node AND ${sight.visible} ${NEWEST})) END`;

/** Whether a node is indexed under its canonical identity; `document` is what stands for it, where that is known. */
function isKnown(document: string, sight: Sight): string {
  return `CASE WHEN ${document} IS NOT NULL THEN (SELECT d.source_id IS NOT NULL FROM documents d WHERE d.id = ${document})
    WHEN ${IS_COMMIT} THEN EXISTS (SELECT 1 FROM ${commitDiffs(sight)} AND d.source_id IS NOT NULL) ELSE 0 END`;
}

const originKnown = (
  sight: Sight,
): string => `EXISTS (SELECT 1 FROM documents d WHERE d.entity = node AND d.source_id IS NOT NULL AND ${sight.visible})
  OR ${IS_COMMIT} AND EXISTS (SELECT 1 FROM ${commitDiffs(sight)} AND d.source_id IS NOT NULL)`;

function walk({ nodes, diffs }: Origins, { hops, candidates }: Reach, sight: Sight, parameters: Parameters): string {
  const list = parameters.add(JSON.stringify(nodes));
  const ids = parameters.add(JSON.stringify(diffs));
  const enough = parameters.add(candidates);
  const origins = `SELECT min(place) AS place, node, ${originKnown(sight)} AS known FROM (
      SELECT key AS place, value AS node FROM json_each(${list}) UNION ALL
      SELECT ${String(nodes.length)} + w.key, 'commit:' || r.slug || ':' || d.commit_sha
      FROM json_each(${ids}) AS w JOIN documents d ON d.id = w.value JOIN repos r ON r.id = d.repo_id
      WHERE d.commit_sha IS NOT NULL AND ${sight.visible})
    GROUP BY node ORDER BY place LIMIT ${String(nodes.length + diffs.length)}`;
  const turns = `SELECT place, node FROM first WHERE (SELECT count(document_id) FROM first) < ${enough}
    ORDER BY place LIMIT ${String(MAX_TURNS)}`;
  const second =
    hops < 2
      ? ''
      : `, turns AS MATERIALIZED (${turns}),
     second AS MATERIALIZED (${firstSteps(stepsFrom('turns', sight), ['origins', 'first'], sight)})`;
  const hop = (number: number, table: string): string => `SELECT ${String(number)} AS hop, * FROM ${table}`;
  // What has no document is only of use where the walk went on from it.
  const [both, used] =
    hops < 2
      ? [hop(1, 'first'), '']
      : [`${hop(1, 'first')} UNION ALL ${hop(2, 'second')}`, 'OR node IN (SELECT via FROM second)'];
  return `WITH origins AS MATERIALIZED (${origins}),
     first AS MATERIALIZED (${firstSteps(stepsFrom('origins', sight), ['origins'], sight)})${second},
     steps AS (SELECT * FROM (
       SELECT *, count(document_id) OVER (ORDER BY hop, place) AS candidate,
         CASE backward WHEN 0 THEN via ELSE node END AS src, CASE backward WHEN 0 THEN node ELSE via END AS dst
       FROM (${both}) WHERE document_id IS NOT NULL ${used}) WHERE candidate <= ${enough})`;
}

/**
 * A walk of one or two hops, breadth first: one step for each node that it reaches, in the order in which it reaches them,
 * until there are enough candidates. With `learning` each step comes with what confirmations contributed to its edge. Of
 * the candidates those that an answer may show are given, with the steps that lead to them: the first ones, and those with
 * a credited edge on their path.
 */
export function stepsQuery(origins: Origins, reach: Reach, learning: Learning | null, allowed: Allowed): Query<Step> {
  const parameters = new Parameters();
  const sight = {
    visible: visibleDocuments(allowed, parameters),
    nodes: (node: string) => allowedNode(allowed, node, parameters),
  };
  const steps = walk(origins, reach, sight, parameters);
  const contributions = learning === null ? 'NULL' : contributionsTo('s', learning, parameters);
  const credited = 'FROM weighed WHERE contributions IS NOT NULL';
  const origin = 'coalesce((SELECT o.known FROM origins o WHERE o.node = w.via), 1)';
  return query(
    `${steps}, weighed AS MATERIALIZED (SELECT s.*, ${contributions} AS contributions FROM steps s)
     SELECT w.hop, w.via, w.node, w.src, w.dst, w.kind, CASE w.backward WHEN 0 THEN 'forward' ELSE 'backward' END AS direction,
       w.document_id, ${isKnown('w.document_id', sight)} AND ${origin} AS known, w.contributions
     FROM weighed w WHERE w.candidate <= ${parameters.add(reach.shown)} OR w.contributions IS NOT NULL
       OR w.via IN (SELECT node ${credited}) OR w.node IN (SELECT via ${credited})
     ORDER BY w.hop, w.place`,
    parameters.values,
    (row) => stepRow.parse(row),
  );
}
