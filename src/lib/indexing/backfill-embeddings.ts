import { Failure } from '../core/failure.ts';
import { embeddersQuery } from '../corpus/embedder-store.ts';
import { missingCountQuery } from '../corpus/vector-store.ts';
import type { Engine } from '../engine/engine.ts';
import type { BackfillBounds, BackfillOutcome, BackfillSurface } from '../operation/backfill-surface.ts';
import { embeddable } from './active-embedder.ts';
import { embedIndex, filledEmbedder } from './embed-index.ts';

/** Passages that count as one item of a part. */
const ITEM = 500;

/** Embeds what has no vector of the embedder that is configured; a model of the index's own is trained first. */
export const embeddingsBackfill: BackfillSurface = {
  name: 'embeddings',
  of: 'index',
  description: `embed passages without a vector of the configured embedder (an item is ${String(ITEM)} passages).`,
  async run(engine, part) {
    if (engine.embedder === null) {
      throw new Failure('invalid_input', 'no embedder is configured', {
        hint: 'Unset GH_RAG_EMBEDDER for the built-in one, or name an endpoint.',
      });
    }
    const after = part.cursor === undefined ? 0 : cursorOf(part.cursor);
    if (part.dryRun) return count(engine, part, after);
    const { embedder, embedded, cursor, done, failure } = await embedIndex(engine, { limit: part.limit * ITEM, after });
    if (failure !== null) throw failure;
    return {
      looked: embedded,
      repaired: embedded,
      nextCursor: done ? null : String(cursor),
      notes: embedder === null ? ['There is too little text to learn from; words alone are searched.'] : [],
    };
  },
};

/** What a part would embed. */
async function count(engine: Engine, { limit }: BackfillBounds, after: number): Promise<BackfillOutcome> {
  const [embedders] = await engine.database.read([embeddersQuery()]);
  // No embedder has the id 0.
  const embedderId = filledEmbedder(engine, embedders)?.id ?? 0;
  const [[part]] = await engine.database.read([
    missingCountQuery({ embedderId, after, limit: limit * ITEM, allowed: embeddable(engine) }),
  ]);
  const { passages, last } = part ?? { passages: 0, last: null };
  const exhausted = passages < limit * ITEM;
  return { looked: passages, repaired: passages, nextCursor: exhausted || last === null ? null : String(last) };
}

function cursorOf(text: string): number {
  const cursor = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(cursor)) return cursor;
  throw new Failure('invalid_cursor', 'cursor: must be one that this repair gave');
}
