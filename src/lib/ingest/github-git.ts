import { Failure } from '../core/failure.ts';
import { query } from '../engine/database.ts';
import type { ClonedRepository } from '../engine/github.ts';
import * as z from 'zod';
import { ingestGit } from './git.ts';
import type { Remote } from './github-source.ts';
import { type Run, Surface } from './run.ts';
import { ingestWiki } from './wiki.ts';

/** Brings the clone of the code up to date and indexes it: docs, diffs, tags. An empty repository has none. */
export async function ingestCode(run: Run, remote: Remote): Promise<void> {
  const { source, facts, repo, signal } = remote;
  const cloned = await cloning(run, 'clone', () => source.clone(facts, 'code', signal));
  if (cloned === 'empty') return;
  if (cloned === 'none') {
    // The API has just shown the repository.
    throw new Failure(
      'credential_required',
      `${new URL(facts.cloneUrl).host} shows this token no code of ${facts.fullName}`,
      {
        hint: 'The token needs read access to the contents of the repository.',
      },
    );
  }
  await ingestGit({ ...run, repo }, cloned.path);
}

/** The same of the wiki. A wiki that was switched off takes its pages with it; one without a page has no repository. */
export async function ingestWikiOf(run: Run, remote: Remote): Promise<void> {
  const { source, facts, repo, signal } = remote;
  if (!facts.hasWiki) {
    await removePages(run, repo);
    return;
  }
  const cloned = await cloning(run, 'clone of the wiki', () => source.clone(facts, 'wiki', signal));
  if (typeof cloned !== 'string') await ingestWiki(run, repo, cloned.path);
}

async function cloning(run: Run, name: string, work: () => Promise<ClonedRepository>): Promise<ClonedRepository> {
  const step = run.engine.progress.start(name);
  try {
    return await work();
  } finally {
    step.end();
  }
}

async function removePages(run: Run, repo: string): Promise<void> {
  const [keys] = await run.engine.database.read([
    query(
      `SELECT d.key FROM documents d JOIN repos r ON r.id = d.repo_id
       WHERE r.slug = ? AND d.type = 'wiki_doc' AND d.blob IS NOT NULL`,
      [repo],
      (row) => z.object({ key: z.string() }).parse(row).key,
    ),
  ]);
  if (keys.length === 0) return;
  const surface = await Surface.open(run, repo, 'git:wiki');
  for (const key of keys) surface.remove(key);
  await surface.complete('null');
}
