import type { ObjectId } from '../../engine/git.ts';
import type { GitRunner } from './child.ts';
import { isObjectId, ObjectInspector, ObjectReader } from './objects.ts';

// Sizes are asked in groups, then the contents of those that fit: a large blob is never read only to be dropped.
const GROUP = 128;

/** Contents of blobs in the order asked; null for what is missing, no blob, or over `maxBytes`. */
export async function* blobContents(
  git: GitRunner,
  ids: AsyncIterable<ObjectId> | Iterable<ObjectId>,
  maxBytes: number,
): AsyncGenerator<Uint8Array | null> {
  const inspector = new ObjectInspector(git);
  const reader = new ObjectReader(git);

  async function* group(asked: readonly ObjectId[]): AsyncGenerator<Uint8Array | null> {
    for (const id of asked) if (isObjectId(id)) inspector.request(id);
    const wanted: boolean[] = [];
    for (const id of asked) {
      const info = isObjectId(id) ? await inspector.info() : null;
      const fits = info?.type === 'blob' && info.size <= maxBytes;
      if (fits) reader.request(id);
      wanted.push(fits);
    }
    for (const fits of wanted) yield fits ? ((await reader.contents(maxBytes))?.bytes ?? null) : null;
  }

  try {
    let asked: ObjectId[] = [];
    for await (const id of ids) {
      if (asked.push(id) < GROUP) continue;
      yield* group(asked);
      asked = [];
    }
    yield* group(asked);
  } finally {
    await Promise.all([inspector.stop(), reader.stop()]);
  }
}
