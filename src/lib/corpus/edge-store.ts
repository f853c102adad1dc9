import * as z from 'zod';
import { type Change, change, type Query, query } from '../engine/database.ts';
import type { Document } from './document.ts';
import { DOCUMENT_TYPE_NAMES } from './document-types.ts';
import type { Edge, EdgeExtractor, EdgeSource } from './edge.ts';
import { nodeOf } from './node.ts';

const wikiSlugRow = z.object({ repo: z.string(), path: z.string() });

/** Wiki pages of some repositories. */
function wikiPagesQuery(repos: readonly string[]): Query<z.output<typeof wikiSlugRow>> {
  return query(
    `SELECT r.slug AS repo, d.path FROM repos r JOIN documents d ON d.repo_id = r.id
     WHERE d.type = 'wiki_doc' AND d.path IS NOT NULL AND r.slug IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(repos)],
    (row) => wikiSlugRow.parse(row),
  );
}

const pageRow = z.object({
  key: z.string(),
  repo: z.string(),
  type: z.enum(DOCUMENT_TYPE_NAMES),
  path: z.string(),
  title: z.string(),
  body: z.string(),
});

/** A stored page whose edges must be found again. */
interface StoredPage {
  readonly key: string;
  readonly source: EdgeSource;
}

/**
 * Stored wiki pages that hold the slug of a page which is not stored yet: once that page arrives, they mention it. The
 * match is rough; the extractor decides.
 */
function pagesNamingQuery(pages: readonly Document[]): Query<StoredPage> {
  const arriving = pages.map(({ repo, path }) => ({ repo, path }));
  return query(
    `WITH arriving AS (
       SELECT r.id AS repo_id, value ->> 'path' AS path FROM json_each(?) JOIN repos r ON r.slug = value ->> 'repo'
       WHERE NOT EXISTS (SELECT 1 FROM documents k WHERE k.repo_id = r.id AND k.path = value ->> 'path' AND k.type = 'wiki_doc'))
     SELECT DISTINCT d.key, r.slug AS repo, d.type, d.path, d.title, b.body
     FROM arriving a JOIN documents d ON d.repo_id = a.repo_id AND d.type = 'wiki_doc'
     JOIN bodies b ON b.document_id = d.id JOIN repos r ON r.id = d.repo_id
     WHERE instr(b.body, a.path) > 0`,
    [JSON.stringify(arriving)],
    (row) => {
      const { key, ...fields } = pageRow.parse(row);
      return { key, source: { ...fields, number: null, tag: null, commit: null, preface: '' } };
    },
  );
}

/** What the edges of a batch depend on beside its documents, as it was read. */
export interface EdgeFacts {
  readonly wikiPages: readonly z.output<typeof wikiSlugRow>[];
  readonly pagesNaming: readonly StoredPage[];
}

/** Reads {@link EdgeFacts}; part of the read that comes before a batch is written. */
export function edgeContextQueries(documents: readonly Document[]) {
  const pages = documents.filter((document) => document.type === 'wiki_doc');
  return [wikiPagesQuery([...new Set(pages.map((page) => page.repo))]), pagesNamingQuery(pages)] as const;
}

/**
 * Replaces the edges of the documents that a batch writes, after them, and finds those of stored wiki pages again that
 * name a page of the batch. `replaced` are the keys that were stored before.
 */
export function edgeSteps(
  edgesOf: EdgeExtractor | undefined,
  written: readonly { readonly key: string; readonly document: Document }[],
  replaced: readonly string[],
  { wikiPages, pagesNaming }: EdgeFacts,
): Change[] {
  if (edgesOf === undefined || written.length === 0) return [];
  const slugs = new Map<string, Set<string>>();
  const arriving = written.flatMap(({ document: { type, repo, path } }) =>
    type === 'wiki_doc' && path !== null ? [{ repo, path }] : [],
  );
  for (const { repo, path } of [...wikiPages, ...arriving]) {
    slugs.set(repo, (slugs.get(repo) ?? new Set()).add(path));
  }
  const sources = [...written.map(({ key, document }) => ({ key, source: document })), ...pagesNaming];
  const found = sources.map(({ key, source }) => ({
    key,
    repo: source.repo,
    edges: edgesOf(source, { wikiSlugs: slugs.get(source.repo) ?? new Set() }),
  }));
  return [
    ...writeEdges(found, [...replaced, ...pagesNaming.map((page) => page.key)]),
    ...resolveCommits(written.map(({ document }) => document)),
  ];
}

/** The edges that a stored document states. */
interface DocumentEdges {
  readonly key: string;
  readonly repo: string;
  readonly edges: readonly Edge[];
}

const REMOVE_EDGES =
  'DELETE FROM edges WHERE document_id IN (SELECT id FROM documents WHERE key IN (SELECT value FROM json_each(?)))';

// The first digits of a commit name it once the commit is indexed; until then the edge dangles.
const INSERT_EDGES = `INSERT OR IGNORE INTO edges (document_id, src, dst, kind)
SELECT d.id, value ->> 'src', coalesce(
  CASE WHEN value ->> 'dst' LIKE 'commit:%' THEN (
    SELECT 'commit:' || r.slug || ':' || c.commit_sha FROM documents c JOIN repos r ON r.id = c.repo_id
    WHERE c.commit_sha >= value ->> 'sha' AND c.commit_sha < (value ->> 'sha') || 'g'
      AND 'commit:' || r.slug || ':' || (value ->> 'sha') = value ->> 'dst' LIMIT 1) END,
  value ->> 'dst'), value ->> 'kind'
FROM json_each(?) JOIN documents d ON d.key = value ->> 'key'`;

const RESOLVE_COMMITS = `UPDATE OR IGNORE edges SET dst = c.value FROM json_each(?) AS c
WHERE edges.dst >= substr(c.value, 1, instr(substr(c.value, 8), ':') + 14)
  AND edges.dst < c.value AND substr(c.value, 1, length(edges.dst)) = edges.dst`;

function writeEdges(documents: readonly DocumentEdges[], replaced: readonly string[]): Change[] {
  const rows = documents.flatMap(({ key, repo, edges }) =>
    edges.map(({ src, dst, kind }) => {
      const target = nodeOf(repo, dst);
      return { key, src: nodeOf(repo, src), dst: target, kind, sha: target.slice(target.lastIndexOf(':') + 1) };
    }),
  );
  return [
    ...(replaced.length === 0 ? [] : [change(REMOVE_EDGES, [JSON.stringify(replaced)])]),
    ...(rows.length === 0 ? [] : [change(INSERT_EDGES, [JSON.stringify(rows)])]),
  ];
}

/** Gives edges that named commits by their first digits the whole name, now that the commits are stored. */
function resolveCommits(documents: readonly Document[]): Change[] {
  const commits = new Set(
    documents.flatMap(({ type, repo, commit }) => (type === 'diff' && commit !== null ? [`commit:${repo}:${commit}`] : [])),
  );
  return commits.size === 0 ? [] : [change(RESOLVE_COMMITS, [JSON.stringify([...commits])])];
}
