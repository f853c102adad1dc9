import * as z from 'zod';
import { type Query, query } from '../engine/database.ts';
import type { Document } from './document.ts';
import { DOCUMENT_TYPE_NAMES } from './document-types.ts';
import type { EdgeSource } from './edge.ts';
import { splitReference } from './reference.ts';

/** A wiki page by its repository and slug. */
const wikiPage = z.object({ repo: z.string(), path: z.string() });
type WikiPage = z.output<typeof wikiPage>;

/** What mentions in wiki pages depend on beside their text: which pages there are. */
export interface WikiFacts {
  /** Slugs of the wiki pages that a repository has after the batch. */
  readonly slugsOf: (repo: string) => ReadonlySet<string>;
  /** Stored pages outside the batch that name a page which comes or goes with it. */
  readonly affected: readonly StoredPage[];
}

/** A stored page whose edges must be found again. */
interface StoredPage {
  readonly key: string;
  /** Of the stored version that was looked at. */
  readonly content_hash: string;
  readonly source: EdgeSource;
}

/** Wiki pages of some repositories. */
function wikiPagesQuery(repos: readonly string[]): Query<WikiPage> {
  return query(
    `SELECT r.slug AS repo, d.path FROM repos r JOIN documents d ON d.repo_id = r.id
     WHERE d.type = 'wiki_doc' AND d.path IS NOT NULL AND r.slug IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(repos)],
    (row) => wikiPage.parse(row),
  );
}

const storedPage = z.object({
  key: z.string(),
  content_hash: z.string(),
  repo: z.string(),
  type: z.enum(DOCUMENT_TYPE_NAMES),
  path: z.string(),
  title: z.string(),
  body: z.string(),
});

/**
 * Stored pages with the slug of a page that is not stored yet, which they mention once it arrives, and with an edge to one
 * that goes. The first match is rough; the extractor decides.
 */
function affectedPagesQuery(arriving: readonly WikiPage[], gone: readonly WikiPage[]): Query<StoredPage> {
  return query(
    // The limit keeps the body of a page in hand while it is searched for one name after another.
    `WITH arriving AS MATERIALIZED (
       SELECT r.id AS repo_id, value ->> 'path' AS path FROM json_each(?1) JOIN repos r ON r.slug = value ->> 'repo'
       WHERE NOT EXISTS (SELECT 1 FROM documents k WHERE k.repo_id = r.id AND k.path = value ->> 'path' AND k.type = 'wiki_doc')),
     affected AS (
       SELECT s.id FROM (
         SELECT d.id, d.repo_id, b.body FROM (SELECT DISTINCT repo_id FROM arriving) AS a
         CROSS JOIN documents d ON d.repo_id = a.repo_id AND d.type = 'wiki_doc' JOIN bodies b ON b.document_id = d.id LIMIT -1) AS s
       WHERE EXISTS (SELECT 1 FROM arriving a WHERE a.repo_id = s.repo_id AND instr(s.body, a.path) > 0)
       UNION
       SELECT e.document_id FROM json_each(?2)
       CROSS JOIN edges e ON e.dst = 'self:' || (value ->> 'repo') || '/wiki/' || (value ->> 'path'))
     SELECT d.key, d.content_hash, r.slug AS repo, d.type, d.path, d.title, b.body
     FROM affected JOIN documents d ON d.id = affected.id AND d.type = 'wiki_doc' AND d.path IS NOT NULL
     JOIN bodies b ON b.document_id = d.id JOIN repos r ON r.id = d.repo_id`,
    [JSON.stringify(arriving), JSON.stringify(gone)],
    (row) => {
      const { key, content_hash, ...fields } = storedPage.parse(row);
      return { key, content_hash, source: { ...fields, number: null, tag: null, commit: null, preface: '' } };
    },
  );
}

function wikiPagesOf(documents: readonly Document[], removals: readonly string[]) {
  const arriving = documents.flatMap(({ type, repo, path }) =>
    type === 'wiki_doc' && path !== null ? [{ repo, path }] : [],
  );
  const gone = removals.flatMap((key) => {
    const { repo, rest = '' } = splitReference(key) ?? {};
    return repo !== undefined && rest.startsWith('/wiki/') ? [{ repo, path: rest.slice('/wiki/'.length) }] : [];
  });
  return { arriving, gone };
}

/** Reads what {@link wikiFacts} needs; part of the read that comes before a batch is written. */
export function wikiFactsQueries(documents: readonly Document[], removals: readonly string[]) {
  const { arriving, gone } = wikiPagesOf(documents, removals);
  const repos = [...new Set([...arriving, ...gone].map((page) => page.repo))];
  return [wikiPagesQuery(repos), affectedPagesQuery(arriving, gone)] as const;
}

/** The facts of a batch; `written` and `removals` are the keys that it changes. */
export function wikiFacts(
  [stored, affected]: readonly [readonly WikiPage[], readonly StoredPage[]],
  documents: readonly Document[],
  removals: readonly string[],
  written: readonly string[],
): WikiFacts {
  const { arriving, gone } = wikiPagesOf(documents, removals);
  const slugs = new Map<string, Set<string>>();
  for (const { repo, path } of stored) slugs.set(repo, (slugs.get(repo) ?? new Set()).add(path));
  for (const { repo, path } of gone) slugs.get(repo)?.delete(path);
  for (const { repo, path } of arriving) slugs.set(repo, (slugs.get(repo) ?? new Set()).add(path));
  const changed = new Set([...written, ...removals]);
  return {
    slugsOf: (repo) => slugs.get(repo) ?? NO_SLUGS,
    affected: affected.filter((page) => !changed.has(page.key)),
  };
}

const NO_SLUGS: ReadonlySet<string> = new Set();
