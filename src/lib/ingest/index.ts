import { Failure } from '../core/failure.ts';
import { parseTimeOrAge } from '../core/time.ts';
import type { EdgeExtractor } from '../corpus/edge.ts';
import type { Indexer } from '../corpus/indexed-document.ts';
import { isRepoSlug } from '../corpus/reference.ts';
import { releaseLeases } from '../corpus/watermark.ts';
import { defineOperation } from '../operation/operation.ts';
import { ingestExport } from './export-run.ts';
import { ingestGit } from './git.ts';
import { type IndexedTarget, indexInput, indexOutput } from './index-contract.ts';
import { BATCH_DOCUMENTS, type Lease, type Run } from './run.ts';
import { targetKind } from './target.ts';

/** The operation `index`, on top of what makes documents searchable. A transaction holds about `batchDocuments`. */
export function indexOperation(index: Indexer, edgesOf: EdgeExtractor, batchDocuments = BATCH_DOCUMENTS) {
  return defineOperation({
    name: 'index',
    title: 'Index a repository or an export',
    description:
      'Brings a git repository (docs of HEAD, diffs of its history, tags as releases) or an export file into the database. Running it again continues where it stood and writes only what changed.',
    input: indexInput,
    output: indexOutput,
    effect: 'repair',
    openWorld: false,
    faces: ['cli'],
    async handler(engine, input) {
      const since = input.since === undefined ? undefined : parseTimeOrAge(input.since, engine.clock.now());
      if (input.since !== undefined && since === undefined) {
        throw new Failure('invalid_input', 'since: must be a time such as 2024-05-01 or an age such as 90d');
      }
      if (input.repo !== undefined && !isRepoSlug(input.repo)) {
        throw new Failure('invalid_input', 'repo: must be owner/name');
      }
      const kinds = await Promise.all(input.targets.map((target) => targetKind(engine.files, target)));
      const targets: IndexedTarget[] = [];
      const work = engine.presence.begin();
      const lease: Lease = { owner: work.name, held: false };
      try {
        for (const [at, target] of input.targets.entries()) {
          const kind = kinds[at] ?? 'export';
          const report = emptyReport(target, kind);
          targets.push(report);
          const run: Run = {
            engine,
            index,
            edgesOf,
            types: input.types === undefined ? undefined : new Set(input.types),
            since,
            repo: input.repo,
            dryRun: input.dry_run,
            batchDocuments,
            report,
            lease,
          };
          if (kind === 'git') await ingestGit(run, target);
          else await ingestExport(run, target);
        }
      } catch (error) {
        // What keeps the leases from being given back was told by what failed; they end by themselves.
        if (lease.held) await engine.database.write([releaseLeases(lease.owner)]).catch(() => undefined);
        throw error;
      } finally {
        work.end();
      }
      return { dry_run: input.dry_run, targets };
    },
  });
}

function emptyReport(target: string, kind: IndexedTarget['kind']): IndexedTarget {
  return {
    target,
    kind,
    repos: [],
    written: 0,
    unchanged: 0,
    removed: 0,
    skipped: {},
    warnings: {},
    problem_count: 0,
    problems: [],
  };
}
