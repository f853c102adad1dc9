import type { BatchEmbedder } from '../corpus/indexed-document.ts';
import { vectorSteps } from '../corpus/vector-store.ts';
import type { Engine } from '../engine/engine.ts';
import { type ActiveEmbedder, findActiveEmbedder, isEndpointFailure, otherDimensions } from './active-embedder.ts';
import { embedPassages } from './embed-passages.ts';
import { passageText } from './passage-text.ts';

/**
 * Embeds what a run writes, by what searches use at its beginning. Nothing where there is no such thing yet: the end of the
 * run makes it. An endpoint that fails is not asked again: the documents are stored without vectors, which come later.
 */
export function batchEmbedder(engine: Engine): BatchEmbedder {
  let active: Promise<ActiveEmbedder | undefined> | undefined;
  let failed = false;
  return async (entries) => {
    if (failed || entries.length === 0) return [];
    active ??= findActiveEmbedder(engine);
    const found = await active;
    if (found === undefined) return [];
    const { embedder, stored } = found;
    const passages = entries.flatMap(({ key, document, passages: cut }) =>
      cut.map(({ ordinal, headingPath, text }) => ({
        passage: { key, ordinal },
        repo: document.repo,
        text: passageText(document, headingPath, text),
      })),
    );
    try {
      const vectors = await embedPassages(engine, embedder, passages);
      const other = vectors.find((vector) => vector !== undefined && vector.length !== stored.dimensions);
      if (other !== undefined) throw otherDimensions(stored.name, other.length, stored.dimensions);
      const rows = passages.flatMap(({ passage }, at) => {
        const vector = vectors[at];
        return vector === undefined ? [] : [{ passage, vector }];
      });
      return vectorSteps(stored, rows);
    } catch (error) {
      if (!isEndpointFailure(engine, error)) throw error;
      failed = true;
      engine.progress.note(`Documents are stored without vectors: ${error.message}`);
      return [];
    }
  };
}
