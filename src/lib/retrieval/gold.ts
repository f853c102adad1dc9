import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { isRepoSlug } from '../core/repo-slug.ts';
import { placeInValue, valueProblem } from '../core/value-problem.ts';
import { splitReference } from '../corpus/reference.ts';
import type { Files } from '../engine/files.ts';
import { nearest } from './nearest.ts';
import { MAX_QUERY_LENGTH } from './search-contract.ts';

const MAX_GOLD_CHARACTERS = 64 * 1024 * 1024;

/** For a line of another form. */
const A_LINE = 'A line is {"query": "…", "relevant": [{"number": 12}]}; see docs/relevance.md.';

const OWN_ID = 'Give each question an id of its own; one without is called by the number of its line.';
const WHICH_REPO = 'Name it in the line, or with --repo for all lines that name none; gh-rag status lists them.';

/** What a search takes at once: 50 entities, of which ten are judged. */
const MAX_EXCLUDED = 40;

const number = z.int().min(1);
const repository = z.string().refine(isRepoSlug, 'must be owner/name');
const filled = z.string().regex(/\S/, 'must not be blank');

const answer = z
  .object({ number: number.optional(), reference: z.string().min(1).optional(), repo: repository.optional() })
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
  id: filled.optional(),
  kind: z.string().min(1).default('all'),
  query: filled.max(MAX_QUERY_LENGTH),
  repo: repository.optional(),
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
    const place = `line ${String(at + 1)} of ${path}`;
    const question = questionOf(json, { place, number: at + 1 }, { repo: forAll, repos: options.repos });
    const same = lineOf.get(question.id);
    if (same !== undefined) throw wrongLine(place, `has the same id as line ${String(same)}`, OWN_ID);
    lineOf.set(question.id, at + 1);
    questions.push(question);
  }
  if (questions.length === 0) throw new Failure('invalid_input', `${path} holds no question`, { hint: A_LINE });
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
  { place, number: at }: { place: string; number: number },
  { repo: forAll, repos }: Pick<GoldOptions, 'repo' | 'repos'>,
): GoldQuestion {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw wrongLine(place, 'is no JSON', A_LINE);
  }
  const parsed = line.safeParse(value);
  if (!parsed.success) throw wrongLine(place, problemOf(parsed.error.issues[0], value), A_LINE);
  const { id = String(at), kind, query, relevant, exclude_numbers } = parsed.data;
  const named = parsed.data.repo ?? forAll;
  if (named === undefined) throw wrongLine(place, `names no repo, and ${String(repos.length)} are indexed`, WHICH_REPO);
  const repo = spelled(named, repos);
  if (repo === undefined)
    throw wrongLine(place, `names a repo that is not indexed: ${named.slice(0, 140)}`, notIndexedHint(named, repos));
  const thread = (each: number, of = repo): string => `thread:${spelled(of, repos) ?? of}:${String(each)}`;
  const entities = relevant.map((item, index) => {
    if (item.number !== undefined) return thread(item.number, item.repo);
    const entity = entityOfReference(item.reference ?? '', repos);
    if (entity === undefined)
      throw wrongLine(
        place,
        `is no question: ${placeInValue(['relevant', index, 'reference'])} must be such as owner/name#12`,
        A_LINE,
      );
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

/** Begins with no name of a field: that would be told as the value of an argument. */
function wrongLine(place: string, problem: string, hint: string): Failure {
  return new Failure('invalid_input', `${place} ${problem}`, { hint });
}

function problemOf(issue: z.core.$ZodIssue | undefined, value: unknown): string {
  const field = placeInValue(issue?.path ?? []);
  if (issue === undefined || field === '') return 'is no question: it is no JSON object';
  return `is no question: ${field} ${valueProblem(issue, value)}`;
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
