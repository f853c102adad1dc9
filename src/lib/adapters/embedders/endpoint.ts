import { firstCodePoints, normalizeText } from '../../core/text.ts';
import type { Embedder, EmbeddingRole } from '../../engine/embedder.ts';
import { endpointFailure } from '../http/endpoint-failure.ts';
import { type Pace, systemPace } from '../http/pace.ts';
import { postJson } from '../http/post-json.ts';
import { type Patience, repeat } from '../http/repeat.ts';
import { batchesOf } from './batches.ts';
import { type EmbedderEndpoint, endpointEmbedderId } from './endpoint-id.ts';
import { vectorsOf } from './vectors.ts';

/** Of a text, before its prefix: twice the longest passage of prose. The rest is not embedded. */
const MAX_TEXT_CODE_POINTS = 4000;

/** 32 texts is what servers take unless they are told otherwise. */
const BATCH = { texts: 32, characters: 64_000 } as const;

/** A search waits for a query; an indexer has time for each batch of passages, e.g. while a server loads its model. */
const PATIENCE: Readonly<Record<EmbeddingRole, Patience>> = {
  query: { attempts: 1, attemptMs: 3000, totalMs: 3000 },
  passage: { attempts: 6, attemptMs: 60_000, totalMs: 180_000 },
};

/**
 * An embedder behind an OpenAI-compatible `/v1/embeddings` endpoint. A call is bounded by the patience of its role for
 * each batch, and ends with the first batch that fails.
 */
export function endpointEmbedder(
  endpoint: EmbedderEndpoint,
  pace: Pace = systemPace,
  patience: Readonly<Record<EmbeddingRole, Patience>> = PATIENCE,
): Embedder {
  const { url, key, model, queryPrefix, passagePrefix } = endpoint;
  const name = { kind: 'embedder', host: new URL(url).host, hasKey: key !== undefined } as const;
  let dimension: number | undefined;

  const embedBatch = async (input: string[], role: EmbeddingRole, signal: AbortSignal): Promise<Float32Array[]> => {
    const body = { model, input, encoding_format: 'float' };
    const answer = await repeat(patience[role], pace, signal, async (timeoutMs) =>
      postJson({ url, key }, body, timeoutMs, signal),
    );
    const vectors = vectorsOf(answer, input.length, dimension);
    dimension ??= vectors[0]?.length;
    return vectors;
  };

  return {
    id: endpointEmbedderId(endpoint),
    async embed(texts, role, signal) {
      const prefix = role === 'query' ? queryPrefix : passagePrefix;
      const vectors: Float32Array[] = [];
      try {
        for (const batch of batchesOf(
          texts.map((text) => inputOf(prefix, text)),
          BATCH,
        )) {
          vectors.push(...(await embedBatch(batch, role, signal)));
        }
      } catch (error) {
        throw endpointFailure(error, name, signal);
      }
      return vectors;
    },
  };
}

function inputOf(prefix: string, text: string): string {
  const input = prefix + firstCodePoints(normalizeText(text), MAX_TEXT_CODE_POINTS);
  // Endpoints refuse a text of nothing, and with it the whole batch.
  return input.trim() === '' ? '.' : input;
}
