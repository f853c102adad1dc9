import * as z from 'zod';
import { DOCUMENT_TYPE_NAMES } from '../corpus/document-types.ts';
import {
  activation,
  exclusionReason,
  graphExclusionReason,
  memoryRecording,
  path,
  provenance,
} from '../feedback/wire.ts';

export const MAX_QUERY_LENGTH = 4096;
const MAX_METADATA_LENGTH = 256;
const MAX_TOP_K = 50;
const MAX_FETCH_SOURCES = 20;
/** How far a scan looks back from `until` when `since` is not given. */
export const DEFAULT_SCAN_WINDOW_MS = 7 * 86_400_000;

const metadata = z.string().min(1).max(MAX_METADATA_LENGTH);

/** One value or a list of values: agents send either. */
function oneOrMany<Item extends z.ZodType>(item: Item) {
  return z.union([item, z.array(item).min(1).max(20)]);
}

const STATES = ['open', 'closed', 'merged', 'approved', 'changes_requested', 'commented', 'dismissed'] as const;
const SORTS = ['relevance', 'updated_desc', 'created_desc'] as const;
const FUSIONS = ['rrf', 'dense_only', 'sparse_only'] as const;

export const searchInput = z.strictObject({
  query: z
    .string()
    .max(MAX_QUERY_LENGTH)
    .optional()
    .describe('What to look for, in plain words. Empty or absent: scan the newest activity instead.'),
  sources: z
    .array(z.string().min(1).max(1000))
    .min(1)
    .max(MAX_FETCH_SOURCES)
    .optional()
    .describe(
      'Fetch the stored bodies of these sources: a src_ id from an earlier answer, or a reference such as owner/repo#12, owner/repo:docs/a.md, owner/repo@<sha>:src/x.ts, owner/repo/wiki/Page, owner/repo/release/v1.2.0.',
    ),
  repo: oneOrMany(metadata).optional().describe('Only these repositories, as owner/name.'),
  type: oneOrMany(z.enum(DOCUMENT_TYPE_NAMES)).optional().describe('Only these types of documents.'),
  state: z.enum(STATES).optional().describe('Only this state; closed includes merged pull requests.'),
  labels: oneOrMany(metadata).optional().describe('Only issues and pull requests that carry all of these labels.'),
  milestone: metadata.optional().describe('Only this milestone, by its exact title.'),
  assignee: metadata.optional().describe('Only what is assigned to this login.'),
  author: metadata.optional().describe('Only what this login (for git: this name) wrote.'),
  path: metadata.optional().describe('Only files, diffs and inline comments whose path starts with this.'),
  since: metadata
    .optional()
    .describe('Only what was updated at or after this time: RFC 3339, a date, or an age such as 36h, 7d, 6mo.'),
  until: metadata.optional().describe('Only what was updated before this time, in the same forms as since.'),
  top_k: z.int().min(1).max(MAX_TOP_K).default(10).describe('How many distinct entities to return.'),
  sort: z.enum(SORTS).default('relevance').describe('Order of the results; the time sorts override ranking.'),
  fusion: z.enum(FUSIONS).default('rrf').describe('Which rankers take part.'),
  rerank: z
    .boolean()
    .default(true)
    .describe('Judge the candidates anew by all that is known of them, or by the configured endpoint.'),
  include_content: z
    .boolean()
    .default(false)
    .describe(
      'Return the bodies of the first 3 docs and the first 3 wiki pages with the results: as they are on GitHub now where a token allows it, else as they are stored; content_source says which.',
    ),
  graph_expand: z
    .boolean()
    .default(false)
    .describe('Also follow references, closing keywords, links, mentions and touched files from the results.'),
  graph_hops: z.int().min(1).max(2).default(1).describe('How far graph_expand goes.'),
  use_memory: z
    .boolean()
    .default(false)
    .describe('Order graph_results of one hop by what your confirmed outcomes taught; the results stay as they are.'),
});

const time = z.string().describe('RFC 3339, UTC.');
const id = z.union([z.int(), z.string()]);

const identification = {
  repo: z.string(),
  type: z.enum(DOCUMENT_TYPE_NAMES),
  reference: z.string().optional().describe('Canonical reference; usable in sources.'),
  source_id: z.string().optional().describe('This version of this artefact; usable in sources.'),
  provenance: provenance.optional(),
  activation: activation.optional().describe('Your own use of this source, decayed; not a relevance.'),
  feedback_available: z.boolean().optional().describe('false: this row is no source of the trace.'),
  memory_exclusion_reason: exclusionReason.optional(),
};

const foldedRow = z.object({
  ...identification,
  url: z.string(),
  updated_at: time,
  score: z.number().nullable(),
});

export const searchResult = z.object({
  ...identification,
  number: z.int().optional(),
  tag_name: z.string().optional(),
  doc_path: z.string().optional(),
  wiki_path: z.string().optional(),
  commit_sha: z.string().optional(),
  file_path: z.string().optional(),
  comment_id: id.optional(),
  review_id: id.optional(),
  line: z.int().optional(),
  title: z.string(),
  state: z.string().optional(),
  labels: z.array(z.string()).optional(),
  milestone: z.string().optional(),
  assignees: z.array(z.string()).optional(),
  author: z.string().optional(),
  url: z.string().describe('Permanent link, to the lines of the passage where it has lines.'),
  created_at: time,
  updated_at: time,
  snippet: z.string().describe('Part of the passage; matches stand between « and ».'),
  heading_path: z.array(z.string()).optional(),
  lines: z.object({ start: z.int(), end: z.int() }).optional(),
  score: z.number().nullable().describe('Fused score; null where nothing was ranked.'),
  dense_score: z.number().nullable(),
  sparse_score: z.number().nullable().describe('BM25, higher is better; comparable only within one tier.'),
  dense_rank: z.int().nullable(),
  sparse_rank: z.int().nullable(),
  rerank_score: z.number().nullable(),
  same_entity: z
    .object({ count: z.int().describe('How many other rows were folded into this one.'), others: z.array(foldedRow) })
    .optional(),
  content: z.string().optional(),
  content_source: z
    .enum(['index', 'github_live'])
    .optional()
    .describe('github_live: read from GitHub during this call; source_id and provenance are of that version.'),
  content_version: z.string().optional().describe('Of a live body: sha256: and the hash of content, as UTF-8.'),
  index_updated_at: time.optional().describe('When the repository of a body was last indexed.'),
});

export const graphResult = searchResult.extend({
  graph_hop: z.int().min(1).max(2),
  graph_from: z.string().describe('Canonical reference of the node that the walk began at.'),
  graph_path: path,
  graph_feedback_available: z.boolean().optional().describe('false: confirming this row credits no edge.'),
  graph_feedback_exclusion_reason: graphExclusionReason.optional(),
  learned_strength: z
    .number()
    .nullable()
    .optional()
    .describe('With use_memory: what your confirmations gave to the path, decayed; not a relevance.'),
});

export const FILTER_NAMES = [
  'repo',
  'type',
  'state',
  'labels',
  'milestone',
  'assignee',
  'author',
  'path',
  'since',
  'until',
] as const;

export const searchOutput = z.object({
  count: z.int(),
  mode: z.enum(['search', 'scan', 'fetch']),
  fusion: z.enum(FUSIONS),
  sort: z.enum(SORTS),
  since: time.nullable(),
  until: time.nullable(),
  truncated: z.boolean().describe('Whether the window of a scan holds more than this answer.'),
  dense_candidates: z.int(),
  sparse_candidates: z.int(),
  filters_unmatched: z
    .array(z.enum(FILTER_NAMES))
    .describe('Filters that no document at all satisfies: probably a wrong value, not a true zero.'),
  nearest_repos: z
    .array(z.string())
    .optional()
    .describe('Known repositories with names near an unmatched repo filter.'),
  index_empty: z.literal(true).optional().describe('No repository is indexed yet, or none that is allowed.'),
  rerank_requested: z.boolean(),
  rerank_applied: z.boolean(),
  embedder: z.string().nullable().describe('Whose vectors were compared; null: none were.'),
  dense_problem: z
    .string()
    .optional()
    .describe('Why vectors were not compared, or not of all passages, although they were asked for.'),
  rerank_problem: z
    .string()
    .optional()
    .describe('Why the configured endpoint did not rerank: the order is that of fusion.'),
  live_problem: z
    .string()
    .optional()
    .describe('Why a body could not be read from GitHub; its row says live_version_unavailable.'),
  repos: z
    .array(z.object({ repo: z.string(), index_updated_at: time.nullable() }))
    .describe('When each repository of the answer was last indexed.'),
  graph_expanded: z.boolean(),
  results: z.array(searchResult),
  graph_results: z
    .array(graphResult)
    .describe('What the results refer to or are referred to by: a separate axis by hop, never part of the ranking.'),
  trace_id: z.string().optional().describe('Handle of this retrieval for record_source_use and record_outcome.'),
  timestamp: time.optional(),
  feedback_available: z.boolean(),
  memory_recording: memoryRecording.optional(),
  memory_unavailable: z.boolean().optional(),
  memory_error: z.enum(['retrieval_incomplete', 'memory_save_failed', 'all_sources_unresolved']).optional(),
});

export type SearchInput = z.output<typeof searchInput>;
export type SearchOutput = z.output<typeof searchOutput>;
export type SearchResult = z.output<typeof searchResult>;
export type GraphResult = z.output<typeof graphResult>;
export type FilterName = (typeof FILTER_NAMES)[number];
