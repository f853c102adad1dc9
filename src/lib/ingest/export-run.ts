import * as z from 'zod';
import { sha256Hex } from '../core/hash.ts';
import { INDEX_FORMAT } from '../corpus/content-hash.ts';
import { type Change, change } from '../engine/database.ts';
import { fileDigest, readExport } from './export.ts';
import { MAX_PROBLEMS_TOLD } from './index-contract.ts';
import { countSkipped, type Run, Surface } from './run.ts';

/** Watermark of an export file: how many of its lines are stored. */
const exportMark = z.object({ format: z.literal(INDEX_FORMAT), lines: z.int(), done: z.boolean() });
type ExportMark = z.output<typeof exportMark>;

const SOURCE_PREFIX = 'export:';

/**
 * Indexes an export file. A file is known by its bytes: the same file is not read twice, an interrupted one goes on
 * where it stood. A record older than what is stored is passed over.
 */
export async function ingestExport(run: Run, path: string): Promise<void> {
  const { engine, report } = run;
  const { files, progress, signal } = engine;
  const source = `${SOURCE_PREFIX}${await fileDigest(files, path, signal)}`;
  const surface = await Surface.open(run, source, surfaceName(run), [otherExports(source)]);
  const mark = parseMark(surface.mark);
  if (mark?.done === true) return;

  const skipLines = mark?.lines ?? 0;
  progress.start('records');
  const repos = new Set<string>();
  let lines = skipLines;
  const options = { indexedAt: engine.clock.now(), signal, types: run.types, since: run.since, repo: run.repo, skipLines };
  try {
    for await (const item of readExport(files, path, options)) {
      if ('document' in item) {
        surface.add(item.document);
        repos.add(item.document.repo);
      } else if ('skipped' in item) {
        countSkipped(run, item.skipped);
      } else {
        report.problem_count += 1;
        if (report.problems.length < MAX_PROBLEMS_TOLD) {
          report.problems.push({ line: item.line, message: item.problem });
        }
      }
      lines = item.line;
      if (surface.full) {
        await surface.progress(markText({ lines, done: false }), { keepNewer: true });
        progress.advance(lines - skipLines);
      }
    }
    // A file with bad lines is read again next time: it may have been repaired, and its problems should be said again.
    const done = report.problem_count === 0;
    await surface.complete(markText({ lines: done ? lines : 0, done }), { keepNewer: true });
  } catch (error) {
    // What was read before the damage is good.
    if (!signal.aborted) await surface.progress(markText({ lines: 0, done: false }), { keepNewer: true });
    throw error;
  } finally {
    report.repos.push(...[...repos].sort());
  }
  progress.end();
}

/** Options choose what is read, so each choice has a watermark of its own. */
function surfaceName({ types, since, repo }: Run): string {
  if (types === undefined && since === undefined && repo === undefined) return 'records';
  const choice = JSON.stringify([types === undefined ? null : [...types].sort(), since ?? null, repo?.toLowerCase() ?? null]);
  return `records:${sha256Hex(choice).slice(0, 16)}`;
}

/** Once this file changed something, no other export may claim that its records are what is stored. */
function otherExports(source: string): Change {
  return change(`DELETE FROM watermarks WHERE source LIKE '${SOURCE_PREFIX}%' AND source <> ?`, [source]);
}

function markText(mark: Omit<ExportMark, 'format'>): string {
  return JSON.stringify({ format: INDEX_FORMAT, ...mark } satisfies ExportMark);
}

function parseMark(mark: string | null): ExportMark | undefined {
  if (mark === null) return undefined;
  const parsed = exportMark.safeParse(JSON.parse(mark));
  return parsed.success ? parsed.data : undefined;
}
