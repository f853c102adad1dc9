import { expect, it } from 'vitest';
import { renderEval } from '../../src/lib/cli/render-eval.ts';
import { terminalOf } from '../../src/lib/cli/terminal.ts';
import { readEnvironment } from '../../src/lib/adapters/config.ts';
import type { EvaluateOutput } from '../../src/lib/retrieval/evaluate.ts';

const terminal = terminalOf(readEnvironment({}), { isTTY: false, columns: undefined });

const output: EvaluateOutput = {
  questions: 2,
  left_out: 1,
  configurations: [
    { name: 'search', all: { mrr_10: 0.75, recall_10: 1, ndcg_10: 0.8, hits_1: 0.5, hits_3: 1 }, kinds: {} },
  ],
  differences: [{ configuration: 'search', baseline: 'bm25', measure: 'mrr_10', mean: 0.25, low: -0.125, high: 0.5 }],
  problems: ['question c\u001B[31m is left out: acme/app#9 is not indexed'],
  wins: 1,
  losses: 0,
  ties: 1,
  ranks: [
    {
      id: 'a',
      kind: 'all',
      ranks: { search: 2, no_rerank: 2, sparse_only: 2, dense_only: null, bm25: null },
    },
  ],
};

it('tells what was not measured before the measures, and what the comparison is of', () => {
  expect(renderEval(output, terminal)).toBe(`not measured, since no answer can be found: 1 of 3 questions
question c[31m is left out: acme/app#9 is not indexed
ranking      kind                     n     MRR@10  Recall@10    nDCG@10     Hits@1     Hits@3
search       all                      2      0.750      1.000      0.800      0.500      1.000

MRR@10     search      - bm25: +0.250  95 % [-0.125, +0.500]
search against bm25, by question: 1 better, 0 worse, 1 equal

first relevant result: bm25 -> search
   - ->  2  a
`);
});

it('says nothing of questions where all were measured', () => {
  const text = renderEval({ ...output, left_out: 0, problems: [] }, terminal);
  expect(text).toMatch(/^ranking /);
});
