import type { EvaluateOutput } from '../retrieval/evaluate.ts';
import { oneLine, type Terminal } from './terminal.ts';

type Relevance = EvaluateOutput['configurations'][number]['all'];

const COLUMNS = [
  ['mrr_10', 'MRR@10'],
  ['recall_10', 'Recall@10'],
  ['ndcg_10', 'nDCG@10'],
  ['hits_1', 'Hits@1'],
  ['hits_3', 'Hits@3'],
] as const;

/** Questions whose ranks are told one by one; the others are in --json. */
const MAX_TOLD = 20;

/** The measures of each configuration, what lies between them, and the questions that they answer differently. */
export function renderEval(output: EvaluateOutput, { style }: Terminal): string {
  const rows = output.configurations.flatMap(({ name, all, kinds }) => [
    row(name, 'all', output.questions, all),
    ...Object.entries(kinds)
      .filter(([, { questions }]) => questions < output.questions)
      .map(([kind, mean]) => row(name, oneLine(kind), mean.questions, mean)),
  ]);
  const lines = [
    ...(output.left_out === 0 ? [] : [style.warning(leftOut(output))]),
    ...output.problems.map((problem) => style.warning(oneLine(problem))),
    style.dim(`${cells('ranking', 'kind', 'n')}${COLUMNS.map(([, title]) => title.padStart(11)).join('')}`),
    ...rows,
    '',
    ...output.differences.map(({ configuration, baseline, measure, mean, low, high }) => {
      const title = COLUMNS.find(([name]) => name === measure)?.[1] ?? measure;
      return `${title.padEnd(10)} ${configuration.padEnd(12)}- ${baseline}: ${signed(mean)}  95 % [${signed(low)}, ${signed(high)}]`;
    }),
    `search against bm25, by question: ${String(output.wins)} better, ${String(output.losses)} worse, ${String(output.ties)} equal`,
  ];
  const changed = output.ranks.filter(({ ranks }) => ranks.search !== ranks.bm25);
  if (changed.length > 0) lines.push('', style.dim('first relevant result: bm25 -> search'));
  for (const { id, ranks } of changed.slice(0, MAX_TOLD)) {
    lines.push(`  ${place(ranks.bm25)} -> ${place(ranks.search)}  ${oneLine(id)}`);
  }
  if (changed.length > MAX_TOLD) lines.push(`  and ${String(changed.length - MAX_TOLD)} more; all of them with --json`);
  return `${lines.join('\n')}\n`;
}

function leftOut({ left_out, questions }: EvaluateOutput): string {
  return `not measured, since no answer can be found: ${String(left_out)} of ${String(left_out + questions)} questions`;
}

function row(name: string, kind: string, questions: number, mean: Relevance): string {
  return `${cells(name, kind, String(questions))}${COLUMNS.map(([measure]) => mean[measure].toFixed(3).padStart(11)).join('')}`;
}

function cells(name: string, kind: string, questions: string): string {
  return `${name.padEnd(13)}${kind.padEnd(20)}${questions.padStart(6)}`;
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
}

function place(rank: number | null): string {
  return (rank === null ? '-' : String(rank)).padStart(2);
}
