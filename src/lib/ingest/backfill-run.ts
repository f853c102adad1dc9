import { Failure } from '../core/failure.ts';
import { indexedSlug } from '../corpus/repos.ts';
import { releaseLeases } from '../corpus/watermark.ts';
import type { Engine } from '../engine/engine.ts';
import type { BackfillPart } from '../operation/backfill-surface.ts';
import { sourceOf } from './github.ts';
import type { Remote } from './github-source.ts';
import { emptyReport } from './index-contract.ts';
import type { Making } from './making.ts';
import { BATCH_DOCUMENTS, type Lease, type Run } from './run.ts';

/**
 * Does a part of a repair that asks GitHub, with what a run of `index` has. Fails with `not_found` for a repository that is
 * not indexed.
 */
export async function withRemote<Outcome>(
  engine: Engine,
  { index, edgesOf, batchEmbedder }: Making,
  part: BackfillPart,
  work: (run: Run, remote: Remote) => Promise<Outcome>,
): Promise<Outcome> {
  const source = sourceOf(engine.source);
  const repo = await indexedSlug(engine, part.repo);
  if (repo === undefined) {
    throw new Failure('not_found', `${part.repo} is not indexed`, { hint: `Run gh-rag index ${part.repo} first.` });
  }
  const facts = await source.repository(repo, engine.signal);
  if (facts.fullName.toLowerCase() !== repo.toLowerCase()) {
    throw new Failure('not_found', `${repo} is ${facts.fullName} now`, {
      hint: `Run gh-rag index ${facts.fullName}, and repair that.`,
    });
  }
  const presence = engine.presence.begin();
  const lease: Lease = { owner: presence.name, held: false };
  const run: Run = {
    engine,
    index,
    edgesOf,
    embed: batchEmbedder(engine),
    types: undefined,
    since: undefined,
    repo,
    dryRun: part.dryRun,
    batchDocuments: BATCH_DOCUMENTS,
    report: emptyReport(repo, 'github'),
    lease,
  };
  try {
    return await work(run, { source, facts, repo, signal: engine.signal, unstored: new Map() });
  } finally {
    if (lease.held) await engine.database.write([releaseLeases(lease.owner)]).catch(() => undefined);
    presence.end();
  }
}
