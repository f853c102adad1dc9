import { type StoredEmbedder } from '../../corpus/embedder-store.ts';
import { documentTextsQuery, newestPassagesQuery } from '../../corpus/passage-texts.ts';
import type { Database } from '../../engine/database.ts';
import { textsOfPassages } from '../stored-passages.ts';
import { passageTermCounts } from './lsa-embedder.ts';
import { knownTermsQuery } from './lsa-store.ts';
import { MAX_PASSAGE_SHARE } from './train.ts';

/** Passages that are looked at, evenly spread over those that came. */
const SAMPLE = 256;
/** Threads or files in which a term counts: what fewer have is theirs alone, and no model would relate it to anything. */
const FEWEST_ENTITIES = 3;

/**
 * Share of the words of the passages that came last, `newest` of them, that a model lacks: of a term in few threads, or in
 * most passages (a template), a training would make nothing, so those do not count. By measurement the second half of a
 * project lacks .01 of them after its first half, another project .07 to .09 and one in another language .5.
 */
export async function lackedShare(
  database: Database,
  { id }: Pick<StoredEmbedder, 'id'>,
  newest: number,
): Promise<number> {
  const [places] = await database.read([newestPassagesQuery(newest, SAMPLE)]);
  const [texts] = await database.read([documentTextsQuery([...new Set(places.map(({ documentId }) => documentId))])]);
  const entityOf = new Map(texts.map(({ document_id, entity }) => [document_id, entity]));
  const found = new Map<string, { passages: number; readonly entities: Set<string> }>();
  const passages = textsOfPassages(texts, places);
  for (const { documentId, text } of passages) {
    const entity = entityOf.get(documentId) ?? '';
    for (const term of passageTermCounts(text).keys()) {
      const those = found.get(term);
      if (those === undefined) {
        found.set(term, { passages: 1, entities: new Set([entity]) });
        continue;
      }
      those.passages += 1;
      those.entities.add(entity);
    }
  }
  const most = passages.length * MAX_PASSAGE_SHARE;
  const counted = [...found].flatMap(([term, those]) => {
    return those.entities.size >= FEWEST_ENTITIES && those.passages <= most ? [term] : [];
  });
  if (counted.length === 0) return 0;
  const [known] = await database.read([knownTermsQuery(id, counted)]);
  return 1 - known.length / counted.length;
}
