import { endpointEmbedder } from '../../src/lib/adapters/embedders/endpoint.ts';
import { query } from '../../src/lib/engine/database.ts';
import type { Embedder } from '../../src/lib/engine/embedder.ts';
import type { TestDatabase } from './database.ts';
import { type Asked, type ModelEndpoint, testPace } from './model-endpoint.ts';

/** What is stored of vectors: which embedder, of which passage, and their bytes. */
export interface StoredVector {
  readonly embedder: string;
  readonly passage: string;
  readonly vector: string;
}

/** All vectors with their signatures, in the order of embedders, documents and passages. */
export async function storedVectors({ database }: Pick<TestDatabase, 'database'>): Promise<StoredVector[]> {
  const [rows] = await database.read([
    query(
      `SELECT e.name AS embedder, d.key || ' ' || (v.passage_id & 65535) AS passage, hex(v.vector) || ' ' || hex(s.signature) AS vector
       FROM passage_vectors v JOIN passage_signatures s USING (embedder_id, passage_id)
       JOIN embedders e ON e.id = v.embedder_id JOIN documents d ON d.id = v.passage_id >> 16 ORDER BY e.id, d.key, v.passage_id`,
      [],
      (row) => ({ embedder: String(row.embedder), passage: String(row.passage), vector: String(row.vector) }),
    ),
  ]);
  return rows;
}

/** Topics of a model that knows a few words; a text points to those it is about. */
const TOPICS = [/kettle|boil|water/i, /sched|worker|queue/i, /window|dialog|screen/i];

/** What the model on the other side answers: as many dimensions as it has topics, and one that every text has. */
export function embeddingsOf({ body }: Asked): { data: { index: number; embedding: unknown[] }[] } {
  const texts = body.input as string[];
  return {
    data: texts.map((text, index) => ({
      index,
      embedding: [...TOPICS.map((topic) => (topic.test(text) ? 1 : 0)), 0.1],
    })),
  };
}

/** The embedder of an endpoint, without pauses. */
export function embedderAt({ origin }: ModelEndpoint, model = 'topics'): Embedder {
  const patience = { attempts: 2, attemptMs: 20_000, totalMs: 30_000 };
  return endpointEmbedder(
    { url: `${origin}/v1/embeddings`, model, key: 'canary-3f9a6c', queryPrefix: '', passagePrefix: '' },
    testPace(),
    { query: patience, passage: patience },
  );
}
