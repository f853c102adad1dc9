import { type IndexedTarget, type IndexOutput, WHOLE_REPOSITORY } from '../ingest/index-contract.ts';
import { grouped } from './progress.ts';
import { oneLine, type Terminal } from './terminal.ts';

/** What `index` did, a paragraph for each target. */
export function renderIndex({ dry_run, targets, embedding }: IndexOutput, terminal: Terminal): string {
  const told = targets.map((target) => renderTarget(target, dry_run, terminal));
  return [...told, ...renderEmbedding(embedding, terminal)].join('\n');
}

function renderEmbedding(embedding: IndexOutput['embedding'], { style }: Terminal): string[] {
  if (embedding === null) return [];
  const { embedder, passages, problem } = embedding;
  return [
    ...(passages === 0 ? [] : [style.dim(`${grouped(passages)} passages embedded by ${oneLine(embedder)}\n`)]),
    ...(problem === undefined ? [] : [`${style.warning('Without vectors')}: ${oneLine(problem)}\n`]),
  ];
}

function renderTarget(target: IndexedTarget, dryRun: boolean, { style }: Terminal): string {
  const { written, unchanged, removed, repos } = target;
  const counts = [
    `${String(written)} ${dryRun ? 'would be written' : 'written'}`,
    `${String(unchanged)} unchanged`,
    ...(removed > 0 ? [`${String(removed)} ${dryRun ? 'would be removed' : 'removed'}`] : []),
  ].join(', ');
  const nothing = written === 0 && removed === 0 && unchanged === 0;
  const of = repos.length === 0 ? '' : ` ${style.dim('as')} ${style.repo(repos.join(', '))}`;
  const unread = target.failures.some(({ part }) => part === WHOLE_REPOSITORY);
  const done = !nothing ? counts : unread ? 'could not be brought up to date' : 'nothing new';
  const lines = [`${style.bold(oneLine(target.target))}${of}: ${done}`];
  const skipped = Object.entries(target.skipped).sort(([, a], [, b]) => b - a);
  if (skipped.length > 0) {
    const reasons = skipped.map(([reason, count]) => `${String(count)} ${reason}`).join(', ');
    lines.push(style.dim(`  left out: ${reasons}`));
  }
  const warnings = Object.entries(target.warnings).sort(([, a], [, b]) => b - a);
  if (warnings.length > 0) {
    const texts = warnings.map(([text, count]) => `${oneLine(text)} (${String(count)})`).join(', ');
    lines.push(style.dim(`  warnings: ${texts}`));
  }
  for (const note of target.notes) lines.push(`  ${oneLine(note)}`);
  for (const { part, message, hint } of target.failures) {
    lines.push(
      `  ${style.warning(part)}: ${oneLine(message)}${hint === undefined ? '' : style.dim(` (${oneLine(hint)})`)}`,
    );
  }
  if (target.requests !== undefined) {
    const { made, left, limit } = target.requests;
    const rest =
      left === undefined ? '' : `, ${grouped(left)}${limit === undefined ? '' : ` of ${grouped(limit)}`} left`;
    lines.push(style.dim(`  ${grouped(made)} requests to GitHub${rest}`));
  }
  for (const { line, message } of target.problems) {
    lines.push(`  ${style.warning(`line ${String(line)}`)}: ${oneLine(message)}`);
  }
  const untold = target.problem_count - target.problems.length;
  if (untold > 0) lines.push(style.warning(`  and ${String(untold)} more bad lines`));
  return `${lines.join('\n')}\n`;
}
