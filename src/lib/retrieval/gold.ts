import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { splitReference } from '../corpus/reference.ts';
import type { Files } from '../engine/files.ts';

const MAX_GOLD_CHARACTERS = 64 * 1024 * 1024;

const line = z.object({
  id: z.string().optional(),
  kind: z.string().min(1).default('all'),
  query: z.string().regex(/\S/),
  repo: z.string().optional(),
  exclude_numbers: z.array(z.int().positive()).default([]),
  relevant: z
    .array(z.union([z.object({ number: z.int().positive() }), z.object({ reference: z.string().min(1) })]))
    .min(1),
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
  /** What the questions are about that do not name a repository themselves. */
  readonly repo: string | undefined;
  readonly signal: AbortSignal;
  /** A repository as the index spells it. Fails where it does not have it. */
  readonly spelling: (repo: string) => string;
}

/**
 * Reads a gold file: JSON lines with `query`, `relevant` (threads by `number`, anything by `reference`), and if wanted
 * `id`, `kind`, `repo`, `exclude_numbers`. Fails with `unreadable_input` for what cannot be read, and with
 * `invalid_input` naming the line that is none.
 */
export async function readGold(
  files: Files,
  path: string,
  { repo, signal, spelling }: GoldOptions,
): Promise<GoldQuestion[]> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of files.read(path, signal)) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_GOLD_CHARACTERS)
      throw new Failure('unreadable_input', `${path} is too large for a gold file`);
  }
  const questions = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((json, at) => (json.trim() === '' ? [] : [questionOf(json, { number: at + 1, path }, repo, spelling)]));
  if (questions.length === 0) throw new Failure('invalid_input', `gold: ${path} holds no question`);
  return questions;
}

function questionOf(
  json: string,
  { number, path }: { readonly number: number; readonly path: string },
  repoOfAll: string | undefined,
  spelling: GoldOptions['spelling'],
): GoldQuestion {
  const wrong = (problem: string): Failure =>
    new Failure('invalid_input', `gold: line ${String(number)} of ${path} ${problem}`, {
      hint: 'A line is {"query": "…", "relevant": [{"number": 12}]}; see docs/relevance.md.',
    });
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw wrong('is no JSON');
  }
  const parsed = line.safeParse(value);
  if (!parsed.success)
    throw wrong(`is no question: ${parsed.error.issues[0]?.path.join('.') ?? ''} is missing or wrong`);
  const { id = String(number), kind, query, relevant, exclude_numbers } = parsed.data;
  const named = parsed.data.repo ?? repoOfAll;
  if (named === undefined) throw wrong('names no repo; name one with --repo');
  const repo = spelling(named);
  const thread = (each: number): string => `thread:${repo}:${String(each)}`;
  const entities = relevant.map((item) => {
    const entity = 'number' in item ? thread(item.number) : entityOfReference(item.reference);
    if (entity === undefined) throw wrong('names something relevant that is no reference');
    return entity;
  });
  return {
    id,
    kind,
    query,
    repo,
    excluded: new Set(exclude_numbers.map(thread)),
    relevant: new Set(entities),
  };
}

/** What the document of a canonical reference folds into; undefined where the text is no reference. */
function entityOfReference(reference: string): string | undefined {
  const parts = splitReference(reference);
  if (parts === undefined) return undefined;
  const { repo, commit, rest } = parts;
  const number = /^#(\d+)/.exec(rest)?.[1];
  if (number !== undefined) return `thread:${repo}:${number}`;
  if (commit !== undefined) return `file:${repo}:${rest}`;
  return rest.startsWith(':') ? `file:${repo}:${rest.slice(1)}` : `self:${reference}`;
}
