import * as z from 'zod';
import { type Change, change, type Query, query } from '../engine/database.ts';
import type { Document } from './document.ts';
import type { Edge, EdgeExtractor } from './edge.ts';
import { joinNode, nodeOf, nodeParts } from './node.ts';
import { rowsOf, rowsStep } from './rows.ts';
import type { WikiFacts } from './wiki-facts.ts';

/** Documents of a batch as they are stored: what is written, and keys of what was stored before. */
export interface WrittenDocuments {
  readonly written: readonly { readonly key: string; readonly document: Document }[];
  readonly replaced: readonly string[];
}

/**
 * Replaces the edges of the documents that a batch writes, after them, and of those stored wiki pages which name a page
 * that comes or goes with it. Edges that named what now arrives lead to it from here on.
 */
export function edgeSteps(
  edgesOf: EdgeExtractor | undefined,
  { written, replaced }: WrittenDocuments,
  { slugsOf, affected }: WikiFacts,
): Change[] {
  if (edgesOf === undefined) return [];
  const sources = [...written.map(({ key, document }) => ({ key, source: document })), ...affected];
  const found = sources.map(({ key, source }) => ({
    key,
    repo: source.repo,
    edges: edgesOf(source, { wikiSlugs: slugsOf(source.repo) }),
  }));
  const documents = written.map(({ document }) => document);
  return [
    ...writeEdges(found, [...replaced, ...affected.map((page) => page.key)]),
    ...resolveCommits(documents),
    ...respell(documents),
  ];
}

/** The edges that a stored document states. */
export interface DocumentEdges {
  readonly key: string;
  readonly repo: string;
  readonly edges: readonly Edge[];
}

const REMOVE_EDGES =
  'DELETE FROM edges WHERE document_id IN (SELECT id FROM documents WHERE key IN (SELECT value FROM json_each(?)))';

/** The whole id of the only indexed commit of a repository that begins with some digits; NULL where there are none or several. */
function commitNamed(slug: string, digits: string): string {
  const first = (order: 'ASC' | 'DESC'): string =>
    `(SELECT c.commit_sha FROM documents c CROSS JOIN repos o ON o.id = c.repo_id
      WHERE c.commit_sha >= ${digits} AND c.commit_sha < ${digits} || 'g' AND c.type = 'diff' AND o.slug = ${slug}
      ORDER BY c.commit_sha ${order} LIMIT 1)`;
  return `(SELECT low FROM (SELECT ${first('ASC')} AS low, ${first('DESC')} AS high) WHERE low = high)`;
}

const EDGE_COLUMNS = ['key', 'src', 'stated', 'kind', 'own', 'node_kind', 'repo', 'rest', 'digits'] as const;

// Column `slug` of repos compares without case.
const STATED_EDGES = `SELECT d.id, e.src, e.stated, e.kind,
  coalesce(e.own, e.node_kind || ':' || coalesce((SELECT slug FROM repos WHERE slug = e.repo), e.repo)
    || coalesce(':' || CASE WHEN e.digits IS NOT NULL THEN ${commitNamed('e.repo', 'e.digits')} END, e.rest))
FROM ${rowsOf(EDGE_COLUMNS)} AS e JOIN documents d ON d.key = e.key`;
const INSERT_EDGES = `INSERT OR IGNORE INTO edges (document_id, src, stated, kind, dst) ${STATED_EDGES}`;

/** Digits of a commit id that is not abbreviated. */
const WHOLE_COMMIT = 40;

/** Writes the edges of documents, once those of the documents with the keys `replaced` are gone. */
export function writeEdges(documents: readonly DocumentEdges[], replaced: readonly string[]): Change[] {
  return [
    ...(replaced.length === 0 ? [] : [change(REMOVE_EDGES, [JSON.stringify(replaced)])]),
    ...rowsStep(INSERT_EDGES, EDGE_COLUMNS, edgeRows(documents)),
  ];
}

/** Keys of those among some stored documents whose edges are not the ones that {@link writeEdges} would write. */
export function otherEdgesQuery(documents: readonly DocumentEdges[]): Query<string> {
  const rows = edgeRows(documents).map((row) => EDGE_COLUMNS.map((name) => row[name]));
  return query(
    `WITH stated (document_id, src, stated, kind, dst) AS MATERIALIZED (${STATED_EDGES}),
     stored AS MATERIALIZED (
       SELECT e.document_id, e.src, e.stated, e.kind, e.dst FROM json_each(?) w
       JOIN documents d ON d.key = w.value JOIN edges e ON e.document_id = d.id)
     SELECT DISTINCT d.key FROM (
       SELECT document_id FROM (SELECT * FROM stated EXCEPT SELECT * FROM stored)
       UNION ALL SELECT document_id FROM (SELECT * FROM stored EXCEPT SELECT * FROM stated)) AS other
     JOIN documents d ON d.id = other.document_id`,
    [JSON.stringify(rows), JSON.stringify(documents.map(({ key }) => key))],
    (row) => keyRow.parse(row).key,
  );
}

const keyRow = z.object({ key: z.string() });

function edgeRows(documents: readonly DocumentEdges[]) {
  return documents.flatMap(({ key, repo, edges }) => edges.flatMap((edge) => edgeRow(key, repo, edge) ?? []));
}

function edgeRow(key: string, ownRepo: string, { src, dst, kind }: Edge) {
  const node = nodeOf(ownRepo, dst);
  const parts = nodeParts(node);
  if (parts === undefined) return undefined;
  const { kind: nodeKind, rest } = parts;
  const repo = parts.repo.toLowerCase();
  const digits = nodeKind === 'commit' && rest.length <= WHOLE_COMMIT ? rest.slice(1) : null;
  return {
    key,
    src: nodeOf(ownRepo, src),
    stated: joinNode({ kind: nodeKind, repo, rest }),
    kind,
    // What the database need not be asked for.
    own: parts.repo === ownRepo && digits === null ? node : null,
    node_kind: nodeKind,
    repo,
    rest,
    digits,
  };
}

const SHORTEST_COMMIT = 7;

// The first condition on `stated` is that of the index edges_to_commits, which is used for nothing else.
const RESOLVE_COMMITS = `WITH arrived AS MATERIALIZED (
    SELECT value ->> 'repo' AS repo, value ->> 'start' AS start, value ->> 'low' AS low, value ->> 'whole' AS whole
    FROM json_each(?)),
  named AS MATERIALIZED (
    SELECT e.document_id, e.src, e.stated, e.kind, a.repo, substr(e.stated, a.start) AS digits FROM arrived a
    CROSS JOIN edges e ON substr(e.stated, 1, 7) = 'commit:' AND e.stated >= a.low AND e.stated < a.whole
    WHERE substr(a.whole, 1, length(e.stated)) = e.stated),
  resolved AS MATERIALIZED (
    SELECT *, 'commit:' || repo || ':' || coalesce(${commitNamed('repo', 'digits')}, digits) AS node FROM named)
UPDATE edges SET dst = r.node FROM resolved r
WHERE edges.document_id = r.document_id AND edges.src = r.src AND edges.stated = r.stated AND edges.kind = r.kind
  AND edges.dst <> r.node`;

/**
 * Finds out anew what edges lead to that name one of these commits by its first digits: the commit, or nothing more
 * where it is not the only one now.
 */
function resolveCommits(documents: readonly Document[]): Change[] {
  const commits = new Map(
    documents.flatMap(({ type, repo, commit }) => {
      if (type !== 'diff' || commit === null) return [];
      const before = `commit:${repo.toLowerCase()}:`;
      const whole = before + commit;
      const low = before + commit.slice(0, SHORTEST_COMMIT);
      return [[whole, { repo, start: before.length + 1, low, whole }] as const];
    }),
  );
  return commits.size === 0 ? [] : [change(RESOLVE_COMMITS, [JSON.stringify([...commits.values()])])];
}

const RESPELL = `UPDATE edges SET dst = ?1 || substr(dst, length(?1) + 1) WHERE dst >= ?2 AND dst < ?3`;

/** Edges to a repository that was not indexed lead to it in small letters; here they get the spelling of the index. */
function respell(documents: readonly Document[]): Change[] {
  const slugs = new Set(documents.map(({ repo }) => repo).filter((slug) => slug !== slug.toLowerCase()));
  // The character after each separator ends the range of what begins with it.
  const prefixes = [
    ['thread', ':', ';'],
    ['file', ':', ';'],
    ['commit', ':', ';'],
    ['self', '/', '0'],
  ] as const;
  return [...slugs].flatMap((slug) =>
    prefixes.map(([kind, separator, next]) => {
      const unknown = `${kind}:${slug.toLowerCase()}`;
      return change(RESPELL, [`${kind}:${slug}`, unknown + separator, unknown + next]);
    }),
  );
}
