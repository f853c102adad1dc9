import * as z from 'zod';
import { FAILURE_CODES } from '../core/failure.ts';
import { DOCUMENT_TYPE_NAMES } from '../corpus/document-types.ts';

/** Problems told one by one; the rest is only counted. */
export const MAX_PROBLEMS_TOLD = 20;

/** What failed of a repository on GitHub that could not be read at all, where there were other targets. */
export const WHOLE_REPOSITORY = 'repository';

export const indexInput = z.strictObject({
  targets: z
    .array(z.string().min(1))
    .min(1)
    .describe(
      'A repository on GitHub (owner/repo), a git repository on disk, or an export file (.jsonl, also gzipped). Several may be given.',
    ),
  repo: z
    .string()
    .optional()
    .describe('Repository as owner/name: needed for a git repository without a GitHub remote; picks one of an export.'),
  types: z.array(z.enum(DOCUMENT_TYPE_NAMES)).min(1).optional().describe('Index only these types of documents.'),
  since: z
    .string()
    .optional()
    .describe('Index only what was updated at or after this time: RFC 3339, a date, or an age such as 90d, 1y.'),
  watch: z.string().optional().describe('Run again and again after this pause, such as 10m or 1h; ends with Ctrl-C.'),
  dry_run: z.boolean().default(false).describe('Say what would be written, and write nothing.'),
});

export const indexedTarget = z.object({
  target: z.string(),
  kind: z.enum(['git', 'export', 'github']),
  repos: z.array(z.string()),
  written: z.int().describe('Documents that were new or had changed.'),
  unchanged: z.int().describe('Documents seen again with equal content; not written.'),
  removed: z.int().describe('Documents that left the index because they are gone.'),
  skipped: z.record(z.string(), z.int()).describe('What was left out on purpose, by reason.'),
  warnings: z
    .record(z.string(), z.int())
    .describe('Fields that were left out of records which were stored, by reason.'),
  problem_count: z.int().describe('Records that could not be read.'),
  problems: z.array(z.object({ line: z.int(), message: z.string() })),
  notes: z.array(z.string()).describe('What is worth knowing, e.g. that the repository was renamed.'),
  failures: z
    .array(
      z.object({ part: z.string(), code: z.enum(FAILURE_CODES), message: z.string(), hint: z.string().optional() }),
    )
    .describe(
      `Parts of a repository on GitHub that could not be brought up to date; the others were. The part ${WHOLE_REPOSITORY} is all of it.`,
    ),
  requests: z
    .object({ made: z.int(), left: z.int().optional(), limit: z.int().optional() })
    .optional()
    .describe('Requests to the API of GitHub: how many were made, and how many it still allows.'),
});

export const indexOutput = z.object({
  dry_run: z.boolean(),
  targets: z.array(indexedTarget),
  embedding: z
    .object({
      embedder: z.string(),
      passages: z.int().describe('Passages that were stored without a vector and got theirs at the end.'),
      problem: z.string().optional().describe('Why there are passages without a vector still, and what to do.'),
    })
    .nullable()
    .describe('Null: nothing is embedded.'),
});
export type IndexOutput = z.output<typeof indexOutput>;

export type IndexedTarget = z.output<typeof indexedTarget>;

/** The report on a target of which nothing was done yet. */
export function emptyReport(target: string, kind: IndexedTarget['kind']): IndexedTarget {
  return {
    target,
    kind,
    repos: [],
    written: 0,
    unchanged: 0,
    removed: 0,
    skipped: {},
    warnings: {},
    problem_count: 0,
    problems: [],
    notes: [],
    failures: [],
  };
}
