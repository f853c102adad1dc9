import * as z from 'zod';
import { Failure } from '../../core/failure.ts';
import { sha256Hex } from '../../core/hash.ts';
import { documentTextsQuery, passagesOfQuery } from '../../corpus/vector-store.ts';
import { query } from '../../engine/database.ts';
import type { Engine } from '../../engine/engine.ts';
import { textsOfPassages } from '../stored-passages.ts';
import { passageTermCounts } from './lsa-embedder.ts';
import type { TrainingSet } from './train.ts';

/** Groups that a model is trained on at most; of more a sample, the same for the same index. */
const MAX_GROUPS = 8192;
/** Documents of a group that are read at most: a thread of thousands of comments tells no more than one of hundreds. */
const MAX_GROUP_DOCUMENTS = 100;
const PAGE = 400;

const groupRow = z.object({ entity: z.string(), documents: z.string() });

/**
 * Reads what a model is trained on: the passages of all threads, files and other entities, or of a sample of them. Fails
 * with `interrupted`.
 */
export async function readTrainingSet(engine: Engine): Promise<TrainingSet> {
  const { database, signal, progress } = engine;
  const groups = sampled(await readGroups(engine));
  const groupOf = new Map(groups.flatMap(({ entity, documents }) => documents.map((id) => [id, entity] as const)));
  const documents = [...groupOf.keys()].sort((a, b) => a - b);
  const counts = new Map(groups.map(({ entity }) => [entity, new Map<string, number>()]));
  const documentFrequency = new Map<string, number>();
  let passages = 0;
  const step = progress.start('texts', documents.length);
  for (let from = 0; from < documents.length; from += PAGE) {
    if (signal.aborted) throw new Failure('interrupted', 'stopped while learning from the texts; nothing is lost');
    const page = documents.slice(from, from + PAGE);
    const [texts, places] = await database.read([documentTextsQuery(page), passagesOfQuery(page)]);
    for (const { text, documentId } of textsOfPassages(texts, places)) {
      passages += 1;
      const group = counts.get(groupOf.get(documentId) ?? '');
      for (const [term, count] of passageTermCounts(text)) {
        documentFrequency.set(term, (documentFrequency.get(term) ?? 0) + 1);
        group?.set(term, (group.get(term) ?? 0) + count);
      }
    }
    step.advance(Math.min(documents.length, from + PAGE));
  }
  step.end();
  return { passages, documentFrequency, groups: [...counts.values()] };
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
