import { Failure } from '../core/failure.ts';
import type { GitRepository, ObjectId } from '../engine/git.ts';
import type { BackfillOutcome, BackfillPart, BackfillSurface } from '../operation/backfill-surface.ts';
import { withRemote } from './backfill-run.ts';
import { decodeText } from '../core/decode-text.ts';
import { docsMark } from './docs-mark.ts';
import { docDocument, MAX_DOC_BYTES, storedDocs } from './git-docs.ts';
import type { Remote } from './github-source.ts';
import type { Making } from './making.ts';
import { parseMark } from './mark.ts';
import { type Run, Surface } from './run.ts';
import { WIKI_PAGES } from './wiki.ts';

/**
 * The repair `wiki`: reads the pages of a wiki from its repository again, in the order of their slugs, whatever the
 * watermark says. Pages that are missing or differ are stored, with the edges of those that name them; pages from git that
 * are not in it leave. The watermark stays where it is.
 */
export function wikiBackfill(making: Making): BackfillSurface {
  return {
    name: 'wiki',
    of: 'repository',
    description:
      'reads the pages of a wiki from its repository again; what is missing, differs or is gone is repaired.',
    run: (engine, part) => withRemote(engine, making, part, (run, remote) => rereadPages(run, remote, part)),
  };
}

async function rereadPages(run: Run, remote: Remote, { limit, cursor }: BackfillPart): Promise<BackfillOutcome> {
  const { repo } = remote;
  const of = { repo, docs: WIKI_PAGES };
  const after = cursor === undefined ? '' : slugOf(cursor);
  const wiki = await openWiki(run, remote);
  if (wiki === undefined) return { looked: 0, repaired: 0, nextCursor: null, notes: [`${repo} has no wiki page`] };
  try {
    const surface = await Surface.open(run, repo, WIKI_PAGES.surface);
    const since = parseMark(docsMark, surface.mark)?.since ?? 0;
    const stored = await storedDocs(run, of);
    const slugs = [...new Set([...wiki.pages.keys(), ...stored.keys()])].sort(byCodeUnit);
    const left = slugs.filter((slug) => byCodeUnit(slug, after) > 0);
    const looked = left.slice(0, limit);
    for await (const { page, time, text } of textsOf(wiki, looked)) {
      // What was left out for its age stays so.
      if (text === undefined || (time < since && !stored.has(page.path))) continue;
      surface.add(docDocument(run, of, page, time, text));
      stored.delete(page.path);
    }
    // What is left of them is not in the wiki, or is no page any more.
    for (const slug of looked) {
      const gone = stored.get(slug);
      if (gone !== undefined) surface.remove(gone.key);
    }
    await surface.amend('null');
    const last = looked.at(-1);
    return {
      looked: looked.length,
      repaired: run.report.written + run.report.removed,
      nextCursor: left.length > limit && last !== undefined ? `page:${encodeURIComponent(last)}` : null,
    };
  } finally {
    await wiki.repository?.close();
  }
}

interface Page {
  readonly gitPath: string;
  readonly path: string;
  readonly blob: ObjectId;
}

interface Wiki {
  /** By slug. */
  readonly pages: ReadonlyMap<string, Page>;
  readonly head: ObjectId;
  /** Undefined where there are no pages to be read. */
  readonly repository?: GitRepository;
}

/** The pages of HEAD; a wiki that was switched off has none. Undefined: there never was one. */
async function openWiki({ engine }: Run, { source, facts, signal }: Remote): Promise<Wiki | undefined> {
  const pages = new Map<string, Page>();
  if (!facts.hasWiki) return { pages, head: '' };
  const cloned = await source.clone(facts, 'wiki', signal);
  if (typeof cloned === 'string') return undefined;
  const repository = await engine.git.open(cloned.path, signal);
  try {
    const { head } = repository;
    if (head === null) {
      await repository.close();
      return undefined;
    }
    for await (const { path: gitPath, blob } of repository.tree(head)) {
      const path = WIKI_PAGES.pathOf(gitPath);
      // Of two files with one slug the first is the page.
      if (path !== undefined && !pages.has(path)) pages.set(path, { gitPath, path, blob });
    }
    return { pages, head, repository };
  } catch (error) {
    await repository.close();
    throw error;
  }
}

/** Reads pages by their slugs; the text is undefined of what is none. `time` is in milliseconds, 0 where nothing tells it. */
async function* textsOf({ pages, head, repository }: Wiki, slugs: readonly string[]) {
  const wanted = slugs.flatMap((slug) => pages.get(slug) ?? []);
  if (repository === undefined || wanted.length === 0) return;
  const times = await repository.touched({ from: head, not: [] });
  let read = 0;
  const blobs = wanted.map(({ blob }) => blob);
  for await (const bytes of repository.blobs(blobs, MAX_DOC_BYTES)) {
    const page = wanted[read];
    read += 1;
    if (page === undefined) return;
    yield { page, time: times.get(page.gitPath) ?? 0, text: bytes === null ? undefined : decodeText(bytes) };
  }
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Cursors are encoded: what a terminal or JSON is printed without, such as what nobody sees, would make another page of it. */
function slugOf(cursor: string): string {
  try {
    if (cursor.startsWith('page:')) return decodeURIComponent(cursor.slice('page:'.length));
  } catch {
    // A percent sign that encodes nothing.
  }
  throw new Failure('invalid_cursor', 'cursor: must be one that this repair gave');
}
