import type { ObjectId, Tag } from '../../engine/git.ts';
import type { GitRunner } from './child.ts';
import { parseCommit, parseTag, type TagText } from './object-text.ts';
import { isObjectId, ObjectReader } from './objects.ts';
import { decodePath } from './text.ts';

/** Bytes of a tag object that are read: of a longer message the beginning is given. */
const TAG_OBJECT_LIMIT = 1 << 20;

const NEWLINE = 0x0a;
const NAME_LIMIT = 64 * 1024;
const NESTING_LIMIT = 32;
const PREFIX = 'refs/tags/';

/** The tags that lead to a commit, by name. Tags of trees and blobs, and of objects that are not here, are left out. */
export async function* tagsOf(git: GitRunner): AsyncGenerator<Tag> {
  const refs = git.start(['for-each-ref', '--format=%(objectname) %(refname)', PREFIX]);
  const objects = new ObjectReader(git);
  refs.closeInput();
  try {
    for (;;) {
      // A ref name holds no control characters.
      const line = await refs.output.record(NEWLINE, NAME_LIMIT);
      if (line === null) break;
      const space = line.indexOf(0x20);
      const name = decodePath(line.subarray(space + 1 + PREFIX.length));
      const tag = await readTag(objects, line.toString('latin1', 0, space));
      if (tag !== null) yield { name, ...tag };
    }
    await refs.finish();
  } finally {
    await Promise.all([refs.stop(), objects.stop()]);
  }
}

async function readTag(objects: ObjectReader, target: ObjectId): Promise<Omit<Tag, 'name'> | null> {
  let outer: TagText | null = null;
  let id = target;
  for (let depth = 0; depth < NESTING_LIMIT && isObjectId(id); depth += 1) {
    objects.request(id);
    const object = await objects.contents(TAG_OBJECT_LIMIT);
    if (object?.type === 'commit') {
      const by = outer?.tagger ?? parseCommit(object.bytes).committer;
      return { commit: id, message: outer?.message ?? null, by };
    }
    if (object?.type !== 'tag') return null;
    const text = parseTag(object.bytes);
    outer ??= text;
    id = text.target ?? '';
  }
  return null;
}
