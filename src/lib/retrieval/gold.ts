import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { splitReference } from '../corpus/reference.ts';
import type { Files } from '../engine/files.ts';
import { nearest } from './nearest.ts';
import { MAX_QUERY_LENGTH } from './search-contract.ts';

const MAX_GOLD_CHARACTERS = 64 * 1024 * 1024;

const A_LINE = 'A line is {"query": "…", "relevant": [{"number": 12}]}; see docs/relevance.md.';

/** What a search takes at once: 50 entities, of which ten are judged. */
const MAX_EXCLUDED = 40;

const number = z.int().positive();

const answer = z
  .object({ number: number.optional(), reference: z.string().min(1).optional(), repo: z.string().optional() })
  .superRefine((given, context) => {
    const message = answerProblem(given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

function answerProblem(given: { number?: unknown; reference?: unknown; repo?: unknown }): string | undefined {
  if (given.reference === undefined) return given.number === undefined ? 'has neither number nor reference' : undefined;
  if (given.number !== undefined) return 'has both number and reference; give one of them';
  return given.repo === undefined ? undefined : 'has a repo beside its reference, which names one';
}

const line = z.object({
  id: z.string().regex(/\S/).optional(),
  kind: z.string().min(1).default('all'),
  query: z.string().regex(/\S/).max(MAX_QUERY_LENGTH),
  repo: z.string().optional(),
  exclude_numbers: z.array(number).max(MAX_EXCLUDED).default([]),
  relevant: z.array(answer).min(1),
});

/** A question whose answers are known. Entities are those that results fold into. */
export interface GoldQuestion {
  readonly id: string;
  readonly kind: string;
  readonly query: string;
  readonly repo: string;
  /** What a ranking is judged without: where the question was taken from. */
  readonly excluded: ReadonlySet<string>;
  readonly relevant: ReadonlySet<string>;
}

export interface GoldOptions {
  /** What the questions are about that do not name a repository themselves; otherwise the only one of the index. */
  readonly repo: string | undefined;
  /** Every repository of the index, as it spells them. */
  readonly repos: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Reads a gold file: JSON lines with `query`, `relevant` (threads by `number`, anything by `reference`), and if wanted
 * `id`, `kind`, `repo`, `exclude_numbers`. Fails with `not_found` where nothing or not `repo` is indexed, with
 * `unreadable_input` for what cannot be read, and with `invalid_input` naming the line that is none, that repeats an id, or
 * whose repository is not indexed.
 */
export async function readGold(files: Files, path: string, options: GoldOptions): Promise<GoldQuestion[]> {
  const forAll = repoOfAll(options.repo, options.repos);
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of files.read(path, options.signal)) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_GOLD_CHARACTERS)
      throw new Failure('unreadable_input', `${path} is too large for a gold file`);
  }
  const questions: GoldQuestion[] = [];
  const lineOf = new Map<string, number>();
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const [at, json] of lines.entries()) {
    if (json.trim() === '') continue;
    const question = questionOf(json, at + 1, { repo: forAll, repos: options.repos });
    const same = lineOf.get(question.id);
    if (same !== undefined) throw wrongLine(at + 1, `has the same id as line ${String(same)}`);
    lineOf.set(question.id, at + 1);
    questions.push(question);
  }
  if (questions.length === 0) throw new Failure('invalid_input', `gold: ${path} holds no question`);
  return questions;
}

/** What the questions are about that do not say it: the repository of the flag, or the only one that is indexed. */
function repoOfAll(named: string | undefined, repos: readonly string[]): string | undefined {
  if (repos.length === 0)
    throw new Failure('not_found', 'nothing is indexed', { hint: 'Index something first: gh-rag index TARGET' });
  if (named === undefined) return repos.length === 1 ? repos[0] : undefined;
  const repo = spelled(named, repos);
  if (repo !== undefined) return repo;
  throw new Failure('not_found', `repo: ${named} is not indexed`, { hint: notIndexedHint(named, repos) });
}

/** The repository of the index that a name means, in any case of letters; undefined where there is none. */
function spelled(named: string, repos: readonly string[]): string | undefined {
  return repos.find((slug) => slug.toLowerCase() === named.toLowerCase());
}

/** What to do about a repository that is not indexed. */
function notIndexedHint(named: string, repos: readonly string[]): string {
  const near = nearest(named, repos, 3);
  return near.length === 0 ? 'Index it first: gh-rag index TARGET' : `Did you mean ${near.join(' or ')}?`;
}

function questionOf(
  json: string,
  at: number,
  { repo: forAll, repos }: Pick<GoldOptions, 'repo' | 'repos'>,
): GoldQuestion {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw wrongLine(at, 'is no JSON');
  }
  const parsed = line.safeParse(value);
  if (!parsed.success) throw wrongLine(at, problemOf(parsed.error.issues[0]));
  const { id = String(at), kind, query, relevant, exclude_numbers } = parsed.data;
  const named = parsed.data.repo ?? forAll;
  if (named === undefined)
    throw wrongLine(at, `names no repo, and ${String(repos.length)} are indexed; name one with --repo`);
  const repo = spelled(named, repos);
  if (repo === undefined)
    throw wrongLine(at, `names a repo that is not indexed: ${named.slice(0, 140)}`, notIndexedHint(named, repos));
  const thread = (each: number, of = repo): string => `thread:${spelled(of, repos) ?? of}:${String(each)}`;
  const entities = relevant.map((item, place) => {
    if (item.number !== undefined) return thread(item.number, item.repo);
    const entity = entityOfReference(item.reference ?? '', repos);
    if (entity === undefined)
      throw wrongLine(at, `is no question: relevant.${String(place)}.reference is no reference`);
    return entity;
  });
  return {
    id,
    kind,
    query,
    repo,
    excluded: new Set(exclude_numbers.map((each) => thread(each))),
    relevant: new Set(entities),
  };
}

function wrongLine(at: number, problem: string, hint = A_LINE): Failure {
  return new Failure('invalid_input', `gold: line ${String(at)} ${problem}`, { hint });
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  const field = issue?.path.map(String).join('.') ?? '';
  if (field === '') return 'is no question: it is no JSON object';
  if (issue?.code === 'custom') return `is no question: ${field} ${issue.message}`;
  if (issue?.code !== 'too_big' || (issue.origin !== 'string' && issue.origin !== 'array'))
    return `is no question: ${field} is missing or wrong`;
  const unit = issue.origin === 'string' ? 'characters' : 'items';
  return `is no question: ${field} has more than ${String(issue.maximum)} ${unit}`;
}

/** What the document of a canonical reference folds into; undefined where the text is no reference. */
function entityOfReference(reference: string, repos: readonly string[]): string | undefined {
  const parts = splitReference(reference);
  if (parts === undefined) return undefined;
  const { commit, rest } = parts;
  const repo = spelled(parts.repo, repos) ?? parts.repo;
  const thread = /^#(\d+)/.exec(rest)?.[1];
  if (thread !== undefined) return `thread:${repo}:${thread}`;
  if (commit !== undefined) return `file:${repo}:${rest}`;
  return rest.startsWith(':') ? `file:${repo}:${rest.slice(1)}` : `self:${repo}${rest}`;
}
