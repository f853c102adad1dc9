import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import type { Engine } from '../engine/engine.ts';
import { defineOperation } from '../operation/operation.ts';
import { type Answerable, answerable, indexedEntitiesQuery } from './answerable.ts';
import { findHits, planOf } from './find.ts';
import { type GoldQuestion, readGold } from './gold.ts';
import { pairedDifference } from './paired-bootstrap.ts';
import { plainBm25Query, plainRanking } from './plain-bm25.ts';
import { reposQuery } from './populations.ts';
import { CUTOFF, firstRank, judge, MEASURES, meanRelevance, type Relevance } from './relevance-metrics.ts';
import { searchInput } from './search-contract.ts';

/** Rankings that are compared: what `search` does, the same with a part switched off, and the baseline. */
const CONFIGURATIONS = ['search', 'no_rerank', 'sparse_only', 'dense_only', 'bm25'] as const;
type Configuration = (typeof CONFIGURATIONS)[number];
const BASELINE = 'bm25';

/** What each asks of `search`, beside the question. */
const CONTROLS = {
  search: {},
  no_rerank: { rerank: false },
  sparse_only: { fusion: 'sparse_only', rerank: false },
  dense_only: { fusion: 'dense_only', rerank: false },
} as const;

const share = z.number().min(0).max(1);
const relevance = z.object({ mrr_10: share, recall_10: share, ndcg_10: share, hits_1: share, hits_3: share });
const difference = z.object({
  configuration: z.enum(CONFIGURATIONS),
  baseline: z.enum(CONFIGURATIONS),
  measure: z.enum(MEASURES),
  mean: z.number(),
  low: z.number().describe('Lower bound of the 95 % interval of a paired bootstrap.'),
  high: z.number(),
});

const output = z.object({
  questions: z.int().describe('How many the measures are of.'),
  left_out: z.int().describe('How many more have no answer that a ranking could hold; problems names them.'),
  configurations: z.array(
    z.object({
      name: z.enum(CONFIGURATIONS),
      all: relevance,
      kinds: z.record(z.string(), relevance.extend({ questions: z.int() })),
    }),
  ),
  differences: z.array(difference),
  problems: z
    .array(z.string())
    .describe(
      'What kept a part of search from taking part, and known answers that no ranking could hold, the first twenty; the measures are of what was left.',
    ),
  /** By the rank of the first relevant result. */
  wins: z.int(),
  losses: z.int(),
  ties: z.int(),
  ranks: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      ranks: z
        .record(z.enum(CONFIGURATIONS), z.int().nullable())
        .describe('Rank of the first relevant result; null: not among the first ten.'),
    }),
  ),
});

export type EvaluateOutput = z.output<typeof output>;

export const evaluate = defineOperation({
  name: 'eval',
  title: 'Measure relevance on a gold file',
  description:
    'Runs the questions of a gold file through search and through plain FTS5 BM25 over the same passages, and compares where the known answers come. Only reads: it leaves no trace and writes nothing.',
  input: z.strictObject({
    gold: z.string().min(1).describe('A gold file: JSON lines with query and relevant.'),
    repo: z.string().min(1).optional().describe('The repository that the questions are about, as owner/name.'),
  }),
  output,
  effect: 'read',
  openWorld: false,
  faces: ['cli'],
  async handler(engine, { gold, repo }) {
    const { signal, files, progress } = engine;
    const [repos] = await engine.database.read([reposQuery(engine.allowed)]);
    const asked = await readGold(files, gold, { repo, repos, signal });
    const { questions, problems: lost } = await answerableOf(engine, asked);
    const step = progress.start('questions', questions.length);
    const judged: Judged[] = [];
    const problems = new Set<string>();
    for (const question of questions) {
      if (signal.aborted) throw new Failure('interrupted', 'stopped; nothing was written');
      judged.push(await judgedOf(engine, question, problems));
      step.advance(judged.length);
    }
    step.end();
    return report(judged, asked.length - questions.length, [...problems, ...lost]);
  },
});

interface Judged {
  readonly question: GoldQuestion;
  readonly relevance: Readonly<Record<Configuration, Relevance>>;
  readonly ranks: Readonly<Record<Configuration, number | null>>;
}

async function judgedOf(engine: Engine, question: GoldQuestion, problems: Set<string>): Promise<Judged> {
  const relevance: [Configuration, Relevance][] = [];
  const ranks: [Configuration, number | null][] = [];
  for (const name of CONFIGURATIONS) {
    const ranking =
      name === BASELINE
        ? await plainRankingOf(engine, question)
        : await searchRanking(engine, question, name, problems);
    const kept = ranking.filter((entity) => !question.excluded.has(entity));
    relevance.push([name, judge(kept, question.relevant)]);
    ranks.push([name, firstRank(kept, question.relevant)]);
  }
  return { question, relevance: byName(relevance), ranks: byName(ranks) };
}

function byName<Value>(entries: readonly [Configuration, Value][]): Record<Configuration, Value> {
  return Object.fromEntries(entries) as Record<Configuration, Value>;
}

/** What `search` would answer, without showing it and without a trace. */
async function searchRanking(
  engine: Engine,
  { query, repo, excluded }: GoldQuestion,
  name: keyof typeof CONTROLS,
  problems: Set<string>,
): Promise<string[]> {
  const top_k = Math.min(50, CUTOFF + excluded.size);
  const input = searchInput.parse({ query, repo, top_k, ...CONTROLS[name] });
  const { groups, denseProblem, rerankProblem } = await findHits(engine, input, planOf(input, engine.clock.now()));
  if (denseProblem !== null && denseProblem.minor !== true) {
    problems.add(`measured without a part of search: ${denseProblem.message}`);
  }
  if (rerankProblem !== null) problems.add(`measured without a part of search: ${rerankProblem}`);
  return groups.map(({ representative }) => representative.entity);
}

async function plainRankingOf(engine: Engine, { query, repo }: GoldQuestion): Promise<string[]> {
  const plain = plainBm25Query(query, repo, engine.allowed);
  if (plain === undefined) return [];
  const [rows] = await engine.database.read([plain]);
  return plainRanking(rows);
}

async function answerableOf(engine: Engine, asked: readonly GoldQuestion[]): Promise<Answerable> {
  const entities = asked.flatMap(({ relevant }) => [...relevant]);
  const [indexed] = await engine.database.read([indexedEntitiesQuery(entities, engine.allowed)]);
  const found = answerable(asked, new Set(indexed));
  if (found.questions.length > 0) return found;
  throw new Failure('invalid_input', 'gold: no question has an answer that is indexed and may be found', {
    hint: `${found.problems[0] ?? ''}. Is this the right database?`,
  });
}

function report(judged: readonly Judged[], leftOut: number, problems: readonly string[]): EvaluateOutput {
  const kinds = [...new Set(judged.map(({ question }) => question.kind))].sort();
  const mean = (name: Configuration, of: readonly Judged[]): Relevance =>
    meanRelevance(of.map(({ relevance: each }) => each[name]));
  const values = (name: Configuration, measure: keyof Relevance): number[] =>
    judged.map(({ relevance: each }) => each[name][measure]);
  // A question without an answer ranks behind all others.
  const order = ({ ranks }: Judged): number => (ranks.bm25 ?? CUTOFF + 1) - (ranks.search ?? CUTOFF + 1);
  return {
    questions: judged.length,
    left_out: leftOut,
    configurations: CONFIGURATIONS.map((name) => ({
      name,
      all: mean(name, judged),
      kinds: Object.fromEntries(
        kinds.map((kind) => {
          const of = judged.filter(({ question }) => question.kind === kind);
          return [kind, { ...mean(name, of), questions: of.length }];
        }),
      ),
    })),
    differences: CONFIGURATIONS.filter((name) => name !== BASELINE).flatMap((configuration) =>
      MEASURES.map((measure) => ({
        configuration,
        baseline: BASELINE,
        measure,
        ...pairedDifference(values(configuration, measure), values(BASELINE, measure)),
      })),
    ),
    problems: [...problems],
    wins: judged.filter((each) => order(each) > 0).length,
    losses: judged.filter((each) => order(each) < 0).length,
    ties: judged.filter((each) => order(each) === 0).length,
    ranks: judged.map(({ question, ranks }) => ({ id: question.id, kind: question.kind, ranks })),
  };
}
