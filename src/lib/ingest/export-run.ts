import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { sha256Hex } from '../core/hash.ts';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import { EXPORT_SOURCE } from '../corpus/watermark.ts';
import { type Change, change } from '../engine/database.ts';
import { type ExportItem, fileDigest, NOT_ALLOWED, readExport } from './export.ts';
import { type IndexedTarget, indexedTarget, MAX_PROBLEMS_TOLD } from './index-contract.ts';
import { covers, parseMark } from './mark.ts';
import { RepoNames } from './repo-names.ts';
import { countIn, countSkipped, type Run, Surface } from './run.ts';

/**
 * Watermark of an export file: how many of its lines are stored (of records from `since` on), and what there was to say
 * of them, which is said again whenever the file is given again.
 */
const exportMark = z.object({
  format: z.literal(INDEX_FORMAT),
  since: z.number().nullable(),
  lines: z.int(),
  done: z.boolean(),
  ...indexedTarget.pick({ repos: true, warnings: true, problem_count: true, problems: true }).shape,
});
type ExportMark = z.output<typeof exportMark>;

/**
 * Indexes an export file. A file is known by its bytes: the same file is not read twice, an interrupted one goes on
 * where it stood. A record older than what is stored is passed over.
 */
export async function ingestExport(run: Run, path: string): Promise<void> {
  const { engine, report } = run;
  const { files, progress, signal } = engine;
  const since = run.since ?? null;
  const source = `${EXPORT_SOURCE}${await fileDigest(files, path, signal)}`;
  const surface = await Surface.open(run, source, surfaceName(run));
  const mark = usableMark(parseMark(exportMark, surface.mark), since);
  if (mark !== undefined) restore(report, mark);
  if (mark?.done === true) return;

  const names = await RepoNames.of(engine.database);
  const skipLines = mark?.lines ?? 0;
  const repos = new Set(report.repos);
  let lines = skipLines;
  const extras = () => ({ keepNewer: true, onChange: [forgetOtherExports(source, repos)] });
  const text = (done: boolean, from = since): string =>
    JSON.stringify({
      format: INDEX_FORMAT,
      since: from,
      lines,
      done,
      repos: [...repos].sort(),
      warnings: report.warnings,
      problem_count: report.problem_count,
      problems: report.problems,
    } satisfies ExportMark);

  const step = progress.start('records');
  try {
    const { types, repo } = run;
    const { allowed } = engine;
    const options = { indexedAt: engine.clock.now(), signal, types, since: run.since, repo, allowed, skipLines };
    for await (const item of readExport(files, path, options)) {
      if ('document' in item) {
        const { document } = item;
        const spelling = names.spelling(document.repo);
        surface.add(spelling === document.repo ? document : { ...document, repo: spelling });
        repos.add(spelling);
      }
      note(run, item);
      lines = item.line;
      if (surface.full) await surface.progress(text(false), extras());
      step.advance(lines - skipLines);
    }
  } catch (error) {
    // What was read before the damage is good.
    if (error instanceof Failure && error.code === 'unreadable_input') await surface.progress(text(false), extras());
    throw error;
  } finally {
    report.repos.splice(0, Number.POSITIVE_INFINITY, ...[...repos].sort());
  }
  if (repos.size === 0 && (report.skipped[NOT_ALLOWED] ?? 0) > 0) throw nothingAllowed(path);
  const nothingTooOld = skipLines === 0 && report.skipped['before since'] === undefined;
  await surface.complete(text(true, nothingTooOld ? null : since), extras());
  step.end();
}

/** Counts what is to be said of a line. */
function note(run: Run, item: ExportItem): void {
  const { report } = run;
  if ('skipped' in item) {
    countSkipped(run, item.skipped);
  } else if ('problem' in item) {
    report.problem_count += 1;
    if (report.problems.length < MAX_PROBLEMS_TOLD) report.problems.push({ line: item.line, message: item.problem });
  } else {
    for (const warning of item.warnings) countIn(report.warnings, warning);
  }
}

/** The mark where it says something of what is asked for: a file read to its end, or the same run interrupted. */
function usableMark(mark: ExportMark | undefined, since: number | null): ExportMark | undefined {
  if (mark === undefined) return undefined;
  return (mark.done ? covers(mark.since, since) : mark.since === since) ? mark : undefined;
}

function restore(report: IndexedTarget, { repos, warnings, problem_count, problems }: ExportMark): void {
  report.repos.push(...repos);
  Object.assign(report.warnings, warnings);
  report.problem_count += problem_count;
  report.problems.push(...problems);
}

function nothingAllowed(path: string): Failure {
  return new Failure(
    'invalid_input',
    `targets: ${path} holds no record of a repository that the configuration allows`,
    {
      hint: 'Add what it holds to allowed_repos in config.json, as owner/name or owner/*.',
    },
  );
}

/** Types and repositories choose what is read, so each choice has a watermark of its own. */
function surfaceName({ types, repo, engine: { allowed } }: Run): string {
  const list = repo === undefined && allowed !== 'all' ? [allowed.json] : [];
  if (types === undefined && repo === undefined && list.length === 0) return 'records';
  const choice = JSON.stringify([types === undefined ? null : [...types].sort(), repo?.toLowerCase() ?? null, ...list]);
  return `records:${sha256Hex(choice).slice(0, 16)}`;
}

/** Once a file changed something in a repository, no other may claim that its records are what is stored there. */
function forgetOtherExports(source: string, repos: ReadonlySet<string>): Change {
  return change(
    `DELETE FROM watermarks WHERE source LIKE '${EXPORT_SOURCE}%' AND source <> ? AND EXISTS (
       SELECT 1 FROM json_each(watermarks.value, '$.repos') theirs
       WHERE theirs.value IN (SELECT ours.value FROM json_each(?) ours))`,
    [source, JSON.stringify([...repos])],
  );
}
