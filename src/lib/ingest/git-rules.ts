import { sha256Hex } from '../core/hash.ts';
import type { GitRepository, ObjectId } from '../engine/git.ts';
import { decodeText } from '../core/decode-text.ts';
import { type AttributesFile, linguistAttributes } from './gitattributes.ts';
import { type LeftOut, leftOutPath } from './selection.ts';

/** Which files of a repository are left out. */
export interface PathRules {
  exclusion(path: string): LeftOut | undefined;
  /** Changes when the repository's own rules change: what was left out before may then be wanted. */
  readonly digest: string;
}

/** A .gitattributes larger than this is not one. */
const MAX_ATTRIBUTES_BYTES = 1024 * 1024;

/** What the .gitattributes files of a commit say about generated and vendored files, with our own lists. */
export async function loadPathRules(repository: GitRepository, commit: ObjectId): Promise<PathRules> {
  const entries: { path: string; blob: ObjectId }[] = [];
  for await (const entry of repository.tree(commit)) {
    if (entry.path === '.gitattributes' || entry.path.endsWith('/.gitattributes')) entries.push(entry);
  }
  const files: AttributesFile[] = [];
  let next = 0;
  for await (const bytes of repository.blobs(
    entries.map((entry) => entry.blob),
    MAX_ATTRIBUTES_BYTES,
  )) {
    const entry = entries[next];
    next += 1;
    if (entry !== undefined && bytes !== null) files.push({ path: entry.path, text: decodeText(bytes) ?? '' });
  }
  const attributes = linguistAttributes(files);
  return {
    exclusion: (path) => leftOutPath(path, attributes),
    digest: sha256Hex(JSON.stringify(files.filter((file) => file.text.includes('linguist-')))).slice(0, 16),
  };
}
