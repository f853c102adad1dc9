import type * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { isRepoSlug } from '../core/repo-slug.ts';
import { parseTimeOrAge } from '../core/time.ts';
import { releaseLeases } from '../corpus/watermark.ts';
import { requireAllowed } from '../engine/allow-list.ts';
import { withoutVectors } from '../engine/embedder.ts';
import type { Engine } from '../engine/engine.ts';
import { defineOperation } from '../operation/operation.ts';
import { ingestExport } from './export-run.ts';
import { ingestGit } from './git.ts';
import { ingestGitHub, ingestGitHubOfSeveral } from './github.ts';
import {
  emptyReport,
  type IndexedTarget,
  type IndexOutput,
  indexInput,
  indexOutput,
  WHOLE_REPOSITORY,
} from './index-contract.ts';
import type { Making } from './making.ts';
import { BATCH_DOCUMENTS, type Lease, type Run } from './run.ts';
import { type Target, targetOf } from './target.ts';
import { parseWatch, watching } from './watch.ts';

/** The operation `index`, on top of what makes documents searchable. A transaction holds about `batchDocuments`. */
export function indexOperation(making: Making, batchDocuments = BATCH_DOCUMENTS) {
  const { index, edgesOf, batchEmbedder, embedIndex } = making;
  return defineOperation({
    name: 'index',
    title: 'Index a repository or an export',
    description:
      'Brings a repository on GitHub (issues, pull requests, comments, reviews, releases, wiki, docs, diffs), a git repository on disk (docs of HEAD, diffs of its history, tags as releases) or an export file into the database. Running it again continues where it stood and writes only what changed.',
    input: indexInput,
    output: indexOutput,
    effect: 'repair',
    openWorld: true,
    faces: ['cli'],
    async handler(engine, input) {
      const since = input.since === undefined ? undefined : parseTimeOrAge(input.since, engine.clock.now());
      if (input.since !== undefined && since === undefined) {
        throw new Failure('invalid_input', 'since: must be a time such as 2024-05-01 or an age such as 90d');
      }
      if (input.repo !== undefined && !isRepoSlug(input.repo)) {
        throw new Failure('invalid_input', 'repo: must be owner/name');
      }
      const everyMs = parseWatch(input.watch);
      const host = engine.source?.host ?? 'github.com';
      const kinds = await Promise.all(input.targets.map((target) => targetOf(engine.files, target, host)));
      const named = kinds.flatMap((target) => (target.kind === 'github' ? [target.slug] : []));
      if (input.repo !== undefined && named.some((slug) => slug.toLowerCase() !== input.repo?.toLowerCase())) {
        throw new Failure('invalid_input', 'repo: a repository on GitHub keeps its own name');
      }
      await requireAllowedTargets(engine, input, kinds);
      const runOnce = async () => {
        const targets: IndexedTarget[] = [];
        const embed = batchEmbedder(engine);
        const work = engine.presence.begin();
        const lease: Lease = { owner: work.name, held: false };
        let limit: IndexedTarget['failures'][number] | undefined;
        try {
          for (const [at, name] of input.targets.entries()) {
            const target = kinds[at] ?? { kind: 'export' };
            const report = emptyReport(name, target.kind);
            targets.push(report);
            const run: Run = {
              engine,
              index,
              edgesOf,
              embed,
              types: input.types === undefined ? undefined : new Set(input.types),
              since,
              repo: input.repo,
              dryRun: input.dry_run,
              batchDocuments,
              report,
              lease,
            };
            if (target.kind === 'github' && kinds.length > 1) {
              limit = await ingestGitHubOfSeveral(run, target.slug, limit);
            } else await ingest(run, name, target);
            if (report.failures.length > 0) await release(engine, lease);
            if (everyMs !== undefined) noteUnread(engine, report);
          }
        } catch (error) {
          await release(engine, lease);
          throw error;
        } finally {
          work.end();
        }
        const embedding = input.dry_run ? null : await embedded(engine, embedIndex);
        return { dry_run: input.dry_run, targets, embedding };
      };
      return watching(engine, everyMs, runOnce);
    },
  });
}

/**
 * Refuses a target of a repository that is not allowed before anything is written of any. What an export holds is seen when
 * it is read.
 */
async function requireAllowedTargets(
  { allowed, git }: Engine,
  { repo, targets }: z.output<typeof indexInput>,
  kinds: readonly Target[],
): Promise<void> {
  if (allowed === 'all') return;
  if (repo !== undefined) requireAllowed(allowed, repo, 'repo');
  for (const [at, target] of kinds.entries()) {
    if (target.kind === 'github') requireAllowed(allowed, target.slug, 'targets');
    if (target.kind !== 'git' || repo !== undefined) continue;
    const slug = await git.slugAt(targets[at] ?? '.');
    if (slug !== null) requireAllowed(allowed, slug, 'targets');
  }
}

/** Documents without vectors are found by their words: an endpoint that fails is told of, and does not undo the run. */
async function embedded(engine: Engine, embedIndex: Making['embedIndex']): Promise<IndexOutput['embedding']> {
  const { embedder, embedded: passages, failure } = await embedIndex(engine);
  if (embedder === null) return null;
  return { embedder, passages, ...(failure !== null && { problem: withoutVectors(failure) }) };
}

/** Only the last report of a watch is printed, and one that goes on may never be. */
function noteUnread({ progress }: Engine, { failures }: IndexedTarget): void {
  for (const { part, message } of failures) if (part === WHOLE_REPOSITORY) progress.note(message);
}

/** What keeps the leases from being given back was told by what failed; they end by themselves. */
async function release({ database }: Engine, lease: Lease): Promise<void> {
  if (lease.held) await database.write([releaseLeases(lease.owner)]).catch(() => undefined);
}

async function ingest(run: Run, name: string, target: Target): Promise<void> {
  if (target.kind === 'github') await ingestGitHub(run, target.slug);
  else if (target.kind === 'git') await ingestGit(run, name);
  else await ingestExport(run, name);
}
