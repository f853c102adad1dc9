import { documentTextsQuery, newestPassagesQuery, type StoredEmbedder } from '../../corpus/vector-store.ts';
import type { Database } from '../../engine/database.ts';
import { textsOfPassages } from '../stored-passages.ts';
import { passageTermCounts } from './lsa-embedder.ts';
import { knownTermsQuery } from './lsa-store.ts';

/** Passages that are looked at, evenly spread over those that came. */
const SAMPLE = 256;
/** Threads or files in which a term counts: what fewer have is theirs alone, and no model would relate it to anything. */
const FEWEST_ENTITIES = 3;
/**
 * Share of those terms that a model may lack. By measurement the second half of a project lacks .01 of them after its first
 * half, another project .08 to .11 and one in another language .5.
 */
const MAX_SHARE = 0.05;

/** Whether a model lacks words of the passages that came last, `newest` of them: another project, a new subject. */
export async function lacksWords(
  database: Database,
  { id }: Pick<StoredEmbedder, 'id'>,
  newest: number,
): Promise<boolean> {
  const [places] = await database.read([newestPassagesQuery(newest, SAMPLE)]);
  const [texts] = await database.read([documentTextsQuery([...new Set(places.map(({ documentId }) => documentId))])]);
  const entityOf = new Map(texts.map(({ document_id, entity }) => [document_id, entity]));
  const entities = new Map<string, Set<string>>();
  for (const { documentId, text } of textsOfPassages(texts, places)) {
    const entity = entityOf.get(documentId) ?? '';
    for (const term of passageTermCounts(text).keys()) {
      const those = entities.get(term);
      if (those === undefined) entities.set(term, new Set([entity]));
      else those.add(entity);
    }
  }
  const shared = [...entities].flatMap(([term, those]) => (those.size >= FEWEST_ENTITIES ? [term] : []));
  const [known] = await database.read([knownTermsQuery(id, shared)]);
  return shared.length - known.length > shared.length * MAX_SHARE;
}
