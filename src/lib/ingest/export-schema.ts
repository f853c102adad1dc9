import * as z from 'zod';
import { isRepoSlug } from '../core/repo-slug.ts';
import { DOCUMENT_TYPE_NAMES } from '../corpus/document-types.ts';

const required =
  (rule: string) =>
  (issue: { readonly input?: unknown }): string =>
    issue.input === undefined || issue.input === null ? 'is missing' : rule;

const text = z.string({ error: 'must be a string' }).nullish();

/** A name as a string, or as an object of GitHub's API that has it under `key`. */
function named(key: 'name' | 'login' | 'title') {
  const object = z.object({ [key]: z.string().nullish() }).transform((value) => value[key] ?? null);
  return z.union([z.string(), object], { error: `must be a string or an object with ${key}` }).nullish();
}

function namedList(key: 'name' | 'login') {
  return z
    .array(named(key), { error: 'must be a list' })
    .nullish()
    .transform((names) => (names ?? []).map((name) => name ?? null));
}

/**
 * A record of an export file: types of its fields, and what every record needs. What only some types need is checked
 * when it becomes a document. Ids, numbers and times are looked at there too: they may be wrong where nobody needs them.
 */
export const exportRecord = z.object({
  repo: z
    .string({ error: required('must be a string') })
    .refine(isRepoSlug, { error: 'must have the form owner/name' }),
  type: z.enum(DOCUMENT_TYPE_NAMES, { error: required('is unknown') }),
  number: z.unknown().optional(),
  id: z.unknown().optional(),
  tag_name: text,
  path: text,
  commit_sha: text,
  commit_id: text,
  title: text,
  body: text,
  message: text,
  state: text,
  labels: namedList('name'),
  assignees: namedList('login'),
  milestone: named('title'),
  author: named('login'),
  user: named('login'),
  url: text,
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  published_at: z.unknown().optional(),
  submitted_at: z.unknown().optional(),
  closed_at: z.unknown().optional(),
  merged_at: z.unknown().optional(),
  line: z.unknown().optional(),
  in_reply_to: z.unknown().optional(),
  in_reply_to_id: z.unknown().optional(),
});

export type ExportRecord = z.output<typeof exportRecord>;
