import * as z from 'zod';
import { sha256Hex } from '../../core/hash.ts';
import { documentTextsQuery, passagesOfQuery } from '../../corpus/passage-texts.ts';
import type { Checkpoint } from '../../engine/checkpoint.ts';
import { query } from '../../engine/database.ts';
import type { Engine } from '../../engine/engine.ts';
import { textsOfPassages } from '../stored-passages.ts';
import { passageTermCounts } from './lsa-embedder.ts';
import type { CountedGroup, TrainingSet } from './train.ts';

/** Groups that a model is trained on at most; of more a sample, the same for the same index. */
const MAX_GROUPS = 6000;
/** Documents of a group that are read at most: a thread of thousands of comments tells no more than one of hundreds. */
const MAX_GROUP_DOCUMENTS = 100;
const PAGE = 400;

const groupRow = z.object({ entity: z.string(), documents: z.string() });

/**
 * Reads what a model is trained on: the passages of all threads, files and other entities, or of a sample of them. Fails
 * as the checkpoint does.
 */
export async function readTrainingSet(engine: Engine, checkpoint: Checkpoint): Promise<TrainingSet> {
  const { database, progress } = engine;
  const groups = sampled(await readGroups(engine));
  const documentFrequency = new Map<string, number>();
  const counted: CountedGroup[] = [];
  let passages = 0;
  let read = 0;
  const step = progress.start(
    'texts',
    groups.reduce((sum, { documents }) => sum + documents.length, 0),
  );
  for (const page of pagesOf(groups)) {
    await checkpoint();
    const documents = page.flatMap((group) => group.documents);
    const [texts, places] = await database.read([documentTextsQuery(documents), passagesOfQuery(documents)]);
    const byDocument = new Map<number, string[]>(documents.map((id) => [id, []]));
    for (const { documentId, text } of textsOfPassages(texts, places)) byDocument.get(documentId)?.push(text);
    for (const group of page) {
      const counts = new Map<string, number>();
      for (const text of group.documents.flatMap((id) => byDocument.get(id) ?? [])) {
        passages += 1;
        for (const [term, count] of passageTermCounts(text)) {
          documentFrequency.set(term, (documentFrequency.get(term) ?? 0) + 1);
          counts.set(term, (counts.get(term) ?? 0) + count);
        }
      }
      // Lists take a tenth of what maps do, and thousands of groups are kept.
      counted.push({ terms: [...counts.keys()], counts: Uint32Array.from(counts.values()) });
    }
    read += documents.length;
    step.advance(read);
  }
  step.end();
  return { passages, documentFrequency, groups: counted };
}

/** Groups that are read together. */
function* pagesOf(groups: readonly Group[]): Generator<readonly Group[]> {
  let page: Group[] = [];
  let documents = 0;
  for (const group of groups) {
    page.push(group);
    documents += group.documents.length;
    if (documents < PAGE) continue;
    yield page;
    [page, documents] = [[], 0];
  }
  if (page.length > 0) yield page;
}

interface Group {
  readonly entity: string;
  readonly documents: readonly number[];
}

async function readGroups({ database }: Engine): Promise<Group[]> {
  const [groups] = await database.read([
    query(
      `SELECT entity, json_group_array(id) AS documents FROM (
         SELECT id, entity, row_number() OVER (PARTITION BY entity ORDER BY created_at, key) AS place FROM documents)
       WHERE place <= ? GROUP BY entity ORDER BY entity`,
      [MAX_GROUP_DOCUMENTS],
      (row): Group => {
        const { entity, documents } = groupRow.parse(row);
        return { entity, documents: z.array(z.int()).parse(JSON.parse(documents)) };
      },
    ),
  ]);
  return groups;
}

/** By digests of their names: which are taken depends neither on the order of indexing nor on chance. */
function sampled(groups: readonly Group[]): readonly Group[] {
  if (groups.length <= MAX_GROUPS) return groups;
  const taken = groups
    .map((group) => ({ group, digest: sha256Hex(group.entity) }))
    .sort((a, b) => (a.digest < b.digest ? -1 : 1))
    .slice(0, MAX_GROUPS);
  return taken.map(({ group }) => group).sort((a, b) => (a.entity < b.entity ? -1 : 1));
}
