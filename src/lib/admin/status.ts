import * as z from 'zod';
import { DOCUMENT_TYPE_NAMES } from '../corpus/document-types.ts';
import { allowedSlug, Parameters, visibleDocuments } from '../corpus/filters.ts';
import { embeddersQuery, type StoredEmbedder } from '../corpus/embedder-store.ts';
import { allowedPassages, type Coverage, coverageQuery, covered } from '../corpus/vector-store.ts';
import { allowedWatermark, OTHER_SURFACES, REQUEST_BUDGET } from '../corpus/watermark.ts';
import { formatTime } from '../core/time.ts';
import { query } from '../engine/database.ts';
import type { Engine } from '../engine/engine.ts';
import { githubName, type Principal } from '../engine/principal.ts';
import { defineOperation } from '../operation/operation.ts';
import { COPY_SOURCE } from './copied-tables.ts';

const statusOutput = z.object({
  database: z.object({
    backend: z.enum(['local', 'remote', 'replica']),
    location: z.string(),
    schema_version: z.int(),
    stale_since: z
      .string()
      .nullable()
      .optional()
      .describe('Of a local copy that is behind its server: when it was last in step; null: not known.'),
  }),
  principal: z.string().nullable().describe('Whose feedback memory this is; null: nobody could be verified.'),
  principal_problem: z
    .string()
    .optional()
    .describe('Why the token names nobody; on a local file the memory is then that of its local user.'),
  local_traces: z
    .int()
    .optional()
    .describe(
      'Retrievals of the local user of this file, which gh-rag login --adopt-local makes yours; absent without.',
    ),
  embedder: z.string().nullable().describe('What embeds passages; null: nothing does, or nothing did yet.'),
  embedder_problem: z
    .string()
    .optional()
    .describe('Why nothing embeds passages although something is configured to, and what to run.'),
  embedded: z.int().describe('Passages that have a vector of it; searches compare those.'),
  github: z
    .object({ host: z.string(), remaining: z.int(), limit: z.int(), resets_at: z.string() })
    .optional()
    .describe('Requests that GitHub still allowed when it was asked last, and when all are allowed again.'),
  documents: z.int(),
  passages: z.int(),
  repos: z.array(
    z.object({
      repo: z.string(),
      default_branch: z.string().nullable(),
      head_commit: z.string().nullable().describe('Commit whose docs are indexed.'),
      index_updated_at: z.string().nullable(),
      documents: z.partialRecord(z.enum(DOCUMENT_TYPE_NAMES), z.int()),
    }),
  ),
  watermarks: z.array(
    z.object({
      source: z.string(),
      surface: z.string(),
      complete: z.boolean().describe('False: a run was interrupted, or is on its way.'),
      updated_at: z.string(),
    }),
  ),
});
export type StatusOutput = z.output<typeof statusOutput>;

const repoRow = z.object({
  slug: z.string(),
  default_branch: z.string().nullable(),
  head_commit: z.string().nullable(),
  indexed_at: z.string().nullable(),
  counts: z.string(),
});
const countsByType = z.partialRecord(z.enum(DOCUMENT_TYPE_NAMES), z.int());
const watermarkRow = z.object({ source: z.string(), surface: z.string(), complete: z.int(), updated_at: z.string() });
const budgetRow = z.object({ source: z.string(), value: z.string() });
const budget = z.object({ remaining: z.int(), limit: z.int(), resets_at: z.string() });
const totalsRow = z.object({ version: z.int(), passages: z.int(), local_principal: z.string(), local_traces: z.int() });

/** Watermarks told one by one; a database that saw thousands of export files has no use for all of them. */
const MAX_WATERMARKS = 200;

export const status = defineOperation({
  name: 'status',
  title: 'What is indexed',
  description: 'Says which database is used, which repositories it holds and how far their ingestion came.',
  input: z.strictObject({}),
  output: statusOutput,
  effect: 'read',
  openWorld: false,
  faces: ['cli', 'mcp'],
  async handler(engine) {
    const { database, embedder, allowed } = engine;
    const [ofTotals, ofRepos, ofMarks] = [new Parameters(), new Parameters(), new Parameters()];
    const visible = visibleDocuments(allowed, ofRepos);
    const listed = allowedSlug(allowed, 'r.slug', ofRepos).map((condition) => ` WHERE ${condition}`);
    const ofAllowed = allowedWatermark(allowed, ofMarks).map(
      (condition) => `(source = '${COPY_SOURCE}' OR ${condition})`,
    );
    const marks = [`surface NOT IN ${OTHER_SURFACES}`, ...ofAllowed];
    const [[totals], repos, watermarks, [asked], embedders, coverage] = await database.read([
      query(
        `SELECT (SELECT max(version) FROM schema_migrations) AS version, (SELECT count(*) FROM ${allowedPassages(allowed, ofTotals)}) AS passages, local_principal,
           (SELECT count(*) FROM traces t JOIN principals p ON p.id = t.principal_id WHERE p.name = local_principal) AS local_traces
         FROM installations`,
        ofTotals.values,
        (row) => totalsRow.parse(row),
      ),
      query(
        `SELECT r.slug, r.default_branch, r.head_commit, r.indexed_at,
           (SELECT json_group_object(type, n) FROM (
             SELECT d.type, count(*) AS n FROM documents d WHERE d.repo_id = r.id AND ${visible} GROUP BY d.type
           )) AS counts
         FROM repos r${listed.join('')} ORDER BY r.slug`,
        ofRepos.values,
        (row) => {
          const { counts, ...rest } = repoRow.parse(row);
          return { ...rest, counts: countsByType.parse(JSON.parse(counts)) };
        },
      ),
      query(
        `SELECT source, surface, complete, updated_at FROM watermarks WHERE ${marks.join(' AND ')} ORDER BY complete, updated_at DESC LIMIT ${String(MAX_WATERMARKS)}`,
        ofMarks.values,
        (row) => watermarkRow.parse(row),
      ),
      query(
        `SELECT source, value FROM watermarks WHERE surface = '${REQUEST_BUDGET}' ORDER BY updated_at DESC LIMIT 1`,
        [],
        (row) => budgetRow.parse(row),
      ),
      embeddersQuery(),
      coverageQuery(allowed),
    ]);
    const { staleSince } = database;
    const isVerified = database.backend === 'local' && engine.principal?.kind === 'github';
    const adoptable = isVerified ? (totals?.local_traces ?? 0) : 0;
    return {
      database: {
        backend: database.backend,
        location: database.location,
        schema_version: totals?.version ?? 0,
        ...(staleSince !== undefined && { stale_since: staleSince === null ? null : formatTime(staleSince) }),
      },
      principal: nameOf(engine.principal, totals?.local_principal ?? null),
      ...(engine.principalProblem !== undefined && { principal_problem: engine.principalProblem }),
      ...(adoptable > 0 && { local_traces: adoptable }),
      ...embeddingOf(embedder, embedders, coverage),
      ...(asked !== undefined && { github: { host: asked.source, ...budget.parse(JSON.parse(asked.value)) } }),
      documents: repos.flatMap((repo) => Object.values(repo.counts)).reduce((sum, n) => sum + n, 0),
      passages: totals?.passages ?? 0,
      repos: repos.map((repo) => ({
        repo: repo.slug,
        default_branch: repo.default_branch,
        head_commit: repo.head_commit,
        index_updated_at: repo.indexed_at,
        documents: repo.counts,
      })),
      watermarks: watermarks.map(({ complete, ...mark }) => ({ ...mark, complete: complete === 1 })),
    };
  },
});

function nameOf(principal: Principal | null, local: string | null): string | null {
  if (principal === null) return null;
  return principal.kind === 'local' ? local : githubName(principal);
}

const NOT_YET = 'nothing is embedded yet, or there is too little text to learn from: gh-rag backfill embeddings';

/** Of models of its own an index uses the newest that is ready; one that is being filled tells how far it came. */
function embeddingOf(
  embedder: Engine['embedder'],
  embedders: readonly StoredEmbedder[],
  coverage: readonly Coverage[],
): Pick<StatusOutput, 'embedder' | 'embedder_problem' | 'embedded'> {
  if (embedder === null) return { embedder: null, embedded: 0 };
  const own = embedders.filter(({ kind }) => kind === 'lsa');
  const stored =
    embedder === 'lsa'
      ? (own.find(({ state }) => state === 'ready') ?? own[0])
      : embedders.find(({ name }) => name === embedder.id);
  const embedded = covered(coverage, stored);
  if (stored !== undefined) return { embedder: stored.name, embedded };
  if (embedder !== 'lsa') return { embedder: embedder.id, embedded };
  return { embedder: null, ...(covered(coverage, null) > 0 && { embedder_problem: NOT_YET }), embedded };
}
