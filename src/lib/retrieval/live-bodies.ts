import { decodeText } from '../core/decode-text.ts';
import { Failure } from '../core/failure.ts';
import { sha256Hex } from '../core/hash.ts';
import { normalizeText, stripInvisible } from '../core/text.ts';
import type { StoredDocument } from '../corpus/stored-document.ts';
import { wikiSlug } from '../corpus/wiki-slug.ts';
import type { Engine } from '../engine/engine.ts';
import { type GitHub, MAX_LIVE_BYTES } from '../engine/github.ts';

/** A body as GitHub has it now, or why it could not be had. */
export type LiveBody =
  | {
      readonly text: string;
      /** `sha256:` and the hash of the text. */
      readonly version: string;
    }
  | { readonly problem: string };

/**
 * Reads docs and wiki pages from GitHub, all at the same time, within the few seconds that the port takes. By document id;
 * a document that may not be read live, or is too large for it, is absent: its stored body stands for it.
 */
export async function liveBodies(
  engine: Engine,
  documents: readonly StoredDocument[],
): Promise<ReadonlyMap<number, LiveBody>> {
  const { github } = engine;
  if (github === null || documents.length === 0) return new Map();
  const repos = [...new Set(documents.map(({ repo }) => repo))];
  const read = repos.map(async (repo): Promise<[number, LiveBody][]> => {
    if (!(await github.mayRead(repo))) return [];
    const wanted = documents.filter((document) => document.repo === repo);
    const pages = wanted.filter(({ type }) => type === 'wiki_doc');
    const docs = wanted.filter(({ type }) => type === 'doc').map((document) => readDoc(engine, github, document));
    return (await Promise.all([...docs, readPages(engine, github, repo, pages)])).flat();
  });
  return new Map((await Promise.all(read)).flat());
}

/** Problems that an answer tells in words; of what is beyond, how many there are. */
const MAX_PROBLEMS_TOLD = 3;

/** Why bodies could not be had, each reason once; undefined where all of them were. */
export function liveProblem(live: ReadonlyMap<number, LiveBody>): string | undefined {
  const problems = [...new Set([...live.values()].flatMap((body) => ('problem' in body ? body.problem : [])))];
  if (problems.length === 0) return undefined;
  const untold = problems.length - MAX_PROBLEMS_TOLD;
  return [...problems.slice(0, MAX_PROBLEMS_TOLD), ...(untold > 0 ? [`and ${String(untold)} more`] : [])].join('; ');
}

async function readDoc(
  engine: Engine,
  github: GitHub,
  { id, repo, path }: StoredDocument,
): Promise<[number, LiveBody][]> {
  try {
    const bytes = await github.file(repo, path ?? '', engine.signal);
    return bytes === 'too_large' ? [] : [[id, bodyOf(bytes)]];
  } catch (error) {
    return [[id, { problem: problemOf(error, engine) }]];
  }
}

/** The pages of one wiki come from one clone. */
async function readPages(
  engine: Engine,
  github: GitHub,
  repo: string,
  pages: readonly StoredDocument[],
): Promise<[number, LiveBody][]> {
  if (pages.length === 0) return [];
  try {
    const texts = await readWiki(engine, github, repo, new Set(pages.flatMap(({ path }) => path ?? [])));
    return pages.flatMap(({ id, path }) => {
      const bytes = texts.get(path ?? '');
      if (bytes === null) return [];
      return [[id, bytes === undefined ? { problem: `the wiki of ${repo} has no such page now` } : bodyOf(bytes)]];
    });
  } catch (error) {
    const problem = problemOf(error, engine);
    return pages.map(({ id }) => [id, { problem }]);
  }
}

/** Files of a wiki by the slugs of their pages; null for one that is too large. */
async function readWiki(
  engine: Engine,
  github: GitHub,
  repo: string,
  slugs: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Uint8Array | null>> {
  const cloned = await github.wiki(repo, engine.signal);
  if (typeof cloned === 'string') return new Map();
  const repository = await engine.git.open(cloned.path, engine.signal);
  try {
    const blobs = new Map<string, string>();
    if (repository.head === null) return new Map();
    for await (const { path, blob } of repository.tree(repository.head)) {
      const slug = wikiSlug(path);
      // Of two files of one name the first is the page, as when it is indexed.
      if (slug !== undefined && slugs.has(slug) && !blobs.has(slug)) blobs.set(slug, blob);
    }
    const texts = new Map<string, Uint8Array | null>();
    const names = [...blobs.keys()];
    for await (const bytes of repository.blobs([...blobs.values()], MAX_LIVE_BYTES)) {
      texts.set(names[texts.size] ?? '', bytes);
    }
    return texts;
  } finally {
    await repository.close();
  }
}

/** Cleaned as what is stored, and as every answer is, so that the version is that of the text which the caller gets. */
function bodyOf(bytes: Uint8Array): LiveBody {
  const decoded = decodeText(bytes);
  if (decoded === undefined) return { problem: 'it is no text on GitHub now' };
  const text = stripInvisible(normalizeText(decoded.replace(/^\uFEFF/, '')));
  return { text, version: `sha256:${sha256Hex(text)}` };
}

/** What a failure says; what is none, and an interruption, ends the search. */
function problemOf(error: unknown, { signal }: Engine): string {
  if (!(error instanceof Failure) || signal.aborted) throw error;
  const { code, message, hint } = error;
  return code === 'credential_required' && hint !== undefined ? `${message}. ${hint}` : message;
}
